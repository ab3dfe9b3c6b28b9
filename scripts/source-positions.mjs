// Positions in bundled tests as positions in their sources. Node does it too, with --enable-source-maps, but reads the map of every bundle
// and package as it is loaded, which costs 0.2 s a test file; here the map is read when a test has failed.

import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { ROOT } from './command.mjs'

/** The output of a test with each `FILE.cjs:LINE:COLUMN`, and each `at` of tap, as a place in the sources. */
export const withSourcePositions = (output) => {
  const maps = new Map()
  const sourceOf = (file, line, column) => {
    const path = resolve(ROOT, file)
    if (!maps.has(path))
      maps.set(path, existsSync(`${path}.map`) ? new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))) : undefined)
    const { originalSource, originalLine, originalColumn } = maps.get(path)?.findEntry(line - 1, column - 1) ?? {}
    return (
      originalSource && { file: relative(ROOT, join(dirname(path), originalSource)), line: originalLine + 1, column: originalColumn + 1 }
    )
  }
  return output
    .replace(/([\w@/.-]+\.cjs):(\d+):(\d+)/g, (found, file, line, column) => {
      const source = sourceOf(file, Number(line), Number(column))
      return source ? `${source.file}:${source.line}:${source.column}` : found
    })
    .replace(/(fileName: )(\S+\.cjs)(\s+lineNumber: )(\d+)(\s+columnNumber: )(\d+)/g, (found, a, file, b, line, c, column) => {
      const source = sourceOf(file, Number(line), Number(column))
      return source ? a + source.file + b + source.line + c + source.column : found
    })
}
