// Parses the words and options of the command line.

import { existsSync } from 'node:fs'
import { fail, longName, nearest, preview, type Result, requireSandbox, succeed } from '@plumb/wire'
import type { ToolLine } from './flags.js'
import { type CliOptions, TOOL_GROUPS, type VerbRow } from './options.js'
import { VERBS, type Verb, type VerbName, verbNamed } from './verbs.js'

export interface Todo {
  readonly verb: VerbName
  /** The words after the verb. */
  readonly words: readonly string[]
  readonly options: CliOptions
}

/** The first word is a verb, or else the spec, which a verb follows: a file called `list` is `./list`. */
export const read = ({ operands: words, values }: ToolLine): Result<Todo> => {
  const { eval: text, sourcesFd } = values.program
  const hasSpec = text === undefined && (sourcesFd !== undefined || (words[0] !== undefined && !verbNamed(words[0])))
  const [spec, rest] = hasSpec ? [words[0], words.slice(1)] : [undefined, words]
  const [name, ...behind] = rest
  const verb = verbNamed(name)
  if (!verb) return noVerb(spec, name, text)
  const sandbox = requireSandbox(values.permissions.requireSandbox)
  if (!sandbox.ok) return sandbox
  const wrong = wrongWords(verb, behind) ?? wrongOptions(verb, values.verb)
  if (wrong !== undefined) return fail('usage', wrong)
  return succeed({ verb: verb.name, words: behind, options: { ...values, spec: specOf(text, spec) } })
}

const NAMES = VERBS.map(({ name }) => name)
const SAY = `say what to do: ${NAMES.join(', ')}`

const noVerb = (spec: string | undefined, name: string | undefined, text: string | undefined): Result<never> => {
  if (text !== undefined && name !== undefined) {
    return fail('usage', `--eval takes the place of a file, so '${preview(name)}' is neither a spec nor a command; ${SAY}`)
  }
  // The word instead of the spec may be meant as the verb.
  const word = spec !== undefined && !existsSync(spec) && nearest(spec, NAMES) !== undefined ? spec : name
  if (word !== undefined) return fail('usage', `there is no command '${preview(word)}'${suggestion(word)}`)
  if (spec === undefined) return fail('usage', `${SAY}; as in 'plumb-tool list'`)
  return fail('usage', `${SAY}; as in 'plumb-tool ${preview(spec)} list'`)
}

const suggestion = (name: string): string => {
  const near = nearest(name, NAMES)
  return near === undefined ? `; ${SAY}` : `; did you mean '${near}'?`
}

const wrongWords = ({ name, words, least, most }: Verb, given: readonly string[]): string | undefined => {
  if (given.length < least) return `'${name}' takes ${words}, and nothing was given`
  const [first = ''] = given
  if (first.endsWith('.plumb') && !['find', 'skill'].includes(name))
    return `the spec comes first: plumb-tool ${preview(first)} ${name} ${words}`.trimEnd()
  if (given.length <= most) return undefined
  return `'${preview(given[most] ?? '')}' is one word too many: '${name}' takes ${words === '' ? 'none' : words}`
}

const wrongOptions = (verb: Verb, given: ToolLine['values']['verb']): string | undefined => {
  for (const [name, { flags, verbs, byDefault }] of Object.entries<VerbRow>(TOOL_GROUPS.verb)) {
    const isGiven = given[name as keyof typeof given] !== byDefault
    if (isGiven && !verbs.includes(verb.name)) return `${longName(flags)} is for ${verbs.join(' and ')}, not for ${verb.name}`
  }
  return undefined
}

const specOf = (text: string | undefined, path: string | undefined): CliOptions['spec'] => {
  if (text !== undefined) return { kind: 'text', text }
  return path === undefined ? { kind: 'none' } : { kind: 'file', path }
}
