// Scripts around plumb: a plain word in place of one is the name of a spec that reads what comes in.

import { resolve } from 'node:path'
import t from 'tap'
import { bash, type Case, envIn, type Files, makeTestDirectory, type Ran, runCases } from '../../wire/test/shell.js'

/** Every script runs in a directory of its own with the files in it. */
export const makeShell = (files: Files) => {
  const env = envIn(makeTestDirectory())
  const shell = (script: string, input: string | Buffer = ''): Promise<Ran> =>
    bash(script, { directory: makeTestDirectory(files), env }, input)

  const table = (title: string, cases: Readonly<Record<string, Case>>): void =>
    void t.test(title, (t) => runCases(t, cases, ({ run, in: input }) => shell(/^[\w-]+$/.test(run) ? `plumb ${run}.plumb` : run, input)))

  return { shell, table, makeTestDirectory: () => makeTestDirectory(files), env, fixtures: resolve('packages/plumb/test/fixtures') }
}

export const lines = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')
