// Errors and debug logs, and the exit status of the reported errors.

import { type Fault, Reporter } from '@plumb/wire'

export interface Stderr {
  /** Written at once: a reader of the outputs may look for the error next. */
  readonly report: (fault: Fault) => void
  /** An error that is told elsewhere: only its status counts. */
  readonly count: (fault: Fault) => void
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
    count: (error) => reporter.count(error),
    warn: (warning) => reporter.warn(warning),
    write: (line) => reporter.write(line),
    end: async () => {
      await reporter.end()
      return reporter.status
    },
  }
}
