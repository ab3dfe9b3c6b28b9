// From what a terminal sends to what a person did: keys, and pastes, which are text whatever stands in them.

export type Key =
  /** For the line editor, as it came. */
  | { readonly kind: 'keys'; readonly text: string }
  /** Line ends are `\n`. */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'enter' }
  /** A line end within the message: Alt-Enter, Ctrl-J. */
  | { readonly kind: 'newline' }
  /** Through what was said before: the arrows up and down, Ctrl-P, Ctrl-N. */
  | { readonly kind: 'older' }
  | { readonly kind: 'newer' }
  /** In what was said before: Ctrl-R, Ctrl-S. */
  | { readonly kind: 'search-older' }
  | { readonly kind: 'search-newer' }
  /** The terminal's own answer: the column of its cursor, from 0. */
  | { readonly kind: 'position'; readonly column: number }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end' }
  | { readonly kind: 'suspend' }

const PASTE_END = '\x1b[201~'
/** As long as a line may be. What is pasted beyond that is dropped. */
const MAX_PASTE = 16 * 1024 * 1024

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
  /** Undefined: not in a paste. */
  #paste: string | undefined

  push(text: string): Key[] {
    const keys: Key[] = []
    this.#rest += text
    while (this.#rest !== '' && this.#step(keys)) {}
    return keys
  }

  // False: more has to come.
  #step(keys: Key[]): boolean {
    if (this.#paste !== undefined) return this.#pasted(keys)
    const found = NEXT.exec(this.#rest)
    const before = found ? this.#rest.slice(0, found.index) : withoutCutStart(this.#rest)
    if (before !== '') keys.push({ kind: 'keys', text: before })
    if (!found) {
      this.#rest = this.#rest.slice(before.length)
      return false
    }
    this.#rest = this.#rest.slice(found.index + found[0].length)
    const key = SPECIAL[found[0]] ?? positionIn(found[0])
    if (key) keys.push(key)
    else this.#paste = ''
    return true
  }

  #pasted(keys: Key[]): boolean {
    const end = this.#rest.indexOf(PASTE_END)
    const upTo = end < 0 ? Math.max(0, this.#rest.length - PASTE_END.length + 1) : end
    this.#paste = `${this.#paste}${this.#rest.slice(0, upTo)}`.slice(0, MAX_PASTE)
    this.#rest = this.#rest.slice(upTo + (end < 0 ? 0 : PASTE_END.length))
    if (end < 0) return false
    keys.push({ kind: 'paste', text: this.#paste.replace(/\r\n?/g, '\n') })
    this.#paste = undefined
    return true
  }
}

const positionIn = (text: string): Key | undefined => {
  const [, column] = /;(\d+)R$/.exec(text) ?? []
  return column === undefined ? undefined : { kind: 'position', column: Number(column) - 1 }
}

// It may come in two pieces; the escape key alone is not waited for.
const withoutCutStart = (text: string): string => text.replace(CUT, '')
