// What was otherwise where two recorded runs were made: params, options, files, and agents whose requests cannot be the same.

import type { RunFile } from '@plumb/runtime/record'
import { canonicalJson, fail, isRecord, preview, type Result, succeed } from '@plumb/wire'
import { isJson } from '@plumb/wire/json'

export type RunMade = Pick<RunFile, 'spec' | 'binding' | 'files' | 'agents' | 'options'>

/** JSON of the left and of the right run, by name; undefined: it was not given. */
export type Changed = ReadonlyMap<string, readonly [left: string | undefined, right: string | undefined]>

export interface SettingsBetween {
  readonly params: Changed
  readonly options: Changed
  /** Paths, and places of agents. */
  readonly files: readonly string[]
  readonly agents: readonly string[]
}

export const settingsBetween = (left: RunMade, right: RunMade): SettingsBetween => {
  const optionsOf = ({ spec, options }: RunMade) => jsonOf({ spec, ...options, params: undefined })
  return {
    params: changedIn(paramsOf(left), paramsOf(right)),
    options: changedIn(optionsOf(left), optionsOf(right)),
    files: [...changedIn(jsonOf(left.files), jsonOf(right.files)).keys()],
    agents: [...changedIn(jsonOf(left.agents), jsonOf(right.agents)).keys()],
  }
}

export const hasSettings = ({ params, options, files, agents }: SettingsBetween): boolean =>
  params.size + options.size + files.length + agents.length > 0

/** Sentences for a person. */
export const settingLines = ({ params, options, files, agents }: SettingsBetween): readonly string[] => [
  ...[...params].map(([name, sides]) => `param ${preview(name)}: ${sidesText(sides)}`),
  ...[...options].map(
    ([name, sides]) => `${name === 'handed_on' ? 'options of agents' : preview(name.replaceAll('_', ' '))}: ${sidesText(sides)}`,
  ),
  ...(files.length > 0 ? [`other text: ${files.map((path) => preview(path, 80)).join(', ')}`] : []),
  ...(agents.length > 0 ? [`asked otherwise: ${agents.map((place) => preview(place, 80)).join(', ')}`] : []),
]

const sidesText = ([left, right]: readonly [string | undefined, string | undefined]): string =>
  `${left === undefined ? 'not given' : preview(left, 80)} | ${right === undefined ? 'not given' : preview(right, 80)}`

/** JSON, or the text itself. */
const paramsOf = ({ options }: RunMade): Readonly<Record<string, string>> => {
  const params = isRecord(options) ? options.params : undefined
  if (!isRecord(params)) return {}
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
}

// The file may come from anywhere.
const jsonOf = (values: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, JSON.stringify(value) ?? 'null']))

const changedIn = (left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): Changed => {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return new Map(
    names
      .filter((name) => left[name] !== right[name])
      .map((name): [string, readonly [string | undefined, string | undefined]] => [name, [left[name], right[name]]]),
  )
}

/** That one of the runs at least had each of these params, NAME=VALUE, so that it is the change in them that is seen. */
export const requireParams = (given: readonly string[], runs: readonly RunMade[]): Result<void> => {
  for (const one of given) {
    const at = one.indexOf('=')
    if (at < 1) return fail('usage', `'${preview(one, 80)}' is not a value of a param: --set takes NAME=VALUE`)
    const [name, value] = [one.slice(0, at), one.slice(at + 1)]
    const known = runs.map((run) => paramsOf(run)[name])
    if (known.some((text) => text !== undefined && isValue(text, value))) continue
    const had = known.map((text) => (text === undefined ? 'not given' : preview(text, 80))).join(' | ')
    return fail('config_invalid', `neither run was made with '${preview(one, 80)}': '${preview(name)}' was ${had}`)
  }
  return succeed(undefined)
}

const isValue = (text: string, value: string): boolean =>
  text === value || text === JSON.stringify(value) || (isJson(value) && isJson(text) && canonicalJson(value) === canonicalJson(text))
