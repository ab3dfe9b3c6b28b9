// The life of an executable: runs its main and sets the exit status.

import { type Fault, fault } from '../error.js'
import { ownDescriptors } from '../fd/inherited.js'
import { Reporter } from './reporter.js'

/** `main` resolves to the exit status. An exception is a bug, and reported as one. */
export const runProgram = (program: string, main: () => Promise<number>): void => {
  ownDescriptors()
  void main()
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
