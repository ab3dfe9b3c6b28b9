// Selects the binding that the command line names, as a process; or returns why there is none.

import { type Bound, bindingNamed, type Program } from '@plumb/lang'
import { fail, nearest, preview, type Result, succeed } from '@plumb/wire'

const MAX_LIST = 400

/** `main`, another binding of the file, or `Module.name`. */
export const selectBinding = (program: Program, name: string): Result<Bound> => {
  const bound = bindingNamed(program, name)
  if (bound?.category === 'stream') return succeed(bound)
  if (bound) {
    const help = bound.category === 'base' ? "; write '!' before each type of its signature" : ''
    const detail = `'${preview(name)}' is not a stream process: an agent, a plumb or a chain of streams can be run and drawn${help}`
    return fail('not_a_process', detail)
  }
  const processes = [...program.entry.bindings.values()].filter(({ category }) => category === 'stream').map((b) => b.name)
  const known = processes.length === 0 ? 'it has no process' : `its processes are ${preview(processes.join(', '), MAX_LIST)}`
  if (name === 'main')
    return fail('main_missing', `the spec has no 'main', it is a library (${known}); choose a binding with --binding NAME`)
  const near = nearest(name, processes)
  return fail('main_missing', `the spec has no binding '${preview(name)}'${near ? `; did you mean '${near}'?` : ` (${known})`}`)
}
