// Text from elsewhere, made safe for a terminal: line ends and tabs stay, every other control character is escaped.

import { escapeLines } from '@plumb/wire'

/** For a text that comes in pieces: joins a character that was cut in two. */
export class TextSanitizer {
  #cut = ''
  /** The last characters that were shown: what follows may belong to them. */
  #before = ''

  push(piece: string): string {
    const text = this.#cut + piece
    // The first half of a surrogate pair, a CR that an LF may follow, or a character that joins the one before to the next.
    const [cut = ''] = /(?:(?:\u200c|\u200d|\ufe0e|\ufe0f){0,2}[\ud800-\udbff]?|\r)$/.exec(text) ?? []
    this.#cut = cut
    return this.#show(text.slice(0, text.length - cut.length))
  }

  #show(text: string): string {
    const shown = sanitize(this.#before + text).slice(sanitize(this.#before).length)
    // As many as the marks over one letter that are shown.
    this.#before = [...`${this.#before}${text}`].slice(-9).join('').replace(/^.*\s/s, '')
    return shown
  }

  /** Returns what still waits for its other half. */
  end(): string {
    const rest = this.#show(this.#cut)
    this.#cut = ''
    return rest
  }
}

export const sanitize = (text: string): string => escapeLines(text.replaceAll('\r\n', '\n'))
