// Scripts around plumb-tool, each in a directory of its own with the files that it needs.

import type { Test } from 'tap'
import { bash, type Case, type Files, makeTestDirectory, type Ran, runCases, TEST_PATH } from '../../wire/test/shell.js'

export const shell = (script: string, files: Files, input = ''): Promise<Ran> => {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  return bash(script, { directory: makeTestDirectory(files), env: { ...env, PATH: TEST_PATH } }, input)
}

export const table = (t: Test, cases: Readonly<Record<string, Case>>, files: Files): Promise<void> =>
  runCases(t, cases, ({ run, in: input }) => shell(run, files, typeof input === 'string' ? input : ''))
