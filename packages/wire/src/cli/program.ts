// The life of an executable: runs its main and sets the exit status.

import { type Fault, fault } from '../error.js'
import { ownDescriptors } from '../fd/inherited.js'
import { Reporter } from './reporter.js'
import { writeStdout } from './write-stdout.js'

/**
 * `main` gets the arguments and resolves to the exit status. An exception is a bug, and reported as one. `--version` alone is answered with
 * `version` before options are described.
 */
export const runProgram = (program: string, version: string, main: (argv: readonly string[]) => Promise<number>): void => {
  ownDescriptors()
  const argv = process.argv.slice(2)
  const run = async (): Promise<number> =>
    argv.length === 1 && argv[0] === '--version' ? endWith(program, await writeStdout(`${version}\n`)) : main(argv)
  void run()
    .catch((error: unknown) => endWith(program, fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error))))
    .then((status) => {
      process.exitCode = status
    })
}

/** For a program that prints one text, or nothing: resolves to the exit status. */
export const endWith = async (program: string, failure: Fault | undefined): Promise<0 | 1 | 2> => {
  if (failure === undefined) return 0
  const reporter = new Reporter(program)
  reporter.report(failure)
  await reporter.end()
  return reporter.status
}
