// Tells the summary once the run is over.

import type { Watcher } from '../event/run-event.js'
import type { Prices } from './prices.js'
import type { Counter } from './stats-counter.js'
import { summaryJson, summaryText } from './summary.js'

export interface SummaryOptions {
  readonly counter: Counter
  readonly prices: Prices | undefined
  readonly form: 'text' | 'json'
  readonly write: (line: string) => void
}

export const summaryWatcher = ({ counter, prices, form, write }: SummaryOptions): Watcher => {
  let begun = { spec: '', binding: '', ms: 0 }
  return {
    on: (event) => {
      if (event.kind === 'begin') begun = { spec: event.spec, binding: event.binding, ms: event.ms }
      if (event.kind !== 'end') return
      const { status, stoppedBy } = event
      const run = { ...begun, ms: event.ms - begun.ms, status, stoppedBy, tally: counter.tally, prices }
      for (const line of form === 'json' ? [summaryJson(run)] : summaryText(run)) write(line)
    },
  }
}
