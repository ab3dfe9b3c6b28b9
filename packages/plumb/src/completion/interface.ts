// What can be completed for an executable, from its help.

/** The kind of value at a position of a command line. */
export type ArgumentKind =
  | { readonly kind: 'files' | 'directories' | 'programs' | 'specs' | 'names' | 'text' }
  | { readonly kind: 'words'; readonly words: readonly string[] }

export interface OptionInterface {
  /** `-o`. */
  readonly short?: string
  /** `--output`. */
  readonly long?: string
  readonly does: string
  readonly value?: ArgumentKind
}

export interface CommandInterface {
  readonly name: string
  readonly does: string
  readonly options: readonly OptionInterface[]
  /** The first operand, if it is of another kind than the following ones. */
  readonly first?: ArgumentKind
  readonly operand: ArgumentKind
}

export interface ExecutableInterface extends CommandInterface {
  readonly commands: readonly CommandInterface[]
}

export const dashed = ({ short, long }: OptionInterface): string[] => [short, long].filter((name) => name !== undefined)
