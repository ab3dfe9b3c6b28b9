// The verbs of plumb-tool, with their numbers of words and the options that only they take.

export type VerbName = 'list' | 'schema' | 'call' | 'serve' | 'find' | 'test' | 'sandbox'

export interface Verb {
  readonly name: VerbName
  /** As help shows them. */
  readonly words: string
  readonly says: string
  readonly least: number
  readonly most: number
  /** Long names of options that other verbs may not have; unlisted options are for all. */
  readonly options: readonly string[]
}

const MANY = 1000

export const VERBS: readonly Verb[] = [
  { name: 'list', words: '', says: 'the tools, as a table or as JSON Lines', least: 0, most: 0, options: ['json'] },
  { name: 'schema', words: 'NAME', says: 'a tool as a model sees it', least: 1, most: 1, options: [] },
  {
    name: 'call',
    words: 'NAME [JSON | -]',
    says: 'call a tool, or with - once for each line of input',
    least: 1,
    most: 2,
    options: ['envelope', 'rawInput', 'rawOutput', 'slurp', 'check', 'traceSandbox', 'maxLine'],
  },
  { name: 'serve', words: '', says: 'answer requests, one a line', least: 0, most: 0, options: ['fds', 'offers', 'telemetry', 'maxLine'] },
  {
    name: 'find',
    words: '[WORD ...]',
    says: 'tools by words, or by types the shortest chain',
    least: 0,
    most: MANY,
    options: ['from', 'to', 'json'],
  },
  { name: 'test', words: '', says: 'try the laws of composition on the tools', least: 0, most: 0, options: ['seed'] },
  { name: 'sandbox', words: '', says: 'what there is to hold programs, and tries ways out', least: 0, most: 0, options: ['json'] },
]

export const verbNamed = (name: string | undefined): Verb | undefined => VERBS.find((verb) => verb.name === name)

/** The option that this verb does not take. */
export const strayOption = (
  verb: Verb,
  given: readonly string[],
): { readonly option: string; readonly verbs: readonly string[] } | undefined => {
  for (const option of given) {
    const verbs = VERBS.filter(({ options }) => options.includes(option)).map(({ name }) => name)
    if (verbs.length > 0 && !verbs.includes(verb.name)) return { option, verbs }
  }
  return undefined
}
