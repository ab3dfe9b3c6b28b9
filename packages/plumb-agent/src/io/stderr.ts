// Errors and debug logs, and the exit status of the reported errors.

import { type Fault, Reporter } from '@plumb/wire'

export interface Stderr {
  /** Written at once: a parent counts errors and outputs in the order in which they are written. */
  readonly report: (fault: Fault) => void
  /** Errors wait for their reader: false, or true, and `done` is called when they do no more. */
  readonly isBehind: (done: () => void) => boolean
  /** A warning. */
  readonly warn: (fault: Fault) => void
  /** One line, unchanged. */
  readonly write: (line: string) => void
  /** Resolves to the exit status of the reported errors. */
  readonly end: () => Promise<0 | 1 | 2>
}

export const openStderr = (program: string): Stderr => {
  const reporter = new Reporter(program)
  return {
    report: (error) => {
      reporter.report(error)
      reporter.flush()
    },
    isBehind: (done) => {
      const { isBehind } = reporter
      if (isBehind) reporter.afterWritten(done)
      return isBehind
    },
    warn: (warning) => reporter.warn(warning),
    write: (line) => reporter.write(line),
    end: async () => {
      await reporter.end()
      return reporter.status
    },
  }
}
