// The items of a response, put together from its events: each as it is when it is done, else from the pieces of it that came.

import { randomUUID } from 'node:crypto'
import { readCallInput } from '../../call-input.js'
import { at, listAt, numberAt, readJson, textAt } from '../../http/json-path.js'
import { asJson } from '../../protocol.js'
import type { ContentBlock } from '../../provider.js'
import type { WireNames } from '../../wire-names.js'

type Piece = 'text' | 'refusal' | 'arguments'

interface Draft {
  index: number | undefined
  id: string | undefined
  item: unknown
  isDone: boolean
  readonly pieces: { [K in Piece]?: string }
  /** Its arguments are complete. */
  hasArguments: boolean
}

interface FinishedItems {
  readonly content: readonly ContentBlock[]
  readonly isRefused: boolean
  /** A message, or the arguments of a call, did not come whole. */
  readonly isCut: boolean
  readonly isEmpty: boolean
}

export class ItemDrafts {
  readonly #drafts: Draft[] = []

  /** The item of an event, when it is added and when it is done. */
  take(event: unknown, isDone: boolean): void {
    const item = at(event, 'item') ?? undefined
    const draft = this.#of(event, identityOf(item), item)
    draft.item = item ?? draft.item
    draft.isDone ||= isDone
  }

  grow(event: unknown, piece: Piece): void {
    const draft = this.#of(event, textAt(event, 'item_id'))
    draft.pieces[piece] = (draft.pieces[piece] ?? '') + (textAt(event, 'delta') ?? '')
  }

  /** All of what grew; `done`: what has it, by its name. */
  settle(event: unknown, piece: Piece, done = event): void {
    const whole = textAt(done, piece)
    const draft = this.#of(event, textAt(event, 'item_id'))
    // A message may have several parts, of which each is told as done.
    const isLonger = whole !== undefined && whole.length > (draft.pieces[piece] ?? '').length
    if (isLonger) draft.pieces[piece] = whole
    if (piece === 'arguments') draft.hasArguments = true
  }

  /** A part of a message, or of what was thought, is whole. */
  settlePart(event: unknown): void {
    const part = at(event, 'part')
    const type = textAt(part, 'type')
    if (type === 'refusal') this.settle(event, 'refusal', part)
    else if (type === 'output_text' || type === 'text') this.settle(event, 'text', part)
  }

  /** `response`: of the last event, whose `output` some servers leave empty, or have as a text alone. */
  finish(response: unknown, names: WireNames): FinishedItems {
    const output = listAt(response, 'output')
    const drafts = [...this.#drafts].sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
    const items = output.length < drafts.length ? drafts : output.map((item, i) => this.#matching(item, drafts[i]))
    const content = items.flatMap((draft) => toBlocks(draft, names))
    if (items.length === 0) content.push(...textBlock(textAt(response, 'output_text') ?? ''))
    return {
      content,
      isRefused: items.some(
        (draft) => draft.pieces.refusal || listAt(draft.item, 'content').some((part) => textAt(part, 'type') === 'refusal'),
      ),
      isCut: items.some(isCut),
      isEmpty: items.length === 0 && content.length === 0,
    }
  }

  // What came with the events of the item counts before what the last event says of it.
  #matching(item: unknown, atItsPlace: Draft | undefined): Draft {
    const id = identityOf(item)
    const isNameless = atItsPlace?.id === undefined || id === undefined
    const isAtItsPlace = atItsPlace?.id === id || (isNameless && textAt(atItsPlace?.item, 'type') === textAt(item, 'type'))
    const found = isAtItsPlace ? atItsPlace : this.#drafts.find((draft) => draft.id === id)
    const pieces = found?.pieces ?? {}
    return { index: undefined, id, item: found?.isDone ? found.item : item, isDone: true, pieces, hasArguments: true }
  }

  // Some servers give all items one place, and some give none.
  #of(event: unknown, id: string | undefined, item?: unknown): Draft {
    const index = numberAt(event, 'output_index')
    const isElsewhere = (draft: Draft): boolean => draft.isDone && index !== undefined && draft.index !== index
    const known = id === undefined ? undefined : this.#drafts.find((draft) => draft.id === id && !isElsewhere(draft))
    if (known) return known
    // What it is of came before it, without a place.
    const stray = item === undefined ? undefined : this.#drafts.find((draft) => draft.item === undefined && draft.index === undefined)
    if (stray && index !== undefined && isPieceOf(stray, item)) return Object.assign(stray, { index, id })
    const near = index === undefined ? this.#drafts.at(-1) : this.#drafts.findLast((draft) => draft.index === index)
    const isOther = near && ((near.id !== undefined && id !== undefined) || (item !== undefined && near.isDone))
    if (near && !isOther) {
      near.id ??= id
      return near
    }
    const draft: Draft = { index, id, item, isDone: false, pieces: {}, hasArguments: false }
    this.#drafts.push(draft)
    return draft
  }
}

const identityOf = (item: unknown): string | undefined => textAt(item, 'id') ?? textAt(item, 'call_id')

const isPieceOf = ({ pieces }: Draft, item: unknown): boolean =>
  textAt(item, 'type') === (pieces.arguments === undefined ? 'message' : 'function_call')

const isCut = ({ item, isDone, hasArguments, pieces }: Draft): boolean => {
  const type = textAt(item, 'type')
  if ((type === 'message' || type === 'function_call') && textAt(item, 'status') === 'incomplete') return true
  if (type !== 'function_call') return pieces.arguments !== undefined && item === undefined
  return !isDone && !hasArguments && !isObject(pieces.arguments)
}

// Gateways leave out that they are done; an object has its own end.
const isObject = (text = ''): boolean => text.trimStart().startsWith('{') && readJson(text).ok

const toBlocks = ({ item, pieces }: Draft, names: WireNames): ContentBlock[] => {
  switch (textAt(item, 'type')) {
    case 'message': {
      const parts = listAt(item, 'content').map((part) => textAt(part, 'text') ?? textAt(part, 'refusal') ?? '')
      return textBlock(parts.join('') || textAt(item, 'content') || (pieces.text ?? pieces.refusal ?? ''), textAt(item, 'phase'))
    }
    case 'function_call': {
      const id = textAt(item, 'call_id') || `call_${randomUUID()}`
      const input = readCallInput(textOf(at(item, 'arguments')) || (pieces.arguments ?? ''))
      return [{ type: 'tool_use', id, name: names.toOwn(textAt(item, 'name') ?? ''), ...input }]
    }
    case undefined:
      return textBlock(pieces.text ?? pieces.refusal ?? '')
    default:
      // Reasoning, and calls of the API's own tools: they are sent back unchanged, and read-message recognises them.
      return [asJson(item) as unknown as ContentBlock]
  }
}

/** Some servers write an object in place of its JSON. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : value ? JSON.stringify(value) : '')

const textBlock = (text: string, phase?: string): ContentBlock[] => {
  const isPhase = phase === 'commentary' || phase === 'final_answer'
  return text === '' ? [] : [{ type: 'text', text, ...(isPhase ? { phase } : {}) }]
}
