// Notices for a person at the terminal: what the run reads, that it is stopping, and on SIGQUIT where its messages are.

import { type Bound, type Graph, printType, takesText } from '@plumb/lang'
import { announceInput, isTerminal, preview, type Reporter } from '@plumb/wire'
import type { Holding } from '../graph/holding.js'
import type { RunOptions } from '../options/run-options.js'
import { whyNotResumable } from '../record/resume/not-resumable.js'

export const noticeInput = ({ inputs }: Bound, { lines }: RunOptions, reporter: Reporter): void => {
  const [type] = inputs
  if (!type || lines.isMux || lines.isNumbered) return
  announceInput('plumb', { type: printType(type), takesText: takesText(type), isRaw: lines.rawInput }, (line) => reporter.write(line))
  reporter.flush()
}

/** After Ctrl-C. */
export const noticeStop = (inFlight: number, graceMs: number, reporter: Reporter): void => {
  if (!isTerminal(2) || reporter.isJson) return
  const one = inFlight === 1
  const waits =
    inFlight === 0 ? '' : `: ${inFlight} ${one ? 'message is' : 'messages are'} in flight and ${one ? 'has' : 'have'} ${graceMs / 1000} s`
  reporter.write(`plumb: stopping${waits}; Ctrl-C again ends it at once`)
  reporter.flush()
}

/** After a run that a signal has ended, where its record can be resumed. */
export const noticeRecord = (graph: Graph, { recording, programs }: RunOptions, reporter: Reporter): void => {
  const { record, resume = record } = recording
  if (resume === undefined || !isTerminal(2) || reporter.isJson || whyNotResumable(graph, programs.agent).length > 0) return
  reporter.write(`plumb: the same with --resume ${preview(resume)} goes on with it`)
}

export const noticeHoldings = async (holdings: readonly Holding[], reporter: Reporter): Promise<void> => {
  const { showHolding } = await import('../graph/holding.js')
  if (reporter.isJson) reporter.write(JSON.stringify({ holding: holdings }))
  else for (const holding of holdings) reporter.write(`plumb: ${showHolding(holding)}`)
}
