// grep: lines that a regular expression finds, as `path:line:text`; linear time, whatever the expression.

import { escapeControls, succeed } from '@plumb/wire'
import { closeQuietly, openFile } from '../../path/open.js'
import { type ResolvedPath, resolvePath } from '../../path/resolved-path.js'
import type { Builtin } from '../builtin.js'
import { type LineExpression, readExpression } from './expression.js'
import { readGlob } from './glob-pattern.js'
import { isFolderAt } from './is-folder.js'
import { namedPath, type PathInput } from './path-input.js'
import { isReadable } from './permitted-file.js'
import { readTextPieces } from './text-pieces.js'
import { unseenNotes } from './unseen-notes.js'
import { walkFiles } from './walk.js'

interface Input extends Partial<PathInput> {
  readonly pattern: string
  readonly glob?: string
  readonly ignore_case?: boolean
}

const MAX_MATCHES = 1000
const MAX_LINE_CHARACTERS = 500
/** Larger files are counted as skipped. */
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
    const unseen = { folders: 0, names: 0 }
    if (!(await isFolderAt(resolved.value))) await search.file(resolved.value)
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

  /** Returns how many there are. */
  #lines(text: string, resolved: ResolvedPath, before: number): number {
    if (!this.expression.mayFit(text)) return newlinesIn(text)
    const lines = text.split('\n')
    // Behind the last newline there is no line.
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
  return text.length <= MAX_LINE_CHARACTERS ? text : `${text.slice(0, MAX_LINE_CHARACTERS)}…`
}
