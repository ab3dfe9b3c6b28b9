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
  /** The type that labels it so, if each of its values fits that: the labels of variants, which a shape mixes, fit those of the same type. */
  readonly origin?: string | undefined
}

/** Under construction: its parts are added later, and may be itself. */
export interface OpenShape extends Shape {
  tags: Tags
  fields?: Map<string, Shape>
  item?: Shape
  items?: Shape[]
  origin?: string | undefined
}

/** Without any label. */
export const PLAIN: Shape = { tags: NO_TAGS }

/** The same one for the same labels, so that what is made of it is recognized. */
export const leaf = (tags: Tags): Shape => {
  if (!isTagged(tags)) return PLAIN
  const known = leaves.get(tags)
  if (known) return known
  const made = { tags }
  leaves.set(tags, made)
  return made
}

const leaves = new WeakMap<Tags, Shape>()

export const fieldShape = (shape: Shape, name: string): Shape => shape.fields?.get(name) ?? shape.item ?? leaf(shape.tags)

export const listShape = (item: Shape, tags: Tags = NO_TAGS): Shape => (item === PLAIN && !isTagged(tags) ? PLAIN : { tags, item })
export const tupleOf = (items: readonly Shape[]): Shape => (items.every((item) => item === PLAIN) ? PLAIN : { tags: NO_TAGS, items })
export const recordShape = (fields: ReadonlyMap<string, Shape>): Shape =>
  [...fields.values()].every((part) => part === PLAIN) ? PLAIN : { tags: NO_TAGS, fields }

/** Of a record the fields that are kept; what the shape does not name has the labels of the whole. */
export const withFields = (shape: Shape, isKept: (name: string) => boolean): Shape => {
  if (!shape.fields) return shape
  const fields = new Map([...shape.fields].filter(([name]) => isKept(name)))
  const isPlain = !isTagged(shape.tags) && !shape.item && !shape.items && [...fields.values()].every((part) => part === PLAIN)
  return isPlain ? PLAIN : { ...shape, fields, origin: undefined }
}

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

/** Replaces the labels of each part. `isLike`: they remain the same ones. */
const change = (shape: Shape, isLike: boolean, tagsOf: (tags: Tags) => Tags): Shape => {
  if (shape === PLAIN) return PLAIN
  const made = new Map<Shape, OpenShape>()
  const copyOf = (part: Shape): Shape => {
    if (part === PLAIN) return PLAIN
    const known = made.get(part)
    if (known) return known
    const copy: OpenShape = { tags: tagsOf(part.tags), origin: isLike ? part.origin : undefined }
    made.set(part, copy)
    return copy
  }
  const changed = copyOf(shape)
  // A map iterates over entries that are added meanwhile.
  for (const [part, copy] of made) {
    if (part.fields) copy.fields = new Map([...part.fields].map(([name, inner]) => [name, copyOf(inner)]))
    if (part.item) copy.item = copyOf(part.item)
    if (part.items) copy.items = part.items.map(copyOf)
  }
  return isTagged(flat(changed)) ? changed : PLAIN
}

export const through = (shape: Shape, step: TrailStep): Shape => change(shape, true, (tags) => (isTagged(tags) ? extend(tags, step) : tags))

/** At every depth. */
export const without = (shape: Shape, label: Label): Shape =>
  change(shape, false, ({ untrusted, open, secret }) => (label === 'untrusted' ? { secret } : { untrusted, open }))

/** endorse and declassify remove their label, at every depth. */
export const crossed = (shape: Shape, { kind }: CrossingAtom): Shape => without(shape, kind === 'endorse' ? 'untrusted' : 'secret')

/** Whether they are equal, with paths of the same length. */
export const isSame = (a: Shape, b: Shape): boolean => {
  const pairs = new Pairs()
  pairs.add(a, b)
  for (const [a, b] of pairs) {
    const areLike = !a.item === !b.item && a.items?.length === b.items?.length && a.fields?.size === b.fields?.size
    if (!areLike || a.origin !== b.origin || !isSameTags(a.tags, b.tags)) return false
    if (a.item && b.item) pairs.add(a.item, b.item)
    for (const [i, item] of (a.items ?? []).entries()) pairs.add(item, b.items?.[i] ?? PLAIN)
    for (const [name, field] of a.fields ?? []) {
      const other = b.fields?.get(name)
      if (!other) return false
      pairs.add(field, other)
    }
  }
  return true
}

/** Each pair once, with those that are added meanwhile: shapes may be deeper than the stack. */
class Pairs {
  readonly #seen = new Map<Shape, Set<Shape>>()
  readonly #list: (readonly [Shape, Shape, string])[] = []

  add(a: Shape, b: Shape, path = ''): void {
    const row = this.#seen.get(a) ?? new Set<Shape>()
    this.#seen.set(a, row)
    if (row.has(b)) return
    row.add(b)
    this.#list.push([a, b, path])
  }

  [Symbol.iterator](): Iterator<readonly [Shape, Shape, string]> {
    return this.#list.values()
  }
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
  const note = (label: Label, trail: Trail | undefined, isAllowed: boolean, path: string) => {
    const known = found.get(label)
    if (trail && !isAllowed && (!known || trail.length < known.trail.length)) found.set(label, { label, trail, path })
  }
  const pairs = new Pairs()
  pairs.add(source, allowed)
  for (const [a, b, path] of pairs) {
    if (a.origin !== undefined && a.origin === b.origin) continue
    note('untrusted', a.tags.untrusted, b.tags.untrusted !== undefined, path)
    note('secret', a.tags.secret, b.tags.secret !== undefined, path)
    for (const [name, field] of a.fields ?? []) pairs.add(field, fieldShape(b, name), `${path}.${name}`)
    // It may come to each of the elements, some of which may allow less.
    const elements = b.item ? [b.item] : (b.items ?? [leaf(b.tags)])
    if (a.item) for (const each of elements) pairs.add(a.item, each, `${path}[]`)
    for (const [i, item] of (a.items ?? []).entries())
      for (const each of b.items && i < b.items.length ? [b.items[i] ?? PLAIN] : elements) pairs.add(item, each, `${path}[${i}]`)
    // So may a part without subparts to each of the other's.
    for (const name of b.fields?.keys() ?? [])
      if (!a.fields?.has(name)) pairs.add(fieldShape(a, name), fieldShape(b, name), `${path}.${name}`)
    if ((b.item || b.items) && !a.item && !a.items && !a.fields) for (const each of elements) pairs.add(leaf(a.tags), each, `${path}[]`)
  }
  return [...found.values()]
}
