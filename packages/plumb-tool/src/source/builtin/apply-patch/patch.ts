// A patch as it was written: sections for files, hunks for places in them.

export interface HunkLine {
  /** ` ` stays, `-` goes, `+` comes. */
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

export interface Hunk {
  /** Of the patch, counted from 1: where the hunk begins. */
  readonly line: number
  readonly anchors: readonly string[]
  readonly lines: readonly HunkLine[]
  /** `*** End of File`: its last line is the last of the file. */
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
