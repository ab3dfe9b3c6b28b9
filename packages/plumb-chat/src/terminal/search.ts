// Incremental search in the history, as in readline: Ctrl-R to older entries, Ctrl-S to newer ones.

import type { View } from './line.js'

export class Search {
  query = ''
  readonly #entries: readonly string[]
  /** Used by Ctrl-R before anything is typed. */
  readonly #lastQuery: string
  /** The line before the search, shown until something is found. */
  readonly #draft: View
  /** Index of the entry that is shown, -1 for none. */
  place = -1
  #hasFailed = false
  #isOlder = true

  /** The newest of the entries first. */
  constructor(entries: readonly string[], lastQuery: string, draft: View) {
    this.#entries = entries
    this.#lastQuery = lastQuery
    this.#draft = draft
  }

  type(text: string): void {
    this.query += text
    // The entry that is shown may still match.
    this.#seek(Math.max(this.place, 0), 1)
  }

  erase(): void {
    this.query = [...this.query].slice(0, -1).join('')
    this.place = -1
    this.#hasFailed = false
    if (this.query !== '') this.#seek(0, 1)
  }

  older(): void {
    this.#isOlder = true
    this.#again(1)
  }

  newer(): void {
    this.#isOlder = false
    this.#again(-1)
  }

  get view(): View {
    const text = this.#entries[this.place]
    const prompt = `(${this.#hasFailed ? 'failed ' : ''}${this.#isOlder ? 'reverse-' : ''}i-search)\`${this.query}': `
    return text === undefined ? { ...this.#draft, prompt } : { prompt, text, cursor: Math.max(0, text.lastIndexOf(this.query)) }
  }

  #again(step: 1 | -1): void {
    if (this.query !== '') return this.#seek(this.place + step, step)
    if (this.#lastQuery !== '') this.type(this.#lastQuery)
  }

  // Skips entries equal to the one that is shown: the search would seem stuck.
  #seek(from: number, step: 1 | -1): void {
    const shown = from === this.place ? undefined : this.#entries[this.place]
    for (let place = from; place >= 0 && place < this.#entries.length; place += step) {
      const entry = this.#entries[place] as string
      if (entry === shown || !entry.includes(this.query)) continue
      this.place = place
      this.#hasFailed = false
      return
    }
    this.#hasFailed = true
  }
}
