// Shapes of one value or another, and of what is declared over what is there.

import { NO_TAGS, type Tags, uniteTags } from './label.js'
import { fieldShape, flat, isSame, leaf, PLAIN, type Shape } from './shape.js'
import { followSets, type View } from './subsets.js'

const ids = new WeakMap<Shape, number>()
let count = 0

const idOf = (shape: Shape): number => {
  const known = ids.get(shape)
  if (known !== undefined) return known
  ids.set(shape, ++count)
  return count
}

const viewOf = <S>(shape: Shape, as: (part: Shape) => S): View<S> => {
  const elements = shape.item ? [shape.item] : shape.items
  return {
    tags: shape.tags,
    names: shape.fields?.keys() ?? [],
    field: (name) => as(fieldShape(shape, name)),
    ...(elements ? { elements: elements.map(as) } : {}),
    isTuple: shape.items !== undefined,
    otherwise: as(leaf(shape.tags)),
  }
}

const tagsOfAll = (views: readonly { readonly tags: Tags }[]): Tags => views.map(({ tags }) => tags).reduce(uniteTags, NO_TAGS)

const commonOrigin = (shapes: readonly Shape[]): string | undefined => {
  const [first = PLAIN, ...others] = shapes.filter((shape) => shape !== PLAIN)
  return others.every(({ origin }) => origin === first.origin) ? first.origin : undefined
}

/** Any of these values. */
const joinAll = (shapes: readonly Shape[]): Shape => {
  const [first = PLAIN, ...others] = shapes.filter((shape) => shape !== PLAIN)
  if (others.every((other) => other === first || isSame(first, other))) return first
  const joined = followSets<Shape>(shapes, {
    idOf,
    viewsOf: (shape) => [viewOf(shape, (part) => part)],
    tagsOf: tagsOfAll,
    originOf: commonOrigin,
    known: (parts) => {
      const [one = PLAIN, ...more] = parts.filter((part) => part !== PLAIN)
      return more.length === 0 ? one : undefined
    },
    coarse: () => leaf(shapes.map(flat).reduce(uniteTags, NO_TAGS)),
  })
  // What does not change stays the same one, by which loops see that they have come to an end.
  return shapes.find((shape) => isSame(shape, joined)) ?? joined
}

/** One value or the other. */
export const joinShapes = (a: Shape, b: Shape): Shape => (a === b || b === PLAIN ? a : a === PLAIN ? b : joinAll([a, b]))

interface Sided {
  readonly isDeclared: boolean
  readonly shape: Shape
}

/** The labels of `declared`, with the paths of `actual` where it has them. */
export const overlay = (declared: Shape, actual: Shape): Shape => {
  if (declared === PLAIN) return PLAIN
  const sided =
    (isDeclared: boolean) =>
    (shape: Shape): Sided => ({ isDeclared, shape })
  return followSets<Sided>([sided(true)(declared), sided(false)(actual)], {
    idOf: ({ isDeclared, shape }) => (isDeclared ? -idOf(shape) : idOf(shape)),
    viewsOf: ({ isDeclared, shape }) => [{ ...viewOf(shape, sided(isDeclared)), isDeclared }],
    tagsOf: (views) => {
      const [own, real] = [true, false].map((is) => tagsOfAll(views.filter((v) => (v as View<Sided> & Partial<Sided>).isDeclared === is)))
      const of = (key: keyof Tags) => own?.[key] && (real?.[key] ?? own[key])
      return { untrusted: of('untrusted'), open: of('open'), secret: of('secret') }
    },
    originOf: (parts) => commonOrigin(parts.flatMap(({ isDeclared, shape }) => (isDeclared ? shape : []))),
    known: (parts) => (parts.some(({ isDeclared, shape }) => isDeclared && shape !== PLAIN) ? undefined : PLAIN),
    coarse: () => leaf(flat(declared)),
  })
}

/** Any item of a list or a tuple, any value of a map or a record. */
export const itemShape = (shape: Shape): Shape => {
  const { item, items, fields } = shape
  if (!item && !items && !fields) return leaf(shape.tags)
  return joinAll([...(item ? [item] : []), ...(items ?? []), ...(fields?.values() ?? [])])
}

export const itemAt = (shape: Shape, index: number): Shape => shape.items?.[index] ?? itemOfList(shape)

const itemOfList = (shape: Shape): Shape => (shape.items ? itemShape(shape) : (shape.item ?? leaf(shape.tags)))
