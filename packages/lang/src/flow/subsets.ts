// The shape of a value that may be any of several. What it may be is followed together, each set of possibilities once: so recursion ends,
// at every depth all of them count, and none hides another.

import { isTagged, type Tags } from './label.js'
import { type OpenShape, PLAIN, type Shape } from './shape.js'

/** One thing that a value may be. `S`: what a part of it may be. */
export interface View<S> {
  readonly tags: Tags
  readonly names: Iterable<string>
  /** Undefined: it has no such field. */
  field(name: string): S | undefined
  /** The elements of a list, a map or a tuple. */
  readonly elements?: readonly S[]
  /** For a tuple its elements, in order. */
  readonly isTuple?: boolean
  /** What one has as an element if it is not known to have any, as `json`. */
  readonly otherwise?: S | undefined
}

export interface Following<S> {
  /** Equal for what is equal. */
  readonly idOf: (part: S) => string | number
  /** Names and sums are followed to what they stand for. */
  readonly viewsOf: (part: S) => readonly View<S>[]
  readonly tagsOf: (views: readonly View<S>[]) => Tags
  readonly originOf: (parts: readonly S[], key: string) => string | undefined
  /** A finished shape for these, which is not followed. */
  readonly known?: (parts: readonly S[]) => Shape | undefined
  /** For more sets than a program by hand has: stands for all of them. */
  readonly coarse: () => Shape
}

const MAX_SETS = 2000

export const followSets = <S>(start: readonly S[], { idOf, viewsOf, tagsOf, originOf, known, coarse }: Following<S>): Shape => {
  const made = new Map<string, OpenShape>()
  const labelled = new Set<OpenShape>()
  const waiting: (readonly [OpenShape, readonly S[]])[] = []
  const shapeOf = (parts: readonly S[]): Shape => {
    const each = new Map(parts.map((part) => [idOf(part), part]))
    const finished = known?.([...each.values()])
    if (finished) return finished
    const key = [...each.keys()].sort().join(' ')
    const found = made.get(key)
    if (found) return found
    const shape: OpenShape = { tags: {}, origin: originOf([...each.values()], key) }
    made.set(key, shape)
    waiting.push([shape, [...each.values()]])
    return shape
  }
  const root = shapeOf(start)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (made.size > MAX_SETS) return coarse()
    const [shape, parts] = next
    const views = parts.flatMap(viewsOf)
    fill(shape, views, tagsOf, shapeOf)
    if (views.some(({ tags }) => isTagged(tags))) labelled.add(shape)
  }
  return prune(root, [...made.values()], labelled)
}

const fill = <S>(shape: OpenShape, views: readonly View<S>[], tagsOf: Following<S>['tagsOf'], shapeOf: (parts: readonly S[]) => Shape) => {
  shape.tags = tagsOf(views)
  const names = new Set(views.flatMap(({ names }) => [...names]))
  if (names.size > 0) {
    shape.fields = new Map([...names].map((name) => [name, shapeOf(views.flatMap((view) => view.field(name) ?? []))]))
  }
  const lists = views.filter(({ elements }) => elements)
  const [first] = lists
  if (!first) return
  const elementsOf = ({ elements, otherwise }: View<S>): readonly S[] => elements ?? (otherwise === undefined ? [] : [otherwise])
  const length = first.elements?.length
  if (lists.every(({ isTuple, elements }) => isTuple && elements?.length === length)) {
    shape.items = (first.elements ?? []).map((_, i) => shapeOf(views.flatMap((v) => v.elements?.[i] ?? elementsOf(v))))
  } else shape.item = shapeOf(views.flatMap(elementsOf))
}

// What has no label, nor any part that has one, is plain.
const prune = (root: Shape, made: readonly OpenShape[], labelled: Set<OpenShape>): Shape => {
  const own = new Set<Shape>(made)
  const isLabelled = (part: Shape): boolean => (own.has(part) ? labelled.has(part as OpenShape) : part !== PLAIN)
  for (let before = -1; before !== labelled.size; ) {
    before = labelled.size
    for (const shape of made.toReversed()) {
      const { fields, item, items } = shape
      if ([...(fields?.values() ?? []), ...(item ? [item] : []), ...(items ?? [])].some(isLabelled)) labelled.add(shape)
    }
  }
  const kept = (part: Shape): Shape => (isLabelled(part) ? part : PLAIN)
  for (const shape of labelled) {
    if (shape.fields) shape.fields = new Map([...shape.fields].map(([name, part]) => [name, kept(part)]))
    if (shape.item) shape.item = kept(shape.item)
    if (shape.items) shape.items = shape.items.map(kept)
  }
  return kept(root)
}
