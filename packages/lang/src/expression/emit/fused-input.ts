// Where the message of a stage comes from when it is never written: the stage before it is in the same code (fuse.ts).

import type { Path } from '../../scan/scanner.js'
import type { Form } from '../infer/checked.js'

export type Part =
  /** It stands in the message that was read. */
  | { readonly kind: 'place'; readonly path: Path; readonly mayBeAbsent?: boolean }
  /** It was computed, and is in this variable as JavaScript's own value. */
  | { readonly kind: 'value'; readonly variable: string; readonly form: Form }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Part>; readonly size: number }

/** The message that was read, as it is. */
export const WHOLE: Part = { kind: 'place', path: [] }

/** Of a record in parts: beyond that what was named twice, stage after stage, would be written out too often. */
const MAX_SIZE = 1000

export const recordPart = (fields: ReadonlyMap<string, Part>): Part => {
  let size = 1
  for (const field of fields.values()) size += field.kind === 'record' ? field.size : 1
  if (size > MAX_SIZE) throw new Unfused()
  return { kind: 'record', fields, size }
}

/** Stages that cannot be written as one: thrown while their code is. */
export class Unfused {}

export const partAt = (message: Part, path: Path): Part => {
  let part = message
  for (const [i, step] of path.entries()) {
    if (part.kind === 'place') return { kind: 'place', path: [...part.path, ...path.slice(i)] }
    const field: Part | undefined = part.kind === 'record' ? part.fields.get(String(step)) : undefined
    if (!field) throw new Unfused()
    part = field
  }
  return part
}
