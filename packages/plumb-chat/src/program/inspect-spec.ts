// Asks plumb, which knows the language, which program a spec holds.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { ChatOptions, Spec } from '../options.js'
import { type ChatProgram, describeProgram, type Names, type RenderedGraph } from './program.js'
import { runSibling } from './run-sibling.js'

/** The lines that plumb wrote on its stderr about a wrong spec. */
export interface Rejection {
  readonly lines: readonly string[]
}

/** Fails with `main_missing` when the spec has several bindings and none of them is main. */
export const inspectSpec = async ({ spec, chat: { agent } }: ChatOptions, text: string): Promise<Result<ChatProgram | Rejection>> => {
  const name = agent ?? 'main'
  const [drawn, named] = await Promise.all([draw(spec, text, name), runSibling('plumb', ['check', '--json', ...specArgs(spec, text)])])
  if (!drawn.ok) return drawn
  if (!named.ok) return named
  // The last line; warnings are before it.
  const names = named.value.status === 0 ? (parse(splitLines(named.value.stdout).at(-1) ?? '') as Names | undefined) : undefined
  if (drawn.value.status === 0 && names) return describe(name, drawn.value.stdout, names)
  const [only, ...more] = Object.entries(names?.bindings ?? {}).flatMap(([name, { kind }]) => (kind === 'stream' ? [name] : []))
  const isLibrary = names && agent === undefined && !Object.hasOwn(names.bindings, 'main')
  if (!isLibrary || only === undefined) return succeed({ lines: splitLines(drawn.value.stderr) })
  if (more.length > 0) {
    const list = preview([only, ...more].join(', '), 400)
    return fail('main_missing', `the spec has no 'main'; choose whom to talk to with --agent, from ${list}`)
  }
  const alone = await draw(spec, text, only)
  if (!alone.ok) return alone
  return alone.value.status === 0 ? describe(only, alone.value.stdout, names) : succeed({ lines: splitLines(alone.value.stderr) })
}

/**
 * The text of the spec; when none was given, that of a single agent: of the requested provider, else of ELIZA, which needs no network and
 * no key.
 */
export const specText = (spec: Spec, provider: string | undefined, environment: string | undefined): string => {
  if (spec.kind === 'text') return spec.text
  const requested = provider ?? (environment || 'eliza')
  return requested === 'eliza'
    ? 'let eliza : !string -> !string = agent { provider: "eliza", model: "doctor" }'
    : 'let assistant : !string -> !string = agent { }'
}

/** The arguments that name the spec to an executable of the project: last, after all options. */
export const specArgs = (spec: Spec, text: string): string[] => (spec.kind === 'file' ? ['--', spec.path] : ['-e', text])

const draw = (spec: Spec, text: string, binding: string) =>
  runSibling('plumb', ['render', '--format', 'json', '--binding', binding, ...specArgs(spec, text)])

const describe = (binding: string, graph: string, names: Names): Result<ChatProgram> => {
  const program = describeProgram(binding, parse(graph) as RenderedGraph, names)
  return program ? succeed(program) : fail('spec_invalid', `'${preview(binding)}' takes no messages, so nothing can be said to it`)
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const splitLines = (text: string): string[] => text.split('\n').filter((line) => line !== '')
