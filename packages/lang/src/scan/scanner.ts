// Compiles a type to a function over bytes that accepts only texts of that type and captures the wanted parts. It may refuse what the type
// accepts (escaped or repeated keys, deep nesting): then the tree decides.

export interface Scanner {
  /**
   * The whole message is `buf[start..end)`; returns `end`, or -1 for "undecided: use the tree". The bytes are valid UTF-8, and `end` is
   * inside the buffer, not its length. `captures` receives start and end of wanted path k at 2k and 2k + 1, start -1 if it is absent; after
   * them, at `absent`, the number of absent fields with a default, and for each its insertion offset and the number of the insertion, in
   * order of offset.
   */
  readonly scan: (buf: Uint8Array, start: number, end: number, captures: Int32Array) => number
  readonly absent: number
  /** The required length of `captures`. */
  readonly size: number
  /** JSON text of fields with their defaults, with a comma before where one is needed. */
  readonly insertions: readonly Buffer[]
}

/** Field names and tuple indexes from the root down. */
export type Path = readonly (string | number)[]
