// The schema of a tool in the form that a provider takes. It only becomes looser: a call is checked against the schema of the tool itself.

import type { Json } from '@plumb/lang'
import { isRecord } from '@plumb/wire'
import { resolveReference, withObjectAtTop } from './top-level.js'
import { type Lost, type Schema, wellFormed } from './well-formed.js'

export interface FittedSchema {
  readonly schema: Schema
  /** What it no longer says, for people. */
  readonly lost: readonly string[]
  /** It had alternatives at the top: a field is as the one that has it says, and another alternative may take more there. */
  readonly isFolded: boolean
}

/** `names`: those that properties may have. Undefined: any. */
export const fitToolSchema = (schema: Schema, names: RegExp | undefined): FittedSchema => {
  const lost = new Set<string>()
  const note: Lost = (what) => lost.add(what)
  const isFolded = schema.anyOf !== undefined || schema.oneOf !== undefined || schema.$ref !== undefined || schema.allOf !== undefined
  const top = withObjectAtTop(wellFormed(schema, { lost: note, names }), note)
  return { schema: withKnownReferences(top, note), lost: [...lost], isFolded }
}

/** References into what is no longer there become anything. */
const withKnownReferences = (root: Schema, lost: Lost): Schema => {
  const text = JSON.stringify(root)
  if (!text.includes('Ref"') && !text.includes('"$ref"')) return root
  const isKnown = (reference: string): boolean =>
    resolveReference(reference, root) !== undefined || ANCHORS.some((anchor) => text.includes(`"${anchor}":"${reference.slice(1)}"`))
  const copy = (part: Json): Json => {
    if (Array.isArray(part)) return part.map(copy)
    if (!isRecord(part)) return part
    const kept = Object.entries(part as Schema).filter(([key, value]) => {
      const isGone = REFERENCES.includes(key) && typeof value === 'string' && !isKnown(value)
      if (isGone) lost(`'${value}', which it refers to`)
      return !isGone
    })
    return Object.fromEntries(kept.map(([key, value]) => [key, copy(value)]))
  }
  return copy(root) as Schema
}

const REFERENCES: readonly string[] = ['$ref', '$dynamicRef']
const ANCHORS: readonly string[] = ['$anchor', '$dynamicAnchor']
