// Parses what a terminal sends into keys and pastes. A paste is text, whatever it contains.

export type Key =
  /** For the line editor, unchanged. */
  | { readonly kind: 'keys'; readonly text: string }
  /** Line ends are `\n`. */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'enter' }
  /** A line end within the message: Alt-Enter, Ctrl-J. */
  | { readonly kind: 'newline' }
  /** Through the history: the arrows up and down, Ctrl-P, Ctrl-N. */
  | { readonly kind: 'older' }
  | { readonly kind: 'newer' }
  /** Search in the history: Ctrl-R, Ctrl-S. */
  | { readonly kind: 'search-older' }
  | { readonly kind: 'search-newer' }
  /** An answer of the terminal: the column of its cursor, from 0. */
  | { readonly kind: 'position'; readonly column: number }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end' }
  | { readonly kind: 'suspend' }

const PASTE_END = '\x1b[201~'
/** As long as a line may be; the rest of a longer paste is dropped. */
const MAX_PASTE_CHARS = 16 * 1024 * 1024

const SPECIAL: Readonly<Record<string, Key>> = {
  '\r': { kind: 'enter' },
  '\n': { kind: 'newline' },
  '\x1b\r': { kind: 'newline' },
  '\x1b[A': { kind: 'older' },
  '\x1bOA': { kind: 'older' },
  '\x10': { kind: 'older' },
  '\x1b[B': { kind: 'newer' },
  '\x1bOB': { kind: 'newer' },
  '\x0e': { kind: 'newer' },
  '\x12': { kind: 'search-older' },
  '\x13': { kind: 'search-newer' },
  '\x03': { kind: 'interrupt' },
  '\x04': { kind: 'end' },
  '\x1a': { kind: 'suspend' },
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters
const NEXT = /\x1b\[200~|\x1b\[\d{1,5};\d{1,5}R|\x1b\r|\x1b[[O][AB]|[\r\n\x03\x04\x0e\x10\x12\x13\x1a]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of what the terminal itself sends
const CUT = /\x1b\[[\d;]{0,11}$/

export class KeyReader {
  #rest = ''
  /** Undefined outside of a paste. */
  #paste: string | undefined

  push(text: string): Key[] {
    const keys: Key[] = []
    this.#rest += text
    while (this.#rest !== '' && this.#step(keys)) {}
    return keys
  }

  // Returns false when more input is needed.
  #step(keys: Key[]): boolean {
    if (this.#paste !== undefined) return this.#readPaste(keys)
    const found = NEXT.exec(this.#rest)
    const before = found ? this.#rest.slice(0, found.index) : withoutCutStart(this.#rest)
    if (before !== '') keys.push({ kind: 'keys', text: before })
    if (!found) {
      this.#rest = this.#rest.slice(before.length)
      return false
    }
    this.#rest = this.#rest.slice(found.index + found[0].length)
    const key = SPECIAL[found[0]] ?? parsePosition(found[0])
    if (key) keys.push(key)
    else this.#paste = ''
    return true
  }

  #readPaste(keys: Key[]): boolean {
    const end = this.#rest.indexOf(PASTE_END)
    const upTo = end < 0 ? Math.max(0, this.#rest.length - PASTE_END.length + 1) : end
    this.#paste = `${this.#paste}${this.#rest.slice(0, upTo)}`.slice(0, MAX_PASTE_CHARS)
    this.#rest = this.#rest.slice(upTo + (end < 0 ? 0 : PASTE_END.length))
    if (end < 0) return false
    keys.push({ kind: 'paste', text: this.#paste.replace(/\r\n?/g, '\n') })
    this.#paste = undefined
    return true
  }
}

const parsePosition = (text: string): Key | undefined => {
  const [, column] = /;(\d+)R$/.exec(text) ?? []
  return column === undefined ? undefined : { kind: 'position', column: Number(column) - 1 }
}

// Escape sequences of the terminal may come in two pieces. A single ESC is the key, and does not wait.
const withoutCutStart = (text: string): string => text.replace(CUT, '')
