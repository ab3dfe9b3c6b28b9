// Which program a spec holds: plumb says, since it knows the language.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Options, Spec } from '../options.js'
import { ask } from './ask.js'
import { type Graph, type Names, type Program, programOf } from './program.js'

/** What plumb wrote on its stderr about a spec, line by line, in place of a fault of ours. */
export interface Refused {
  readonly lines: readonly string[]
}

/** `main_missing` where the spec has several bindings and none of them is main; a refused spec is told in plumb's own words. */
export const learn = async ({ spec, agent }: Pick<Options, 'spec' | 'agent'>, text: string): Promise<Result<Program | Refused>> => {
  const wanted = agent ?? 'main'
  const [drawn, named] = await Promise.all([draw(spec, text, wanted), ask('plumb', ['check', '--json', ...specArgs(spec, text)])])
  if (!drawn.ok) return drawn
  if (!named.ok) return named
  // Behind its warnings.
  const names = named.value.status === 0 ? (parse(linesOf(named.value.stdout).at(-1) ?? '') as Names | undefined) : undefined
  if (drawn.value.status === 0 && names) return describe(wanted, drawn.value.stdout, names)
  const [only, ...more] = Object.entries(names?.bindings ?? {}).flatMap(([name, { kind }]) => (kind === 'stream' ? [name] : []))
  const isLibrary = names && agent === undefined && !Object.hasOwn(names.bindings, 'main')
  if (!isLibrary || only === undefined) return succeed({ lines: linesOf(drawn.value.stderr) })
  if (more.length > 0) {
    const list = preview([only, ...more].join(', '), 400)
    return fail('main_missing', `the spec has no 'main'; choose whom to talk to with --agent, from ${list}`)
  }
  const alone = await draw(spec, text, only)
  if (!alone.ok) return alone
  return alone.value.status === 0 ? describe(only, alone.value.stdout, names) : succeed({ lines: linesOf(alone.value.stderr) })
}

/** How the spec is named to a program of ours: last, behind all options. */
export const specArgs = (spec: Spec, text: string): string[] => (spec.kind === 'file' ? ['--', spec.path] : ['-e', text])

const draw = (spec: Spec, text: string, binding: string) =>
  ask('plumb', ['render', '--format', 'json', '--binding', binding, ...specArgs(spec, text)])

const describe = (binding: string, graph: string, names: Names): Result<Program> => {
  const program = programOf(binding, parse(graph) as Graph, names)
  return program ? succeed(program) : fail('spec_invalid', `'${preview(binding)}' takes no messages, so nothing can be said to it`)
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')
