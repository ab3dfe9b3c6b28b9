// Errors and debug logs, and the exit status of the reported errors.

import type { DiagnosticOutput } from '@plumb/lang'
import { type Fault, Reporter } from '@plumb/wire'

export interface Stderr extends DiagnosticOutput {
  /** Written at once: a reader of the outputs may look for the error next. */
  readonly report: (fault: Fault) => void
  /** An error that is told elsewhere: only its status counts. */
  readonly count: (fault: Fault) => void
  /** A warning. */
  readonly warn: (fault: Fault) => void
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
    write: (text) => reporter.write(text),
    get isStyled() {
      return reporter.isStyled
    },
    get columns() {
      return reporter.columns
    },
    end: async () => {
      await reporter.end()
      return reporter.status
    },
  }
}
