// Selects the binding that the command line names, as a process; or returns why there is none.

import { type Bound, bindingNamed, type Program } from '@plumb/lang'
import { fail, nearest, preview, type Result, succeed } from '@plumb/wire'

const MAX_LIST = 400

/** `main`, another binding of the file, or `Module.name`. */
export const selectBinding = (program: Program, name: string): Result<Bound> => {
  const bound = bindingNamed(program, name)
  if (bound?.category === 'stream') return succeed(bound)
  if (bound) return fail('not_a_process', `'${preview(name)}' is not a stream process: ${wayToRun(bound)}`)
  const processes = [...program.entry.bindings.values()].filter(({ category }) => category === 'stream').map((b) => b.name)
  const known = processes.length === 0 ? 'it has no process' : `its processes are ${preview(processes.join(', '), MAX_LIST)}`
  if (name === 'main')
    return fail('main_missing', `the spec has no 'main', it is a library (${known}); choose a binding with --binding NAME`)
  const near = nearest(name, processes)
  return fail('main_missing', `the spec has no binding '${preview(name)}'${near ? `; did you mean '${near}'?` : ` (${known})`}`)
}

const wayToRun = ({ category, isTool, binding }: Bound): string => {
  const what = 'an agent, a plumb or a chain of streams can be run and drawn'
  if (category !== 'base') return what
  return isTool
    ? `${what}; a tool is called by 'plumb-tool SPEC call ${binding.name.text}'`
    : `${what}; write '!' before each of its types, as in !json -> !json`
}
