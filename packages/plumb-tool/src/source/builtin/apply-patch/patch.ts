// The syntax tree of a patch: sections for files, hunks for positions in them.

export interface HunkLine {
  /** ` ` context, `-` removed, `+` added. */
  readonly sign: ' ' | '-' | '+'
  readonly text: string
  /** Entirely empty in the patch, without even the space of its sign. */
  readonly isBare?: true
}

export interface Hunk {
  /** Line of the patch, from 1, at which the hunk begins. */
  readonly line: number
  /** Line of the patch of the first of its `lines`. */
  readonly first: number
  readonly anchors: readonly string[]
  readonly lines: readonly HunkLine[]
  /** Has `*** End of File`: its last line is the last of the file. */
  readonly isAtEnd: boolean
}

interface AnySection {
  readonly line: number
  readonly path: string
  /** Where the here-document of the patch goes first. */
  readonly directory?: string
}

export type Section =
  | (AnySection & {
      readonly kind: 'add'
      readonly lines: readonly string[]
      /** No newline at the end, in the words of a diff. */
      readonly isOpen?: true
    })
  | (AnySection & { readonly kind: 'delete' })
  | (AnySection & { readonly kind: 'update'; readonly moveTo: string | undefined; readonly hunks: readonly Hunk[] })
