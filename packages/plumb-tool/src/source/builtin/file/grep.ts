// grep: lists the lines that match a regular expression, as `path:line:text`, in linear time.

import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import {
  closeQuietly,
  type Directory,
  openFile,
  type ResolvedPath,
  readSmallFile,
  resolvePath,
  sizedReader,
  unseenNotes,
  walkFiles,
} from '@plumb/sandbox'
import { escapeControls, succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { readGlob } from './glob-pattern.js'
import { isDirectoryAt } from './is-directory.js'
import { type LineExpression, readExpression } from './line-expression.js'
import { namedPath, type PathInput } from './path-input.js'
import { isReadable } from './permitted-file.js'
import { stoppedNotes } from './stopped-notes.js'
import { isBinary } from './text-file.js'

interface Input extends Partial<PathInput> {
  readonly pattern: string
  readonly glob?: string
  readonly ignore_case?: boolean
}

const MAX_MATCHES = 1000
const MAX_LINE_CHARACTERS = 500
/** Of a line that is cut, before the match. */
const LEAD_CHARACTERS = 100
/** Larger files are skipped and counted. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024

export const grep: Builtin<Input> = {
  paths: (input, context) => namedPath({ path: '.', ...input }, context),
  run: async ({ pattern, path = '.', glob = '**', ignore_case = false, root }, context) => {
    const resolved = resolvePath(path, 'read', context, root)
    if (!resolved.ok) return resolved
    const expression = await readExpression(pattern, ignore_case)
    if (!expression.ok) return expression
    const only = await readGlob(glob)
    if (!only.ok) return only
    const { fits, wantsHidden } = only.value
    const { signal, record } = context.call
    const search = new Search(expression.value, signal)
    const unseen = { directories: 0, names: 0 }
    if (!(await isDirectoryAt(resolved.value))) await search.file(resolved.value)
    else {
      for await (const found of walkFiles(resolved.value, signal, { withHidden: wantsHidden, unseen })) {
        if (fits(found.path) && isReadable(found.file, context)) await search.file(found.file, found.directory)
      }
    }
    return succeed([...search.report(), ...unseenNotes(unseen), ...stoppedNotes(signal, record, 'searched', search.files)].join('\n'))
  },
}

class Search {
  readonly #found: string[] = []
  #more = 0
  #skipped = 0

  constructor(
    private readonly expression: LineExpression,
    private readonly signal: AbortSignal,
  ) {}

  /** Files looked at. */
  files = 0

  /** `directory`: the open one that it is in. */
  async file(resolved: ResolvedPath, directory?: Directory): Promise<void> {
    this.files++
    if (!(await this.#search(resolved, directory))) this.#skipped++
  }

  report(): string[] {
    return [
      ...this.#found,
      ...(this.#more > 0 ? [`[truncated: ${this.#more} more lines]`] : []),
      ...(this.#skipped > 0 ? [`[skipped: ${this.#skipped} binary, unreadable or very large files]`] : []),
    ]
  }

  async #search(resolved: ResolvedPath, directory: Directory | undefined): Promise<boolean> {
    const bytes = directory && readSmallFile(directory, resolved, PIECE_BYTES)
    if (bytes) return this.#small(bytes, resolved)
    const opened = await openFile(resolved)
    if (!opened.ok) return false
    try {
      if ((await opened.value.stat()).size > MAX_FILE_BYTES) return false
      const pieces = readTextPieces(opened.value, this.signal)
      let before = 0
      for (let next = await pieces.next(); ; next = await pieces.next()) {
        if (next.done) return next.value
        before += this.#lines(next.value, resolved, before)
      }
    } catch {
      return false
    } finally {
      await closeQuietly(opened.value)
    }
  }

  #small(bytes: Buffer, resolved: ResolvedPath): boolean {
    if (isBinary(bytes) || !isUtf8(bytes)) return false
    this.#lines(bytes.toString(), resolved, 0)
    return true
  }

  /** Returns the number of lines. */
  #lines(text: string, resolved: ResolvedPath, before: number): number {
    const whole = before === 0 ? withoutMark(text) : text
    if (!this.expression.mayFit(whole)) return newlinesIn(whole)
    const lines = whole.split('\n')
    // There is no line after the last newline.
    if (lines.at(-1) === '') lines.pop()
    for (const [i, line] of lines.entries()) {
      const content = line.endsWith('\r') ? line.slice(0, -1) : line
      const at = this.expression.find(content)
      if (at < 0) continue
      if (this.#found.length < MAX_MATCHES) this.#found.push(`${escapeControls(resolved.shown)}:${before + i + 1}:${showLine(content, at)}`)
      else this.#more++
    }
    return lines.length
  }
}

const newlinesIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

// Of a long line, what is around the match.
const showLine = (line: string, at: number): string => {
  const text = line.trimEnd()
  if (text.length <= MAX_LINE_CHARACTERS) return text
  const from = wholeFrom(text, Math.max(0, Math.min(at - LEAD_CHARACTERS, text.length - MAX_LINE_CHARACTERS)))
  const to = wholeFrom(text, Math.min(text.length, from + MAX_LINE_CHARACTERS))
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}

// Never between the halves of a surrogate pair.
const wholeFrom = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text[at] ?? '') ? at + 1 : at)

const PIECE_BYTES = 1024 * 1024
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Yields pieces of whole lines, up to the size of the file at its opening. Returns false if it is not UTF-8 text or a line is too long. */
async function* readTextPieces(handle: FileHandle, signal: AbortSignal): AsyncGenerator<string, boolean> {
  const { size, read } = await sizedReader(handle)
  let rest: Buffer[] = []
  let restBytes = 0
  for (let position = 0; position < size && !signal.aborted; ) {
    const wanted = Math.min(PIECE_BYTES, size - position)
    const chunk = Buffer.allocUnsafe(wanted)
    const bytesRead = await read(chunk, wanted, position)
    if (bytesRead === 0) break
    position += bytesRead
    const bytes = chunk.subarray(0, bytesRead)
    if (isBinary(bytes)) return false
    const end = position < size ? bytes.lastIndexOf(10) + 1 : bytes.length
    if (end > 0) {
      const whole = Buffer.concat([...rest, bytes.subarray(0, end)])
      if (!isUtf8(whole)) return false
      yield whole.toString()
      rest = []
      restBytes = 0
    }
    rest.push(bytes.subarray(end))
    restBytes += bytes.length - end
    if (restBytes > MAX_LINE_BYTES) return false
  }
  return true
}
