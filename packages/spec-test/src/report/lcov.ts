// The coverage in LCOV's format.

import type { Point } from './result.js'

/** Lines, functions and branches of each file. */
export const toLcov = (points: readonly Point[]): string =>
  [...new Set(points.map(({ file }) => file))]
    .map((file) =>
      lcovOf(
        file,
        points.filter((point) => point.file === file),
      ),
    )
    .join('')

const lcovOf = (file: string, points: readonly Point[]): string => {
  const isFunction = ({ kind }: Point): boolean => kind === 'binding' || kind === 'tool'
  const functions = points.filter(isFunction)
  const branches = points.filter((point) => !isFunction(point))
  const lines = new Map<number, number>()
  for (const { line, hits } of points) lines.set(line, Math.min(lines.get(line) ?? hits, hits))
  const count = (all: readonly { readonly hits: number }[]) => all.filter(({ hits }) => hits > 0).length
  return `${[
    'TN:',
    `SF:${file}`,
    ...functions.map(({ line, name }) => `FN:${line},${name}`),
    ...functions.map(({ hits, name }) => `FNDA:${hits},${name}`),
    `FNF:${functions.length}`,
    `FNH:${count(functions)}`,
    // Branches on one line are one block.
    ...branches.map(({ line, hits }, i) => `BRDA:${line},0,${branches.slice(0, i).filter((other) => other.line === line).length},${hits}`),
    `BRF:${branches.length}`,
    `BRH:${count(branches)}`,
    ...[...lines].sort(([a], [b]) => a - b).map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${lines.size}`,
    `LH:${[...lines.values()].filter((hits) => hits > 0).length}`,
    'end_of_record',
  ].join('\n')}\n`
}
