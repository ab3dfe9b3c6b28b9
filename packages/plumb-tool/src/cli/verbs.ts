// The verbs of plumb-tool, with their numbers of words.

export type VerbName = 'list' | 'schema' | 'call' | 'serve' | 'find' | 'skill' | 'test' | 'sandbox'

export interface Verb {
  readonly name: VerbName
  /** As help shows them. */
  readonly words: string
  readonly says: string
  readonly least: number
  readonly most: number
}

const MANY = 1000

export const VERBS: readonly Verb[] = [
  { name: 'list', words: '', says: 'the tools, as a table or as JSON Lines', least: 0, most: 0 },
  { name: 'schema', words: 'NAME', says: 'a tool as a model sees it', least: 1, most: 1 },
  {
    name: 'call',
    words: 'NAME [JSON | -]',
    says: 'call a tool, or with - once for each line of input',
    least: 1,
    most: 2,
  },
  { name: 'serve', words: '', says: 'answer requests, one a line', least: 0, most: 0 },
  {
    name: 'find',
    words: '[WORD ...]',
    says: 'tools by words, or by types the shortest chain',
    least: 0,
    most: MANY,
  },
  { name: 'skill', words: 'NAME [FILE]', says: 'what a model gets of a skill', least: 1, most: 2 },
  { name: 'test', words: '', says: 'try the laws of composition on the tools', least: 0, most: 0 },
  { name: 'sandbox', words: '', says: 'what there is to hold programs, and tries ways out', least: 0, most: 0 },
]

export const verbNamed = (name: string | undefined): Verb | undefined => VERBS.find((verb) => verb.name === name)
