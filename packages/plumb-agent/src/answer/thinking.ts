// What a model thinks aloud before its answer, in tags, where its server does not tell the two apart.

import type { Emit } from '../io/telemetry.js'

const OPENING = /^\s*(?:<(think|thinking|thought|reasoning|seed:think)>|\[(think)\])/i
/** Longer than any of them, with white space before it. */
const MAX_OPENING = 200

const closingOf = (tag: string, isSquare: boolean): RegExp => new RegExp(isSquare ? `\\[/${tag}\\]` : `</${tag}>`, 'i')

export interface Parted {
  readonly thinking: string
  /** The text behind it, from its first character on. */
  readonly rest: string
}

/** Of a text that begins with a tag; all of it is thinking where the tag is not closed. Undefined: it does not. */
export const partThinking = (text: string): Parted | undefined => {
  const opening = OPENING.exec(text)
  if (!opening) return undefined
  const [tagged, angled, square = ''] = opening
  const behind = text.slice(tagged.length)
  const closing = closingOf(angled ?? square, angled === undefined).exec(behind)
  if (!closing) return { thinking: behind.trim(), rest: '' }
  return { thinking: behind.slice(0, closing.index).trim(), rest: behind.slice(closing.index + closing[0].length).trimStart() }
}

/** The first `</think>` of a text that has no beginning of it: templates put that into the prompt. Undefined: there is none. */
export const loneClosing = (text: string): { readonly at: number; readonly end: number } | undefined => {
  const closing = /<\/(?:think|thinking|thought|reasoning|seed:think)>|\[\/think\]/i.exec(text)
  return closing ? { at: closing.index, end: closing.index + closing[0].length } : undefined
}

/** Passes events on, and tells thinking in tags as such: `text` events begin with the answer. */
export const withThinkingApart = (emit: Emit): { readonly emit: Emit; readonly end: () => void } => {
  let held: string | undefined = ''
  let isClosed = false
  const told = (delta: string): void => {
    if (delta !== '') emit({ kind: 'text', delta })
  }
  const take = (delta: string): void => {
    if (held === undefined) return told(delta)
    held += delta
    if (!mayOpen(held)) return release(held)
    // All of a long text is not searched with each of its pieces.
    isClosed ||= /[>\]]/.test(delta) && loneClosing(held) !== undefined
    const parted = isClosed ? partThinking(held) : undefined
    if (parted && parted.rest !== '') {
      emit({ kind: 'thinking', text: parted.thinking })
      release(parted.rest)
    }
  }
  const release = (text: string): void => {
    held = undefined
    told(text)
  }
  const end = (): void => {
    const parted = held ? partThinking(held) : undefined
    if (parted && parted.thinking !== '') emit({ kind: 'thinking', text: parted.thinking })
    if (!parted && held) told(held)
    held = undefined
  }
  return {
    emit: (event) => {
      if (event.kind === 'text') return take(event.delta)
      // From the beginning.
      if (event.kind === 'retry') {
        held = ''
        isClosed = false
      }
      emit(event)
    },
    end,
  }
}

/** It is a tag, or may become one. */
const mayOpen = (text: string): boolean => {
  if (OPENING.test(text)) return true
  const start = text.trimStart().toLowerCase()
  return (
    text.length <= MAX_OPENING && ['<thinking>', '<thought>', '<reasoning>', '<seed:think>', '[think]'].some((tag) => tag.startsWith(start))
  )
}
