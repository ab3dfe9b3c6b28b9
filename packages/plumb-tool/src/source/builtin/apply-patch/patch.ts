// The syntax tree of a patch: sections for files, hunks for positions in them.

export interface HunkLine {
  /** ` ` context, `-` removed, `+` added. */
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

export interface Hunk {
  /** Line of the patch, from 1, at which the hunk begins. */
  readonly line: number
  readonly anchors: readonly string[]
  readonly lines: readonly HunkLine[]
  /** Has `*** End of File`: its last line is the last of the file. */
  readonly isAtEnd: boolean
}

export type Section =
  | { readonly kind: 'add'; readonly line: number; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly line: number; readonly path: string }
  | {
      readonly kind: 'update'
      readonly line: number
      readonly path: string
      readonly moveTo: string | undefined
      readonly hunks: readonly Hunk[]
    }
