// Opens the display of a run. Most runs show nothing, and then no code for it is loaded.

import { isTerminal, type LineSink, openLineOutput, openOutput, succeed } from '@plumb/wire'
import type { RunOptions } from '../options/run-options.js'
import type { RunDisplay } from './run-display.js'

export type Display = Pick<RunDisplay, 'openStderr' | 'withoutLiveLines' | 'openListeners' | 'costOf'> & {
  readonly openStdout: () => LineSink
}

const NO_DISPLAY: Display = {
  openStderr: () => openOutput(2),
  openStdout: () => openLineOutput(1),
  withoutLiveLines: (work) => work(),
  costOf: () => undefined,
  openListeners: async () => succeed([]),
}

/** Call it before anything is written. */
export const openDisplay = async (options: RunOptions): Promise<Display> => {
  if (!hasDisplay(options)) return NO_DISPLAY
  const { RunDisplay } = await import('./run-display.js')
  return new RunDisplay(options.display, { isChild: options.spec.sourcesFd !== undefined })
}

/** True also for --record and --resume, which write a trace, and for OTEL_ variables, which may be wrong. */
export const hasDisplay = ({ display: { trace, progress, summary, prices }, recording: { record, resume } }: RunOptions): boolean =>
  [trace, summary, prices, record, resume].some((value) => value !== undefined) ||
  (progress ?? (isTerminal(2) && !isTerminal(0))) ||
  Object.keys(process.env).some((name) => name.startsWith('OTEL_'))
