// Options, each said once: a row has its spelling, its help, how its text is read, its default, and which others it needs or excludes. From
// groups of rows come the parsers, the help, the values in the same groups, and the words that hand values on to another program.

import { type Fault, fault } from '../error.js'
import { again } from './option-value.js'

export interface OptionRow<Value = unknown> {
  /** In commander's notation: `-e, --eval <text>`, `--telemetry`, `--no-envelopes`. */
  readonly flags: string
  /** For the help, with the default in place of `%`; an option without one is hidden. */
  readonly text?: string | undefined
  /** Parses the value, given the value so far. Errors that it throws are reported by commander. */
  // biome-ignore lint/suspicious/noExplicitAny: each has its own kind of value, which commander does not know either.
  readonly read?: ((text: string, before: any) => unknown) | undefined
  readonly byDefault: Value
  /** The environment variable that has it where it is not given. */
  readonly variable?: string
  readonly choices?: readonly string[]
  /** Its value where it is given without one. */
  readonly preset?: string
  /** The option that says the opposite. */
  readonly opposite?: { readonly flags: string; readonly text: string }
  /** Long names of options, one of which must be given with it. */
  readonly needs?: readonly string[]
  /** Long names of options that must not be given with it. */
  readonly excludes?: readonly string[]
  /** Of its group in the help. Default: Options. */
  readonly heading?: string | undefined
}

/** The name of a row is that of its value. */
export type OptionRows = Readonly<Record<string, OptionRow>>
export type OptionGroups = Readonly<Record<string, OptionRows>>

export type ValuesOf<Rows extends OptionRows> = { readonly [Name in keyof Rows]: Rows[Name]['byDefault'] }
export type GroupsOf<Groups extends OptionGroups> = { readonly [Name in keyof Groups]: ValuesOf<Groups[Name]> }

/** By name in camel case, as commander's `opts()`. */
export type ParsedOptions = Readonly<Record<string, unknown>>

export const NO = '--no-'

/** True where it is given; one that begins with `--no-` is false then. */
export const flag = (flags: string, text?: string): OptionRow<boolean> => ({ flags, text, byDefault: flags.startsWith(NO) })

interface ValueRow {
  (flags: string, text?: string): OptionRow<string | undefined>
  <Value>(flags: string, text: string | undefined, read: (text: string, before?: Value) => Value): OptionRow<Value | undefined>
}

/** A text, or what `read` makes of it. */
export const value: ValueRow = (flags: string, text?: string, read?: OptionRow['read']) => ({ flags, text, read, byDefault: undefined })

/** All its texts in order: it may be repeated. */
export const list = (flags: string, text?: string, read = again): OptionRow<readonly string[]> => ({ flags, text, read, byDefault: [] })

export const choice = <Name extends string>(flags: string, text: string, choices: readonly Name[]): OptionRow<Name | undefined> => ({
  flags,
  text,
  choices,
  byDefault: undefined,
})

export const withDefault = <Value>(row: OptionRow<Value | undefined>, byDefault: Value): OptionRow<Value> => ({ ...row, byDefault })

export const rowsOf = (groups: OptionGroups): readonly OptionRow[] => Object.values(groups).flatMap((rows) => Object.values(rows))

/** `--max-line`. */
export const longName = (flags: string): string => flags.slice(flags.indexOf('--')).split(' ', 1)[0] as string

/** Its name in `ParsedOptions`: `maxLine`. */
export const attributeOf = (flags: string): string => {
  const [first, ...others] = longName(flags)
    .slice((flags.startsWith(NO) ? NO : '--').length)
    .split('-')
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

export const valuesOf = <Rows extends OptionRows>(rows: Rows, parsed: ParsedOptions): ValuesOf<Rows> =>
  mapped(rows, ({ flags, variable, byDefault }) => {
    const given = variable === undefined ? undefined : process.env[variable]
    const own = parsed[attributeOf(flags)]
    return (own === true && isNamedNo(flags) ? undefined : own) ?? (given || byDefault)
  }) as ValuesOf<Rows>

// Commander takes `--no-worse <share>` for one that is true where it is not given.
const isNamedNo = (flags: string): boolean => flags.startsWith(NO) && flags.includes('<')

export const groupsOf = <Groups extends OptionGroups>(groups: Groups, parsed: ParsedOptions): GroupsOf<Groups> =>
  mapped(groups, (rows) => valuesOf(rows, parsed)) as GroupsOf<Groups>

const mapped = <T>(named: Readonly<Record<string, T>>, change: (one: T) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(named).map(([name, one]) => [name, change(one)]))

/** The words of a command line that give the same values: for options whose texts are their values. */
export const optionWords = <Rows extends OptionRows>(rows: Rows, values: ValuesOf<Rows>): string[] =>
  Object.entries(rows).flatMap(([name, { flags, byDefault }]) => {
    const given: unknown = values[name]
    if (given === undefined || given === byDefault) return []
    const option = longName(flags)
    return typeof given === 'boolean' ? [option] : [given].flat().flatMap((one) => [option, String(one)])
  })

export const isGiven = ({ flags }: OptionRow, parsed: ParsedOptions): boolean => {
  const given = parsed[attributeOf(flags)]
  return given !== undefined && !(given === true && flags.startsWith(NO))
}

/** The first option that is given without one that it needs, or with one that it excludes. */
export const misusedOption = (rows: readonly OptionRow[], parsed: ParsedOptions): Fault | undefined => {
  const given = new Set(rows.filter((row) => isGiven(row, parsed)).map(({ flags }) => longName(flags)))
  for (const { flags, needs = [], excludes = [] } of rows) {
    const name = longName(flags)
    if (!given.has(name)) continue
    if (needs.length > 0 && !needs.some((one) => given.has(one))) {
      const shown = needs.filter((one) => rows.some((row) => row.text !== undefined && longName(row.flags) === one))
      return fault('usage', `${name} needs ${shown.join(' or ')}`)
    }
    const other = excludes.find((one) => given.has(one))
    if (other !== undefined) return fault('usage', `${name} and ${other} exclude each other`)
  }
  return undefined
}
