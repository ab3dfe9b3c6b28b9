// What a script says, once read. The words of Weizenbaum's article are kept: keyword, decomposition, reassembly.

/**
 * One term of a decomposition. A `count` of 0 is any number of words; `one-of` is one word that
 * is in any of the sets, written (*A B) or (/TAG).
 */
export type Term =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'one-of'; readonly sets: readonly ReadonlySet<string>[] }

/** Words to say; a number stands for that part of the decomposed text, from 1. */
export type ReplyTemplate = readonly (string | number)[]

export type Reassembly =
  | { readonly kind: 'text'; readonly template: ReplyTemplate }
  | { readonly kind: 'link'; readonly key: string }
  | { readonly kind: 'pre'; readonly template: ReplyTemplate; readonly key: string }
  | { readonly kind: 'newkey' }

export interface Decomposition {
  readonly terms: readonly Term[]
  /** Never empty. */
  readonly reassemblies: readonly Reassembly[]
}

export interface ScriptRule {
  readonly keyword: string
  readonly line: number
  readonly substitute: string | undefined
  readonly precedence: number
  readonly tags: readonly string[]
  readonly decompositions: readonly Decomposition[]
  readonly link: string | undefined
  /** Whether the keyword leads to a reply, and so may wait on the key stack; the others only substitute or bear tags. */
  readonly canReply: boolean
}

export interface MemoryRule {
  readonly keyword: string
  readonly line: number
  /** Exactly four; the hash of a word picks one. */
  readonly transformations: readonly { readonly terms: readonly Term[]; readonly template: ReplyTemplate }[]
}

export interface ElizaScript {
  readonly greeting: string
  /** By keyword, in written order; neither NONE nor MEMORY is among them, so that no input can meet those. */
  readonly rules: ReadonlyMap<string, ScriptRule>
  readonly none: ScriptRule
  readonly memory: MemoryRule
  /** Tag to the keywords that bear it. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>
}
