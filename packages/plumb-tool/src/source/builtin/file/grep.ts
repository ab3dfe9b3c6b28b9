// grep: lists the lines that match a regular expression, as `path:line:text`, in linear time.

import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { closeQuietly, openFile, type ResolvedPath, resolvePath, unseenNotes, walkFiles } from '@plumb/sandbox'
import { escapeControls, fail, preview, type Result, succeed } from '@plumb/wire'
import { headOf } from '../../../call/cut-text.js'
import type { Builtin } from '../builtin.js'
import { readGlob } from './glob-pattern.js'
import { isDirectoryAt } from './is-directory.js'
import { namedPath, type PathInput } from './path-input.js'
import { isReadable } from './permitted-file.js'
import { isBinary } from './text-file.js'

interface Input extends Partial<PathInput> {
  readonly pattern: string
  readonly glob?: string
  readonly ignore_case?: boolean
}

const MAX_MATCHES = 1000
const MAX_LINE_CHARACTERS = 500
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
    const { signal } = context.call
    const search = new Search(expression.value, signal)
    const unseen = { directories: 0, names: 0 }
    if (!(await isDirectoryAt(resolved.value))) await search.file(resolved.value)
    else {
      for await (const found of walkFiles(resolved.value, signal, { withHidden: wantsHidden, unseen })) {
        if (fits(found.path) && isReadable(found.file, context)) await search.file(found.file)
      }
    }
    return succeed([...search.report(), ...unseenNotes(unseen)].join('\n'))
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

  async file(resolved: ResolvedPath): Promise<void> {
    if (!(await this.#search(resolved))) this.#skipped++
  }

  report(): string[] {
    return [
      ...this.#found,
      ...(this.#more > 0 ? [`[truncated: ${this.#more} more lines]`] : []),
      ...(this.#skipped > 0 ? [`[skipped: ${this.#skipped} binary, unreadable or very large files]`] : []),
    ]
  }

  async #search(resolved: ResolvedPath): Promise<boolean> {
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

  /** Returns the number of lines. */
  #lines(text: string, resolved: ResolvedPath, before: number): number {
    if (!this.expression.mayFit(text)) return newlinesIn(text)
    const lines = text.split('\n')
    // There is no line after the last newline.
    if (lines.at(-1) === '') lines.pop()
    for (const [i, line] of lines.entries()) {
      const content = line.endsWith('\r') ? line.slice(0, -1) : line
      if (!this.expression.fits(content)) continue
      if (this.#found.length < MAX_MATCHES) this.#found.push(`${escapeControls(resolved.shown)}:${before + i + 1}:${shown(content)}`)
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

const shown = (line: string): string => {
  const text = line.trimEnd()
  return text.length <= MAX_LINE_CHARACTERS ? text : `${headOf(text, MAX_LINE_CHARACTERS)}…`
}

const PIECE_BYTES = 1024 * 1024
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Yields pieces of whole lines, up to the size of the file at its opening. Returns false if it is not UTF-8 text or a line is too long. */
async function* readTextPieces(handle: FileHandle, signal: AbortSignal): AsyncGenerator<string, boolean> {
  const { size } = await handle.stat()
  let rest: Buffer[] = []
  let restBytes = 0
  for (let position = 0; position < size && !signal.aborted; ) {
    const wanted = Math.min(PIECE_BYTES, size - position)
    const chunk = Buffer.allocUnsafe(wanted)
    const { bytesRead } = await handle.read(chunk, 0, wanted, position)
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

interface LineExpression {
  /** A quick test whether any line of a text may match; true if unknown. */
  readonly mayFit: (text: string) => boolean
  /** `line` is without its newline. */
  readonly fits: (line: string) => boolean
}

const MAX_PATTERN = 10_000

const readExpression = async (pattern: string, isCaseless: boolean): Promise<Result<LineExpression>> => {
  if (pattern.length > MAX_PATTERN) return fail('input_type_mismatch', `the pattern is longer than ${MAX_PATTERN} characters`)
  const { RE2JS } = await import('re2js')
  const flags = isCaseless ? RE2JS.CASE_INSENSITIVE : 0
  try {
    const line = RE2JS.compile(pattern, flags)
    // Multiline search equals a search line by line, unless lines end with CR or the pattern has \A or \z.
    const whole = /\\[Az]/.test(pattern) ? undefined : RE2JS.compile(pattern, flags | RE2JS.MULTILINE)
    return succeed({
      mayFit: (text) => whole === undefined || text.includes('\r') || whole.matcher(text).find(),
      fits: (text) => line.matcher(text).find(),
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail(
      'input_type_mismatch',
      `'${preview(pattern)}' is not a regular expression of RE2 (no look-around, no back-references): ${why}`,
    )
  }
}
