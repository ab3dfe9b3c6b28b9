// The origin of a stage's message that is never written: the stage before it is in the same code (fuse.ts).

import type { Path } from '../../scan/scanner.js'
import type { Form } from '../infer/checked.js'
import type { Local } from '../infer/environment.js'

export type FusedInput =
  | PlacedInput
  | ComputedInput
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, FusedInput>; readonly size: number }

/** It was computed, and is in this variable as a JavaScript value. */
export interface ComputedInput {
  readonly kind: 'value'
  readonly variable: string
  readonly form: Form
}

/** It is a part of the original message, or of the value of a local. */
export interface PlacedInput {
  readonly kind: 'place'
  readonly root?: Local | undefined
  readonly path: Path
  readonly mayBeAbsent?: boolean
}

/** The original message, unchanged. */
export const WHOLE: FusedInput = { kind: 'place', path: [] }

/** The maximum size of a record in parts: a part that is named twice, stage after stage, would be duplicated too often. */
const MAX_SIZE = 1000

export const recordInput = (fields: ReadonlyMap<string, FusedInput>): FusedInput => {
  let size = 1
  for (const field of fields.values()) size += field.kind === 'record' ? field.size : 1
  if (size > MAX_SIZE) throw new CannotFuse()
  return { kind: 'record', fields, size }
}

/** Thrown while code is generated for stages that cannot be fused. */
export class CannotFuse {}

export const inputAt = (message: FusedInput, path: Path): FusedInput => {
  let input = message
  for (const [i, step] of path.entries()) {
    if (input.kind === 'place') return { kind: 'place', root: input.root, path: [...input.path, ...path.slice(i)] }
    const field: FusedInput | undefined = input.kind === 'record' ? input.fields.get(String(step)) : undefined
    if (!field) throw new CannotFuse()
    input = field
  }
  return input
}
