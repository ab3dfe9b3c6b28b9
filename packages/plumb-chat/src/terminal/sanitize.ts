// Text from elsewhere, made safe for a terminal: line ends and tabs stay, every other control character is escaped.

import { escapeLines } from '@plumb/wire'

/** For a text that comes in pieces: joins a character that was cut in two. */
export class TextSanitizer {
  #cut = ''

  push(piece: string): string {
    const text = this.#cut + piece
    // The first half of a surrogate pair, or a CR that an LF may follow.
    const isCut = /[\ud800-\udbff\r]$/.test(text)
    this.#cut = isCut ? text.slice(-1) : ''
    return sanitize(isCut ? text.slice(0, -1) : text)
  }

  /** Returns what still waits for its other half. */
  end(): string {
    const rest = sanitize(this.#cut)
    this.#cut = ''
    return rest
  }
}

export const sanitize = (text: string): string => escapeLines(text.replaceAll('\r\n', '\n'))
