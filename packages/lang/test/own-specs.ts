// The specs of this repository: examples, the standard library, and those in the cases.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DIRECTORIES = ['packages/plumb/examples', 'packages/lang/src/stdlib', 'packages/plumb/test/fixtures']

const inDirectories = DIRECTORIES.flatMap((directory) =>
  readdirSync(directory).flatMap((name) => (name.endsWith('.plumb') ? [readFileSync(join(directory, name), 'utf8')] : [])),
)

const caseFiles = ['test/cases', 'test/long-cases'].flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)))
const inCases = caseFiles.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^-- \S+\.plumb --\n([\s\S]*?)(?=^-- |$(?![\s\S]))/gm)].map(([, text = '']) => text),
)

/** Also those with mistakes. */
export const ownSpecs: readonly string[] = [...inDirectories, ...inCases]
