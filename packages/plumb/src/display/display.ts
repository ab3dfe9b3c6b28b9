// Of most runs nothing is to be seen, and then nothing of what would show it is loaded.

import { isTerminal, type LineSink, openLineOutput, openOutput, succeed } from '@plumb/wire'
import type { RunOptions } from '../run-options.js'
import type { Sight as WholeSight } from './run-display.js'

export type Sight = Pick<WholeSight, 'openStderr' | 'quietly' | 'open' | 'costOf'> & { readonly openStdout: () => LineSink }

const UNSEEN: Sight = {
  openStderr: () => openOutput(2),
  openStdout: () => openLineOutput(1),
  quietly: (work) => work(),
  costOf: () => undefined,
  open: () => succeed([]),
}

/** Call it before anything is written. */
export const openSight = async (options: RunOptions): Promise<Sight> => {
  if (!isSeen(options)) return UNSEEN
  const { Sight } = await import('./run-display.js')
  return new Sight(options.sight, { isChild: options.sourcesFd !== undefined })
}

/** Also where whoever would see it is told so, or that it cannot be. */
export const isSeen = ({ sight: { trace, progress, summary, prices }, watching: { record, resume } }: RunOptions): boolean =>
  [trace, summary, prices, record, resume].some((value) => value !== undefined) ||
  (progress ?? (isTerminal(2) && !isTerminal(0))) ||
  Object.keys(process.env).some((name) => name.startsWith('OTEL_'))
