// grep: lines that a regular expression finds, as `path:line:text`; linear time, whatever the expression.

import { escapeControls, succeed } from '@plumb/wire'
import { letGo, openFile } from '../../path/open.js'
import { type Place, placeOf } from '../../path/resolved-path.js'
import type { Builtin } from '../builtin.js'
import { type LineExpression, readExpression } from './expression.js'
import { readGlob } from './glob-pattern.js'
import { isFolder } from './is-folder.js'
import { namedPath, type PathInput } from './path-input.js'
import { isReadable } from './permitted-file.js'
import { textPieces } from './text-pieces.js'
import { unseenNotes } from './unseen-notes.js'
import { walk } from './walk.js'

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
    const place = placeOf(path, 'read', context, root)
    if (!place.ok) return place
    const expression = await readExpression(pattern, ignore_case)
    if (!expression.ok) return expression
    const only = await readGlob(glob)
    if (!only.ok) return only
    const { fits, wantsHidden } = only.value
    const { signal } = context.call
    const search = new Search(expression.value, signal)
    const unseen = { folders: 0, names: 0 }
    if (!(await isFolder(place.value))) await search.file(place.value)
    else {
      for await (const found of walk(place.value, signal, { withHidden: wantsHidden, unseen })) {
        if (fits(found.path) && isReadable(found.place, context)) await search.file(found.place)
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

  async file(place: Place): Promise<void> {
    if (!(await this.#search(place))) this.#skipped++
  }

  report(): string[] {
    return [
      ...this.#found,
      ...(this.#more > 0 ? [`[truncated: ${this.#more} more lines]`] : []),
      ...(this.#skipped > 0 ? [`[skipped: ${this.#skipped} binary, unreadable or very large files]`] : []),
    ]
  }

  async #search(place: Place): Promise<boolean> {
    const opened = await openFile(place)
    if (!opened.ok) return false
    try {
      if ((await opened.value.stat()).size > MAX_FILE_BYTES) return false
      const pieces = textPieces(opened.value, this.signal)
      let before = 0
      for (let next = await pieces.next(); ; next = await pieces.next()) {
        if (next.done) return next.value
        before += this.#lines(next.value, place, before)
      }
    } catch {
      return false
    } finally {
      await letGo(opened.value)
    }
  }

  /** Returns how many there are. */
  #lines(text: string, place: Place, before: number): number {
    if (!this.expression.mayFit(text)) return newlinesIn(text)
    const lines = text.split('\n')
    // Behind the last newline there is no line.
    if (lines.at(-1) === '') lines.pop()
    for (const [i, line] of lines.entries()) {
      const content = line.endsWith('\r') ? line.slice(0, -1) : line
      if (!this.expression.fits(content)) continue
      if (this.#found.length < MAX_MATCHES) this.#found.push(`${escapeControls(place.shown)}:${before + i + 1}:${shown(content)}`)
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
