// --progress: live at the bottom of a terminal, or a line now and then.

import { nowMs } from '@plumb/wire'
import type { RunEvent, RunListener } from '../event/run-event.js'
import type { LiveScreen } from './live-screen.js'
import { type ProgressState, progressLine } from './progress-table.js'
import type { RunStats } from './stats.js'
import { progressJson } from './summary.js'

/** What a run has done so far, as it changes. */
export interface Counted {
  readonly stats: RunStats
  /** Of all inputs as far as they were read, with line ends. */
  readonly bytesRead: number
  /** Messages that are not done with yet. */
  readonly inFlight: number
}

export interface ProgressOptions {
  readonly counter: Counted
  readonly asksCost: boolean
  /** Bytes of the whole input; undefined: unknown. */
  readonly inputBytes: number | undefined
}

export interface ProgressLinesOptions {
  readonly isJson: boolean
  readonly write: (line: string) => void
}

/** Delay of the first drawing: a shorter run shows nothing. */
const FIRST_DRAW_MS = 500
const DRAW_INTERVAL_MS = 100
const LINE_INTERVAL_MS = 5000

/** Gives the state of the run at any moment; undefined before it has begun. */
export class ProgressClock implements RunListener {
  readonly #o: ProgressOptions
  /** On the clock of this process. */
  #begunMs: number | undefined

  constructor(options: ProgressOptions) {
    this.#o = options
  }

  on(event: RunEvent): void {
    if (event.kind === 'begin') this.#begunMs = nowMs() - event.ms
  }

  get state(): ProgressState | undefined {
    if (this.#begunMs === undefined) return undefined
    const { counter, asksCost, inputBytes } = this.#o
    return { stats: counter.stats, ms: nowMs() - this.#begunMs, done: doneOf(counter, inputBytes), asksCost }
  }
}

// The share of the input that was read, without the messages that wait for their answers.
const doneOf = ({ stats, bytesRead, inFlight }: Counted, inputBytes: number | undefined): number | undefined => {
  if (inputBytes === undefined || inputBytes === 0 || stats.inputs === 0) return undefined
  const share = Math.max(0, stats.inputs - inFlight) / stats.inputs
  return Math.min(1, bytesRead / inputBytes) * share
}

/** Draws ten times a second, and clears the screen at the end. */
export const liveProgress = (screen: LiveScreen): RunListener => {
  let first: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    on: ({ kind }) => {
      if (kind === 'begin') {
        first = setTimeout(() => {
          screen.draw()
          timer = setInterval(() => screen.draw(), DRAW_INTERVAL_MS).unref()
        }, FIRST_DRAW_MS).unref()
      } else if (kind === 'end') {
        clearTimeout(first)
        clearInterval(timer)
        screen.clear()
      }
    },
  }
}

/** A line every five seconds, and one at the end. */
export const progressLines = (clock: ProgressClock, { isJson, write }: ProgressLinesOptions): RunListener => {
  let timer: NodeJS.Timeout | undefined
  const writeLine = (): void => {
    const { state } = clock
    if (state) write(isJson ? progressJson(state) : `plumb: ${progressLine(state)}`)
  }
  return {
    on: ({ kind }) => {
      if (kind === 'begin') timer = setInterval(writeLine, LINE_INTERVAL_MS).unref()
      if (kind !== 'end') return
      clearInterval(timer)
      writeLine()
    },
  }
}
