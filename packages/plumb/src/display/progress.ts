// --progress: live at the bottom of a terminal, or a line now and then.

import { nowMs } from '@plumb/wire'
import type { WatchEvent, Watcher } from '../event/run-event.js'
import type { LiveScreen } from './live-screen.js'
import type { Prices } from './prices.js'
import { type ProgressState, progressLine } from './progress-table.js'
import type { Counter } from './stats-counter.js'
import { progressJson } from './summary.js'

export interface ProgressOptions {
  readonly counter: Counter
  readonly prices: Prices | undefined
  /** Bytes of the whole input; undefined: that is not known. */
  readonly inputBytes: number | undefined
}

export interface LinesOptions {
  readonly isJson: boolean
  readonly write: (line: string) => void
}

/** A run that is over sooner shows nothing. */
const FIRST_MS = 500
const DRAW_MS = 100
const LINE_MS = 5000

/** What is to be shown now; undefined: nothing yet. Takes part as a watcher. */
export class ProgressClock implements Watcher {
  readonly #o: ProgressOptions
  /** On the clock of this process. */
  #begunMs: number | undefined

  constructor(options: ProgressOptions) {
    this.#o = options
  }

  on(event: WatchEvent): void {
    if (event.kind === 'begin') this.#begunMs = nowMs() - event.ms
  }

  get state(): ProgressState | undefined {
    if (this.#begunMs === undefined) return undefined
    const { counter, prices, inputBytes } = this.#o
    return { tally: counter.tally, ms: nowMs() - this.#begunMs, done: doneOf(counter, inputBytes), prices }
  }
}

// Of what was read, what waits for its answer is not done.
const doneOf = ({ tally, bytesRead, inFlight }: Counter, inputBytes: number | undefined): number | undefined => {
  if (inputBytes === undefined || inputBytes === 0 || tally.taken === 0) return undefined
  const share = Math.max(0, tally.taken - inFlight) / tally.taken
  return Math.min(1, bytesRead / inputBytes) * share
}

/** Draws ten times a second, and takes all away at the end. */
export const liveProgress = (screen: LiveScreen): Watcher => {
  let first: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    on: ({ kind }) => {
      if (kind === 'begin') {
        first = setTimeout(() => {
          screen.draw()
          timer = setInterval(() => screen.draw(), DRAW_MS).unref()
        }, FIRST_MS).unref()
      } else if (kind === 'end') {
        clearTimeout(first)
        clearInterval(timer)
        screen.clear()
      }
    },
  }
}

/** A line every five seconds, and one at the end. */
export const progressLines = (clock: ProgressClock, { isJson, write }: LinesOptions): Watcher => {
  let timer: NodeJS.Timeout | undefined
  const tell = (): void => {
    const { state } = clock
    if (state) write(isJson ? progressJson(state) : `plumb: ${progressLine(state)}`)
  }
  return {
    on: ({ kind }) => {
      if (kind === 'begin') timer = setInterval(tell, LINE_MS).unref()
      if (kind !== 'end') return
      clearInterval(timer)
      tell()
    },
  }
}
