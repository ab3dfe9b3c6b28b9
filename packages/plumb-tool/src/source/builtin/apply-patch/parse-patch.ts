// Parses a patch by the grammar of plumb-builtins(7), Patches. The first error is reported with its line.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Hunk, HunkLine, Section } from './patch.js'

/** `patch_invalid` with the `line` of the patch, from 1. */
export const parsePatch = (text: string): Result<readonly Section[]> => {
  const lines = unwrapPatch(toLines(text))
  return lines.ok ? new Reader(lines.value).patch() : lines
}

// In a patch with CRLF throughout, the CR is not part of its lines.
const toLines = (text: string): string[] => {
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.every((line, i) => line.endsWith('\r') || i === lines.length - 1) && lines.length > 1
    ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    : lines
}

const BEGIN = '*** Begin Patch'
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
    for (; this.#at < this.lines.length; this.#at++) {
      const text = this.lines[this.#at] ?? ''
      if (text.startsWith('+')) lines.push(text.slice(1))
      else if (isMarker(text.trim()) || this.#isBlankToMarker()) break
      else return this.#refuse("each line of an added file begins with '+'")
    }
    return succeed({ kind: 'add', line, path, lines })
  }

  #updated(line: number, path: string): Result<Section> {
    const moveTo = this.#move()
    if (moveTo === '') return this.#refuse("'*** Move to: ' and a path")
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
    let hasHeader = false
    for (let text = this.lines[this.#at]; text?.startsWith('@@'); text = this.lines[this.#at]) {
      hasHeader = true
      const anchor = anchorOf(text)
      if (anchor !== '') anchors.push(anchor)
      this.#at++
    }
    if (!hasHeader && !isFirst) return this.#refuse("a hunk begins with '@@'")
    const lines: HunkLine[] = []
    let isAtEnd = false
    for (; this.#at < this.lines.length && !isAtEnd; this.#at++) {
      const text = this.lines[this.#at] ?? ''
      if (text.trimEnd() === END_OF_FILE) isAtEnd = true
      else if (text.startsWith('@@') || isMarker(text.trimEnd())) break
      // After added lines only, blank lines before a marker are separators, not context.
      else if (lines.length > 0 && lines.every(({ sign }) => sign === '+') && this.#isBlankToMarker((next) => next.trimEnd())) break
      else {
        const read = toHunkLine(text)
        if (!read) return this.#refuse("a line of a hunk begins with a space, '-' or '+'")
        lines.push(read)
      }
    }
    if (lines.length === 0) return this.#refuse('the hunk has no lines', line)
    return succeed({ line, anchors, lines, isAtEnd })
  }

  #marker(): string {
    return (this.lines[this.#at] ?? '').trim()
  }

  #skipBlank(): void {
    while (this.#at < this.lines.length && this.#marker() === '') this.#at++
  }

  // Blank lines that separate one section from the next.
  #isBlankToMarker(bare = (text: string) => text.trim()): boolean {
    let at = this.#at
    while (this.lines[at]?.trim() === '') at++
    const next = this.lines[at]
    return at > this.#at && (next === undefined || isMarker(bare(next)))
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
  if (text === '') return { sign: ' ', text: '' }
  const sign = text[0]
  return sign === ' ' || sign === '-' || sign === '+' ? { sign, text: text.slice(1) } : undefined
}

const NUMBERS = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/

// Line numbers as diff writes them are not an anchor, and neither is the section heading after them, which may be far above or cut.
const anchorOf = (header: string): string => (NUMBERS.test(header) ? '' : header.slice(2).replace(/^ /, '').trimEnd())

interface Wrapping {
  readonly name: string
  readonly opens: RegExp
  /** The closing line for this opening line. */
  readonly closes: (opening: string) => string
}

const WRAPPINGS: readonly Wrapping[] = [
  { name: 'a code fence', opens: /^(`{3,})[\w+-]*$/, closes: (opening) => opening.replace(/[^`]+$/, '') },
  { name: 'a here-document', opens: /^apply_patch <<(EOF|'EOF'|"EOF")$/, closes: () => 'EOF' },
]

/** Replaces the wrapping lines by empty ones, so that the others keep their numbers. */
const unwrapPatch = (lines: readonly string[]): Result<readonly string[]> => {
  const inner = [...lines]
  for (const { name, opens, closes } of WRAPPINGS) {
    const first = inner.findIndex((line) => line.trim() !== '')
    const opening = inner[first]?.trimEnd() ?? ''
    if (!opens.test(opening)) continue
    const last = inner.findLastIndex((line) => line.trim() !== '')
    if (inner[last]?.trimEnd() !== closes(opening) || last === first) {
      const detail =
        `the patch is wrong at its end: ${name} is opened by '${opening}' and the ` +
        `last line is not '${closes(opening)}': it may have been cut`
      return fail('patch_invalid', detail, { line: last + 1 })
    }
    inner[first] = ''
    inner[last] = ''
  }
  return succeed(inner)
}
