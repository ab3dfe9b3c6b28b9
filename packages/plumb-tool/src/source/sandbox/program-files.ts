// The files that a program is made of, which its tools leave as they are.

import { resolve } from 'node:path'
import type { Session } from '../../call/call.js'

/** The spec with its modules, and what a tool names besides. */
export const programFilesOf = ({ files }: Pick<Session, 'files'>, specPath: string, named: readonly string[]): readonly string[] => [
  ...Object.keys(files.bundle(specPath).files)
    .filter((path) => !path.startsWith('<'))
    .map((path) => resolve(path)),
  ...named,
]
