// Parses the words and options of the command line.

import { existsSync } from 'node:fs'
import { fail, nearest, preview, type Result, requireSandbox, succeed } from '@plumb/wire'
import type { Flags } from './flags.js'
import type { CliOptions } from './options.js'
import { strayOption, VERBS, type Verb, type VerbName, verbNamed } from './verbs.js'

export interface Todo {
  readonly verb: VerbName
  /** The words after the verb. */
  readonly words: readonly string[]
  readonly options: CliOptions
}

/** The first word is a verb, or else the spec, which a verb follows: a file called `list` is `./list`. */
export const read = (words: readonly string[], flags: Flags): Result<Todo> => {
  const hasSpec = flags.eval === undefined && (flags.sourcesFd !== undefined || (words[0] !== undefined && !verbNamed(words[0])))
  const [spec, rest] = hasSpec ? [words[0], words.slice(1)] : [undefined, words]
  const [name, ...behind] = rest
  const verb = verbNamed(name)
  if (!verb) return noVerb(spec, name, flags)
  const sandbox = requireSandbox(flags.requireSandbox === true)
  if (!sandbox.ok) return sandbox
  const wrong = wrongWords(verb, behind) ?? wrongOptions(verb, flags)
  if (wrong !== undefined) return fail('usage', wrong)
  return succeed({ verb: verb.name, words: behind, options: toOptions(flags, spec) })
}

const NAMES = VERBS.map(({ name }) => name)
const SAY = `say what to do: ${NAMES.join(', ')}`

const noVerb = (spec: string | undefined, name: string | undefined, { eval: text }: Flags): Result<never> => {
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
  if (given.length <= most) return undefined
  return `'${preview(given[most] ?? '')}' is one word too many: '${name}' takes ${words === '' ? 'none' : words}`
}

const wrongOptions = (verb: Verb, flags: Flags): string | undefined => {
  const stray = strayOption(verb, Object.keys(flags))
  return stray && `${dashed(stray.option)} is for ${stray.verbs.join(' and ')}, not for ${verb.name}`
}

const dashed = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const toOptions = (flags: Flags, path: string | undefined): CliOptions => {
  const {
    eval: text,
    agent,
    set,
    setFile,
    docroot,
    flows,
    grant = [],
    policy,
    context = [],
    allowHost = [],
    provider,
    model,
    agentCommand,
    maxLine,
    fds,
    from,
    to,
    seed,
    sourcesFd,
    budgetFd,
  } = flags
  const given = {
    agent,
    set,
    setFile,
    docroot,
    flows,
    policy,
    provider,
    model,
    agentCommand,
    maxLineBytes: maxLine,
    fds,
    from,
    to,
    seed,
    sourcesFd,
    budgetFd,
  }
  return {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<CliOptions>),
    spec: text !== undefined ? { kind: 'text', text } : path !== undefined ? { kind: 'file', path } : { kind: 'none' },
    grant,
    context,
    allowHost,
    wantsEnvelope: flags.envelope === true,
    emitsOffers: flags.offers === true,
    emitsTelemetry: flags.telemetry === true,
    wantsJson: flags.json === true,
    isRawInput: flags.rawInput === true,
    isRawOutput: flags.rawOutput === true,
    isSlurped: flags.slurp === true,
    wantsCheck: flags.check === true,
    tracesSandbox: flags.traceSandbox === true,
  }
}
