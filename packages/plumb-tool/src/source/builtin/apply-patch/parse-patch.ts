// Parses a patch by the grammar of plumb-builtins(7), Patches. The first error is reported with its line.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Hunk, HunkLine, Section } from './patch.js'
import { BEGIN, toMarker, unwrapPatch } from './unwrap-patch.js'

/** `patch_invalid` with the `line` of the patch, from 1. */
export const parsePatch = (text: string): Result<readonly Section[]> => {
  const unwrapped = unwrapPatch(toLines(text))
  if (!unwrapped.ok) return unwrapped
  const { lines, directory } = unwrapped.value
  const sections = new Reader(lines).patch()
  if (!sections.ok || directory === undefined) return sections
  return succeed(sections.value.map((section) => ({ ...section, directory })))
}

// In a patch with CRLF throughout, the CR is not part of its lines.
const toLines = (text: string): string[] => {
  const lines = text
    .replace(/^\ufeff/, '')
    .replace(/\n$/, '')
    .split('\n')
  return lines.every((line, i) => line.endsWith('\r') || i === lines.length - 1) && lines.length > 1
    ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    : lines
}

const END = '*** End Patch'
const END_OF_FILE = '*** End of File'
const MOVE = '*** Move to:'
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.*\S)$/

class Reader {
  #at = 0

  constructor(private readonly lines: readonly string[]) {}

  patch(): Result<readonly Section[]> {
    this.#skipBlank()
    if (this.#marker() !== BEGIN) return this.#refuse(`a patch begins with '${BEGIN}'`)
    this.#at++
    const sections: Section[] = []
    for (;;) {
      this.#skipBlank()
      if (this.#at >= this.lines.length) return this.#refuse(`the patch has no '${END}': it may have been cut`)
      if (this.#marker() === END) break
      const section = this.#section()
      if (!section.ok) return section
      sections.push(section.value)
    }
    this.#at++
    this.#skipBlank()
    if (this.#at < this.lines.length) return this.#refuse(`nothing may follow '${END}'`)
    return sections.length > 0 ? succeed(sections) : this.#refuse('the patch holds no operation: say which files to add, update or delete')
  }

  #section(): Result<Section> {
    const line = this.#at + 1
    const [, operation, path = ''] = HEADER.exec(this.#marker()) ?? []
    if (operation === undefined)
      return this.#refuse("here a file begins: '*** Add File: ', '*** Update File: ' or '*** Delete File: ' and its path")
    this.#at++
    if (operation === 'Delete') return succeed({ kind: 'delete', line, path })
    return operation === 'Add' ? this.#added(line, path) : this.#updated(line, path)
  }

  #added(line: number, path: string): Result<Section> {
    const lines: string[] = []
    let isOpen: true | undefined
    for (; this.#at < this.lines.length; this.#at++) {
      const text = this.lines[this.#at] ?? ''
      if (text.startsWith('+') && isOpen === undefined) lines.push(text.slice(1))
      else if (lines.length > 0 && NO_NEWLINE.test(text)) isOpen = true
      else if (isMarker(text.trim()) || this.#isBlankToMarker()) break
      else return this.#refuse("each line of an added file begins with '+'")
    }
    return succeed({ kind: 'add', line, path, lines, ...(isOpen && { isOpen }) })
  }

  #updated(line: number, path: string): Result<Section> {
    this.#skipSeparators()
    const moveTo = this.#move()
    if (moveTo === '') return this.#refuse("'*** Move to: ' and a path")
    this.#skipSeparators()
    const hunks: Hunk[] = []
    for (;;) {
      const text = this.lines[this.#at]
      // Before the first hunk a marker may be indented; after it, an indented line is context.
      if (text === undefined || isMarker(hunks.length === 0 ? text.trim() : text.trimEnd()) || this.#isBlankToMarker()) break
      const hunk = this.#hunk(hunks.length === 0)
      if (!hunk.ok) return hunk
      hunks.push(hunk.value)
    }
    const changes = hunks.some(({ lines }) => lines.some(({ sign }) => sign !== ' '))
    if (changes || moveTo !== undefined) return succeed({ kind: 'update', line, path, moveTo, hunks })
    return this.#refuse(`the update of '${preview(path)}' changes nothing: lines that go begin with '-', lines that come with '+'`, line)
  }

  // Before the first hunk of a file empty lines are no context, and neither are blank ones before '@@'.
  #skipSeparators(): void {
    if (this.#isSeparator()) this.#skipBlank()
    while (isBare(this.lines[this.#at])) this.#at++
  }

  #move(): string | undefined {
    const marker = this.#marker()
    if (!marker.startsWith(MOVE)) return undefined
    const path = marker.slice(MOVE.length).trim()
    if (path !== '') this.#at++
    return path
  }

  #hunk(isFirst: boolean): Result<Hunk> {
    const line = this.#at + 1
    const anchors: string[] = []
    let [hasHeader, hasNumbers] = [false, false]
    for (let text = this.lines[this.#at]; text?.startsWith('@@'); text = this.lines[this.#at]) {
      hasHeader = true
      hasNumbers ||= NUMBERS.test(text) && !NEW_FILE.test(text)
      const anchor = anchorOf(text)
      if (anchor !== '') anchors.push(anchor)
      this.#at++
    }
    if (!hasHeader && !isFirst) return this.#refuse("a hunk begins with '@@'")
    const lines: HunkLine[] = []
    const first = this.#at + 1
    let isAtEnd = false
    for (; this.#at < this.lines.length && !isAtEnd; this.#at++) {
      const text = this.lines[this.#at] ?? ''
      if (text.trimEnd() === END_OF_FILE) isAtEnd = true
      else if (text.startsWith('@@') || isMarker(text.trimEnd())) break
      // After added lines only, empty lines before a marker or the next hunk are separators; one with the space of its sign is context.
      else if (lines.length > 0 && lines.every(({ sign }) => sign === '+') && text !== ' ' && this.#isSeparator()) {
        this.#skipBlank()
        break
      } else {
        // As in a diff; whether there is a newline at the end, the file decides.
        if (lines.length > 0 && NO_NEWLINE.test(text)) continue
        const read = toHunkLine(text)
        if (!read) return this.#refuse("a line of a hunk begins with a space, '-' or '+'")
        lines.push(read)
      }
    }
    if (lines.length === 0) return this.#refuse('the hunk has no lines', line)
    const lone = lines.findIndex(({ isBare }) => isBare)
    // It would be taken for context that stands in many places.
    if (lone >= 0 && lines.every(({ sign, isBare }) => sign === '+' || isBare))
      return this.#refuse("an empty line that comes is written '+', and one that stays needs a line with text beside it", first + lone)
    if (hasNumbers && anchors.length === 0 && lines.every(({ sign }) => sign === '+'))
      return this.#refuse("lines that come need a line beside them that stays, or an anchor: numbers behind '@@' are passed over", line)
    return succeed({ line, first, anchors, lines, isAtEnd })
  }

  #marker(): string {
    return toMarker(this.lines[this.#at] ?? '')
  }

  #skipBlank(): void {
    while (isBlank(this.lines[this.#at])) this.#at++
  }

  // Blank lines that separate one section from the next.
  #isBlankToMarker(bare = (text: string) => text.trim()): boolean {
    const next = this.#nextWithText()
    return isBlank(this.lines[this.#at]) && (next === undefined || isMarker(bare(next)))
  }

  // Or one hunk from the next.
  #isSeparator(): boolean {
    return (
      this.#isBlankToMarker((next) => next.trimEnd()) || (isBlank(this.lines[this.#at]) && this.#nextWithText()?.startsWith('@@') === true)
    )
  }

  #nextWithText(): string | undefined {
    let at = this.#at
    while (isBlank(this.lines[at])) at++
    return this.lines[at]
  }

  #refuse(detail: string, line = this.#at + 1): Extract<Result<never>, { ok: false }> {
    const found = this.lines[line - 1]
    const where = found === undefined ? 'at its end' : `on line ${line}`
    const shown = found === undefined || found === '' ? '' : `, found '${preview(found)}'`
    return fail('patch_invalid', `the patch is wrong ${where}: ${detail}${shown}`, { line })
  }
}

const isMarker = (text: string): boolean => text.startsWith('*** ') && text !== END_OF_FILE

// An inserted line takes the ending of its neighbour, so its own CR is dropped.
const toHunkLine = (line: string): HunkLine | undefined => {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  if (text === '') return { sign: ' ', text: '', isBare: true }
  const sign = text[0]
  return sign === ' ' || sign === '-' || sign === '+' ? { sign, text: text.slice(1) } : undefined
}

const isBlank = (line: string | undefined): boolean => line?.trim() === ''

const isBare = (line: string | undefined): boolean => line === '' || line === '\r'

const NO_NEWLINE = /^\\ No newline at end of file\r?$/i

const NUMBERS = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/
const NEW_FILE = /^@@ -0,0 /

// Line numbers as diff writes them are not an anchor, and neither is the section heading after them, which may be far above or cut.
const anchorOf = (header: string): string => (NUMBERS.test(header) ? '' : header.slice(2).replace(/^ /, '').trimEnd())
