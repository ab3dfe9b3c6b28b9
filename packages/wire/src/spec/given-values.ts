// The values that params get from outside: `--set`, `--set-file` and the environment (plumbing(5), Params); or, in a child, from its
// parent.

import { parseTree } from '../json/index.js'
import { preview } from '../preview.js'
import { fail, type Result, succeed } from '../result.js'
import { type Bundle, readSpec } from './source-files.js'

export interface GivenValue {
  /** JSON, or with `isPlain` perhaps plain text. */
  readonly text: string
  readonly isPlain: boolean
  /** For errors. */
  readonly from: string
}

export interface GivenValues {
  /** `name` is the one on the command line; `path` is the file that declares it, and `own` its name there. */
  find(param: { readonly name: string; readonly path: string; readonly own: string }): GivenValue | undefined
  /** By `--set`: each must be the name of a param. */
  readonly named: readonly string[]
}

export interface GivenOptions {
  readonly set?: readonly string[] | undefined
  readonly setFile?: readonly string[] | undefined
}

const VARIABLE_PREFIX = 'PLUMB_SET_'
/** A shell does not allow the point of `Module.name` in the name of a variable. */
export const variableOf = (name: string): string => `${VARIABLE_PREFIX}${name.replaceAll('.', '_')}`

/**
 * `--set` takes precedence over `--set-file`, and that over the environment; of two of a kind the last counts. A child uses what its parent
 * hands over.
 */
export const readGivenValues = ({ set = [], setFile = [] }: GivenOptions, bundle?: Bundle, env = process.env): Result<GivenValues> => {
  if (bundle) return succeed({ find: ({ path, own }) => handed(bundle, path, own), named: [] })
  const values = new Map<string, GivenValue>()
  for (const path of setFile) {
    const read = readValues(path)
    if (!read.ok) return read
    for (const [name, text] of read.value) values.set(name, { text, isPlain: false, from: `'${preview(path, 200)}'` })
  }
  const named: string[] = []
  for (const entry of set) {
    const [, name, text] = /^([A-Za-z_][\w.]*)=(.*)$/s.exec(entry) ?? []
    if (name === undefined || text === undefined) return fail('usage', `'--set' takes NAME=VALUE, not '${preview(entry, 80)}'`)
    named.push(name)
    values.set(name, { text, isPlain: true, from: '--set' })
  }
  const find: GivenValues['find'] = ({ name }) => values.get(name) ?? inEnvironment(name, env)
  return succeed({ find, named })
}

const inEnvironment = (name: string, env: NodeJS.ProcessEnv): GivenValue | undefined => {
  const variable = variableOf(name)
  const text = env[variable]
  return text === undefined ? undefined : { text, isPlain: true, from: variable }
}

const handed = ({ params = {} }: Bundle, path: string, own: string): GivenValue | undefined => {
  const values = Object.hasOwn(params, path) ? params[path] : undefined
  const text = values && Object.hasOwn(values, own) ? values[own] : undefined
  return text === undefined ? undefined : { text, isPlain: false, from: 'the parent' }
}

// Each value as it was written: no number loses digits.
const readValues = (path: string): Result<ReadonlyMap<string, string>> => {
  const read = readSpec(path)
  if (!read.ok) return read
  const bytes = Buffer.from(read.value)
  const tree = parseTree(bytes, 0, bytes.length)
  const refuse = (why: string) => fail('config_invalid', `cannot take params from '${preview(path, 200)}': ${why}`, { path })
  if (tree.kind === 'fault') return refuse(`it is not JSON: ${tree.detail}`)
  if (tree.kind !== 'object') return refuse(`it is to hold {"NAME": VALUE, …}, and holds ${preview(read.value, 80)}`)
  return succeed(new Map(tree.entries.map(({ key, node }) => [key, bytes.toString('utf8', node.start, node.end)])))
}
