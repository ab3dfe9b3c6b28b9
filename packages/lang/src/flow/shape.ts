// The labels of a value, part by part. A shape may be recursive, as a type may. A part that it does not name has the labels of the whole.

import type { CrossingAtom } from '../parse/ast.js'
import { extend, isSameTags, isTagged, type Label, NO_TAGS, type Tags, type Trail, type TrailStep, uniteTags } from './label.js'

/** Each part has at least the labels of its parent. */
export interface Shape {
  readonly tags: Tags
  readonly fields?: ReadonlyMap<string, Shape>
  /** For a list or a map. */
  readonly item?: Shape
  /** For a tuple. */
  readonly items?: readonly Shape[]
}

/** Under construction: its parts are added later, and may be itself. */
export interface OpenShape extends Shape {
  tags: Tags
  fields?: Map<string, Shape>
  item?: Shape
  items?: Shape[]
}

/** Without any label. */
export const PLAIN: Shape = { tags: NO_TAGS }

export const leaf = (tags: Tags): Shape => (isTagged(tags) ? { tags } : PLAIN)

export const fieldShape = (shape: Shape, name: string): Shape => shape.fields?.get(name) ?? shape.item ?? leaf(shape.tags)

/** Any item of a list or a tuple, any value of a map or a record. */
export const itemShape = (shape: Shape): Shape => {
  const parts = [...(shape.item ? [shape.item] : []), ...(shape.items ?? []), ...(shape.fields?.values() ?? [])]
  return parts.length === 0 ? leaf(shape.tags) : parts.reduce(joinShapes)
}

export const itemAt = (shape: Shape, index: number): Shape =>
  shape.items?.[index] ?? (shape.items ? itemShape(shape) : (shape.item ?? leaf(shape.tags)))

export const listShape = (item: Shape, tags: Tags = NO_TAGS): Shape => (item === PLAIN && !isTagged(tags) ? PLAIN : { tags, item })
export const tupleOf = (items: readonly Shape[]): Shape => (items.every((item) => item === PLAIN) ? PLAIN : { tags: NO_TAGS, items })
export const recordShape = (fields: ReadonlyMap<string, Shape>): Shape =>
  [...fields.values()].every((part) => part === PLAIN) ? PLAIN : { tags: NO_TAGS, fields }

const partsOf = ({ fields, item, items }: Shape): readonly Shape[] => [
  ...(fields?.values() ?? []),
  ...(item ? [item] : []),
  ...(items ?? []),
]

/** Calls `look` with each part once. */
const visit = (shape: Shape, look: (part: Shape) => void): void => {
  const seen = new Set([shape])
  for (const part of seen) {
    look(part)
    for (const inner of partsOf(part)) seen.add(inner)
  }
}

/** The union of the labels of all its parts. */
export const flat = (shape: Shape): Tags => {
  let tags = NO_TAGS
  visit(shape, (part) => {
    tags = uniteTags(tags, part.tags)
  })
  return tags
}

type Product = (a: Shape, b: Shape) => Shape

// Combines two shapes part by part, with `tagsOf` on the labels of both.
const product = (tagsOf: (a: Tags, b: Tags) => Tags): Product => {
  const made = new Map<Shape, Map<Shape, Shape>>()
  const pair: Product = (a, b) => {
    const row = made.get(a) ?? new Map<Shape, Shape>()
    made.set(a, row)
    const known = row.get(b)
    if (known) return known
    const shape: OpenShape = { tags: tagsOf(a.tags, b.tags) }
    row.set(b, shape)
    if (a.fields || b.fields) {
      const names = new Set([...(a.fields?.keys() ?? []), ...(b.fields?.keys() ?? [])])
      shape.fields = new Map()
      for (const name of names) shape.fields.set(name, pair(fieldShape(a, name), fieldShape(b, name)))
    }
    const areTuples = (x: Shape, y: Shape) => x.items !== undefined && !y.item && (!y.items || y.items.length === x.items.length)
    if (areTuples(a, b) || areTuples(b, a)) {
      const length = (a.items ?? b.items ?? []).length
      shape.items = Array.from({ length }, (_, i) => pair(itemAt(a, i), itemAt(b, i)))
    } else if (a.item || b.item || a.items || b.items) shape.item = pair(elementIn(a), elementIn(b))
    return shape
  }
  return pair
}

const elementIn = (shape: Shape): Shape =>
  shape.item ?? (shape.items ? itemShape({ tags: shape.tags, items: shape.items }) : leaf(shape.tags))

/** One value or the other. */
export const joinShapes: Product = (a, b) => {
  if (a === b || b === PLAIN) return a
  if (a === PLAIN) return b
  if (isSame(a, b)) return a
  return product(uniteTags)(a, b)
}

/** The labels of `declared`, with the paths of `actual` where it has them. */
export const overlay = (declared: Shape, actual: Shape): Shape =>
  declared === PLAIN
    ? PLAIN
    : product((own, real) => ({
        untrusted: own.untrusted && (real.untrusted ?? own.untrusted),
        open: own.open && (real.open ?? own.open),
        secret: own.secret && (real.secret ?? own.secret),
      }))(declared, actual)

/** Replaces the labels of each part. */
const change = (shape: Shape, tagsOf: (tags: Tags) => Tags): Shape => {
  if (shape === PLAIN) return PLAIN
  const made = new Map<Shape, Shape>()
  const copy = (part: Shape): Shape => {
    if (part === PLAIN) return PLAIN
    const known = made.get(part)
    if (known) return known
    const shape: OpenShape = { tags: tagsOf(part.tags) }
    made.set(part, shape)
    if (part.fields) shape.fields = new Map([...part.fields].map(([name, inner]) => [name, copy(inner)]))
    if (part.item) shape.item = copy(part.item)
    if (part.items) shape.items = part.items.map(copy)
    return shape
  }
  const changed = copy(shape)
  return isTagged(flat(changed)) ? changed : PLAIN
}

export const through = (shape: Shape, step: TrailStep): Shape => change(shape, (tags) => (isTagged(tags) ? extend(tags, step) : tags))

/** At every depth. */
export const without = (shape: Shape, label: Label): Shape =>
  change(shape, ({ untrusted, open, secret }) => (label === 'untrusted' ? { secret } : { untrusted, open }))

/** endorse and declassify remove their label, at every depth. */
export const crossed = (shape: Shape, { kind }: CrossingAtom): Shape => without(shape, kind === 'endorse' ? 'untrusted' : 'secret')

/** Whether they are equal, with paths of the same length. */
export const isSame = (a: Shape, b: Shape): boolean => {
  const seen = new Map<Shape, Set<Shape>>()
  const pair = (a: Shape, b: Shape): boolean => {
    if (a === b) return true
    const row = seen.get(a) ?? new Set<Shape>()
    seen.set(a, row)
    if (row.has(b)) return true
    row.add(b)
    if (!isSameTags(a.tags, b.tags) || !a.item !== !b.item || a.items?.length !== b.items?.length || a.fields?.size !== b.fields?.size)
      return false
    if (a.item && b.item && !pair(a.item, b.item)) return false
    if (!(a.items ?? []).every((item, i) => pair(item, itemAt(b, i)))) return false
    return [...(a.fields ?? [])].every(([name, field]) => b.fields?.has(name) && pair(field, fieldShape(b, name)))
  }
  return pair(a, b)
}

/** A part with a forbidden label. */
export interface LabelViolation {
  readonly label: Label
  readonly trail: Trail
  /** As in `.posts[].body`; empty for the whole. */
  readonly path: string
}

/** For each label the part with the shortest path. */
export const violationsOf = (source: Shape, allowed: Shape): readonly LabelViolation[] => {
  const found = new Map<Label, LabelViolation>()
  const seen = new Map<Shape, Set<Shape>>()
  const note = (label: Label, trail: Trail | undefined, isAllowed: boolean, path: string) => {
    const known = found.get(label)
    if (trail && !isAllowed && (!known || trail.length < known.trail.length)) found.set(label, { label, trail, path })
  }
  const pair = (a: Shape, b: Shape, path: string): void => {
    const row = seen.get(a) ?? new Set<Shape>()
    seen.set(a, row)
    if (row.has(b)) return
    row.add(b)
    note('untrusted', a.tags.untrusted, b.tags.untrusted !== undefined, path)
    note('secret', a.tags.secret, b.tags.secret !== undefined, path)
    for (const [name, field] of a.fields ?? []) pair(field, fieldShape(b, name), `${path}.${name}`)
    if (a.item) pair(a.item, b.item ?? elementIn(b), `${path}[]`)
    for (const [i, item] of (a.items ?? []).entries()) pair(item, itemAt(b, i), `${path}[${i}]`)
    // A part without subparts is compared with each of the other's, some of which may allow less.
    for (const name of b.fields?.keys() ?? []) if (!a.fields?.has(name)) pair(fieldShape(a, name), fieldShape(b, name), `${path}.${name}`)
    if (b.item && !a.item && !a.items && !a.fields) pair(leaf(a.tags), b.item, `${path}[]`)
  }
  pair(source, allowed, '')
  return [...found.values()]
}
