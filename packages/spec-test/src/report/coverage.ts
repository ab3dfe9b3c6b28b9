// Prints what no test reached, in the format of the chosen reporter.

import type { Point, ReporterName } from './result.js'

export interface ShownCoverage {
  readonly stdout: string
  /** Lines that standard output has no space for. */
  readonly stderr: readonly string[]
}

export const showCoverage = (points: readonly Point[], reporter: ReporterName): ShownCoverage => {
  const missed = points.filter(({ hits }) => hits === 0)
  if (reporter === 'json') {
    const lines = missed.map(({ file, line, column, kind, name }) => `${JSON.stringify({ file, line, column, kind, name })}\n`)
    return { stdout: lines.join(''), stderr: [] }
  }
  const reached = points.length - missed.length
  const share = points.length === 0 ? 100 : Math.floor((100 * reached) / points.length)
  const lines = [
    ...missed.map(({ file, line, column, kind, name }) => `${file}:${line}:${column}: no test reaches ${kind} '${name}'`),
    `coverage: ${reached} of ${points.length} reached (${share} %)`,
  ]
  if (reporter === 'junit') return { stdout: '', stderr: lines }
  const before = reporter === 'tap' ? '# ' : ''
  return { stdout: lines.map((line) => `${before}${line}\n`).join(''), stderr: [] }
}
