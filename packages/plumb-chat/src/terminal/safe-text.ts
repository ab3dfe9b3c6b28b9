// Text from elsewhere, made fit for a terminal: its lines and tabs are kept, and nothing else in it is obeyed.

import { escapeControls } from '@plumb/wire'

/** For a text that comes in pieces: a character that was cut in two is put together again. */
export class SafeText {
  #cut = ''

  push(piece: string): string {
    const text = this.#cut + piece
    // The first half of a pair, and a CR that an LF may follow.
    const isCut = /[\ud800-\udbff\r]$/.test(text)
    this.#cut = isCut ? text.slice(-1) : ''
    return safe(isCut ? text.slice(0, -1) : text)
  }

  /** What waited for its other half, which does not come. */
  end(): string {
    const rest = safe(this.#cut)
    this.#cut = ''
    return rest
  }
}

export const safe = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : escapeControls(part)))
    .join('')
