// The types Image, Document and Audio of the module `media`, under any name.

import { typesWithin } from './parts.js'
import { resolve, type Type } from './type.js'

export const MEDIA_KINDS = ['image', 'document', 'audio'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

const TEXTS: readonly string[] = ['path', 'url', 'data', 'media_type', 'title']

/** Undefined: not such a type. A narrower one is not, so that no other type makes an agent read files. */
export const mediaKindOf = (type: Type): MediaKind | undefined => {
  const t = resolve(type)
  if (t.kind !== 'record' || t.isOpen || t.fields.length !== TEXTS.length + 1) return undefined
  const kind = t.fields.find(({ name }) => name === 'kind')
  const word = kind && !kind.isOptional ? resolve(kind.type) : undefined
  if (word?.kind !== 'literal') return undefined
  const isText = (name: string) =>
    t.fields.some(
      (field) => field.name === name && field.isOptional && field.default === undefined && resolve(field.type).kind === 'string',
    )
  return TEXTS.every(isText) ? MEDIA_KINDS.find((name) => name === word.value) : undefined
}

/** Whether a value of the type can contain media at any depth. */
export const holdsMedia = (type: Type): boolean => {
  for (const part of typesWithin(type)) if (mediaKindOf(part) !== undefined) return true
  return false
}
