// A JSON text as a tree of spans over its bytes, and the JavaScript values of its nodes.

/** A JSON value, as JavaScript has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Byte offsets into the parsed buffer, half-open, without white space around the value. */
export interface Extent {
  readonly start: number
  readonly end: number
}
export type Tree = ObjectTree | ArrayTree | ScalarTree
export interface ObjectTree extends Extent {
  readonly kind: 'object'
  /** One entry for each key, in order of first occurrence. Of several values for one key, the last counts (plumb-wire(5), Lines). */
  readonly entries: readonly TreeEntry[]
}
export interface TreeEntry {
  /** Without quotes and escapes. */
  readonly key: string
  readonly node: Tree
  /** The key was there before, with another value. */
  readonly isRepeated?: boolean
}
export interface ArrayTree extends Extent {
  readonly kind: 'array'
  readonly items: readonly Tree[]
}
export interface ScalarTree extends Extent {
  readonly kind: 'string' | 'number' | 'true' | 'false' | 'null'
}
export interface TreeFault {
  readonly kind: 'fault'
  readonly error: 'invalid_json' | 'too_deep'
  /** Byte offset into the buffer. */
  readonly offset: number
  /** In code points, from 1 at `start`. */
  readonly column: number
  /** What was expected, where, and what was found. */
  readonly detail: string
}

/**
 * The JavaScript value: numbers are doubles, objects have no prototype, so that `__proto__` and `constructor` are ordinary keys and a
 * missing key reads as undefined.
 */
export const valueOf = (node: Tree, buf: Buffer): Json => {
  switch (node.kind) {
    case 'object': {
      const object: { [key: string]: Json } = Object.create(null)
      for (const entry of node.entries) object[entry.key] = valueOf(entry.node, buf)
      return object
    }
    case 'array':
      return node.items.map((item) => valueOf(item, buf))
    case 'string':
      return stringOf(node, buf)
    case 'number':
      return Number(buf.toString('latin1', node.start, node.end))
    case 'null':
      return null
    default:
      return node.kind === 'true'
  }
}

/** The text of a string node, without quotes and escapes. */
export const stringOf = (node: Extent, buf: Buffer): string => {
  const text = buf.toString('utf8', node.start + 1, node.end - 1)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}
