// Parses common command lines without commander, which costs a tenth of Node's own start. Commander is loaded for help and for errors.

export interface OptionLine {
  /** In commander's notation: `-e, --eval <text>`, `--telemetry`, `--no-envelopes`. */
  readonly flags: string
  /** For the help; an option without one is hidden. */
  readonly text?: string
  /** Parses the value, given the value so far. Errors that it throws are reported by commander. */
  // biome-ignore lint/suspicious/noExplicitAny: each has its own kind of value, which commander does not know either.
  readonly read?: (text: string, before: any) => unknown
}

export interface PlainArguments<Values> {
  /** By name in camel case, as commander's `opts()`. */
  readonly values: Values
  readonly operands: readonly string[]
}

/** Undefined: the command line needs commander, which otherwise gives the same result. */
export const parsePlainArguments = <Values>(
  options: readonly OptionLine[],
  argv: readonly string[],
  maxOperands: number,
): PlainArguments<Values> | undefined => {
  const values: Record<string, unknown> = {}
  for (const { flags } of options) if (flags.startsWith(NO)) values[keyOf(flags)] = true
  const operands: string[] = []
  const words = [...argv]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') {
      operands.push(...words)
      break
    }
    if (word.length < 2 || !word.startsWith('-')) {
      operands.push(word)
      continue
    }
    // Several short options in one word: takes the first, and leaves the rest for the next round.
    const isCluster = word.length > 2 && word[1] !== '-'
    const name = isCluster ? word.slice(0, 2) : word
    const option = options.find(({ flags }) => hasName(flags, name))
    if (!option || (isCluster && takesText(option))) return undefined
    if (isCluster) words.unshift(`-${word.slice(2)}`)
    const key = keyOf(option.flags)
    const value = takesText(option) ? valueOf(option, words.shift(), values[key]) : !option.flags.startsWith(NO)
    if (value === undefined) return undefined
    values[key] = value
  }
  // The table of options determines the type of the values.
  return operands.length > maxOperands ? undefined : { values: values as Values, operands }
}

const NO = '--no-'

const hasName = (flags: string, name: string): boolean => {
  const at = flags.indexOf(name)
  return at >= 0 && isEdge(flags[at - 1]) && isEdge(flags[at + name.length]) && ![...name].some(isEdge)
}

const isEdge = (character: string | undefined): boolean => character === undefined || character === ' ' || character === ','

const takesText = ({ flags }: OptionLine): boolean => flags.endsWith('>')

const valueOf = ({ read }: OptionLine, text: string | undefined, before: unknown): unknown => {
  if (text === undefined || !read) return text
  try {
    return read(text, before)
  } catch {
    return undefined
  }
}

const keyOf = (flags: string): string => {
  const long = flags.slice(flags.indexOf('--') + 2).split(' ', 1)[0] as string
  const [first, ...others] = (flags.startsWith(NO) ? long.slice(3) : long).split('-')
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
