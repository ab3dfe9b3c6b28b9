// The calls of a completion, put together from their pieces. Servers number them in many ways: by an index, by an index that is always 0, by
// ids alone, or not at all.

import { randomUUID } from 'node:crypto'
import type { Json } from '@plumb/lang'
import { isRecord } from '@plumb/wire'
import { readCallInput } from '../../call-input.js'
import { at, readJson, textAt } from '../../http/json-path.js'
import type { ContentBlock } from '../../provider.js'
import type { WireNames } from '../../wire-names.js'

interface Draft {
  readonly index: number | undefined
  id: string
  name: string
  arguments: string
  /** What Gemini wants back with the call. */
  extra: unknown
}

export class CallDrafts {
  readonly #drafts: Draft[] = []

  /** `isOffered`: a name on the wire. */
  constructor(private readonly isOffered: (name: string) => boolean) {}

  get isEmpty(): boolean {
    return this.#drafts.length === 0
  }

  /** All of `tool_calls` of one chunk. */
  take(pieces: readonly unknown[]): void {
    for (const [position, piece] of pieces.entries()) if (isRecord(piece)) this.#grow(piece, pieces.length > 1 ? position : undefined)
  }

  /** By their indexes, and in the order in which they came. */
  finish(names: WireNames): ContentBlock[] {
    // Servers in which a place without anything stands for no call.
    const called = this.#drafts.filter(({ id, name, arguments: text }) => id + name + text.trim() !== '')
    const ordered = called.sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
    return ordered.map(({ id, name, arguments: text, extra }) => ({
      type: 'tool_use',
      id: id || `call_${randomUUID()}`,
      name: names.toOwn(name),
      ...readCallInput(text),
      ...(extra === undefined || extra === null ? {} : { extra_content: extra as Json }),
    }))
  }

  #grow(piece: unknown, position: number | undefined): void {
    const id = textAt(piece, 'id') ?? ''
    const called = at(piece, 'function') ?? piece
    const name = textAt(called, 'name') ?? ''
    const given = at(called, 'arguments')
    const text = typeof given === 'string' ? given : given ? JSON.stringify(given) : ''
    const index = indexOf(piece) ?? position
    const draft = this.#find({ id, name, text, index }) ?? this.#begin(index)
    draft.id ||= id
    draft.name = this.#joined(draft, name)
    // Some servers say all of it again at the end.
    const isRepeated = text !== '' && text === draft.arguments && isJson(text)
    if (isPlaceholder(draft.arguments) && text.startsWith('{')) draft.arguments = text
    else if (!isRepeated) draft.arguments += text
    draft.extra = at(piece, 'extra_content') ?? draft.extra
  }

  // A new id, with a name, is a new call, whatever its index.
  #find({ id, name, text, index }: { id: string; name: string; text: string; index: number | undefined }): Draft | undefined {
    const isNew = (draft: Draft): boolean => {
      if (name === '') return false
      if (id !== '' && draft.id !== '') return id === draft.id ? isAnother(draft, name, text) : !goesOn(draft, name, text)
      return isAnother(draft, name, text) && (index === undefined || text !== draft.arguments)
    }
    const near = index === undefined ? this.#drafts.at(-1) : this.#drafts.findLast((draft) => draft.index === index)
    const same = id === '' ? undefined : this.#drafts.findLast((draft) => draft.id === id && (index === undefined || draft.index === index))
    const draft = same ?? near
    return draft && isNew(draft) ? undefined : draft
  }

  #begin(index: number | undefined): Draft {
    const draft: Draft = { index, id: '', name: '', arguments: '', extra: undefined }
    this.#drafts.push(draft)
    return draft
  }

  // Some servers repeat the name with each piece, and some send it in pieces.
  #joined({ name, arguments: text }: Draft, piece: string): string {
    if (piece === '' || piece === name) return name
    if (name === '' || piece.startsWith(name)) return piece
    return text === '' && !this.isOffered(name) ? name + piece : name
  }
}

const indexOf = (piece: unknown): number | undefined => {
  const index = at(piece, 'index')
  const number = typeof index === 'string' && /^\d{1,4}$/.test(index) ? Number(index) : index
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined
}

// Two calls with one id, or without any: the one before is complete, and this one does not repeat it.
const isAnother = (draft: Draft, name: string, text: string): boolean => {
  if (isPlaceholder(draft.arguments) || !isJson(draft.arguments)) return false
  if (text === '') return draft.id === '' && name !== draft.name
  return text.startsWith('{') && !(draft.id !== '' && text === draft.arguments)
}

// Some servers make up an id with each piece.
const goesOn = (draft: Draft, name: string, text: string): boolean =>
  draft.arguments !== '' && name === draft.name && !text.startsWith('{') && !isJson(draft.arguments)

/** Some gateways begin a call with it. */
const isPlaceholder = (text: string): boolean => text === '{}'

const isJson = (text: string): boolean => text.trim() !== '' && readJson(text).ok
