// A type → a function over bytes that accepts only texts of that type and notes where the wanted parts stand.
// It may refuse what the type accepts (escaped or repeated keys, deep nesting): the tree decides then.

export interface Scanner {
  /**
   * The whole message is `buf[start..end)`; gives `end`, or -1 for "not sure: ask the tree". The bytes are valid UTF-8, and `end`
   * is inside the buffer, not its length. `captures` receives start and end of wanted path k at 2k and 2k + 1, start -1 where it is
   * absent; behind them, at `absent`, how many fields with a default are absent, and for each the place where it is to be
   * inserted and the number of the insertion, in order of place.
   */
  readonly scan: (buf: Uint8Array, start: number, end: number, captures: Int32Array) => number
  readonly absent: number
  /** How long `captures` has to be. */
  readonly size: number
  /** JSON text of fields with their defaults, with a comma before where one is needed. */
  readonly insertions: readonly Buffer[]
}

/** Field names and tuple indexes from the root down. */
export type Path = readonly (string | number)[]
