// --trace FILE: the events of a run, streamed to disk as a trace that Perfetto opens.

import { type Fault, type Result, scrub, scrubHead, succeed } from '@plumb/wire'
import type { RunListener } from '../../event/run-event.js'
import { type LineFile, openLineFile } from '../../record/line-file.js'
import type { CostOf } from '../stats-counter.js'
import { TraceBuilder } from './trace-builder.js'
import type { TraceEvent } from './trace-event.js'

const DELAY_MS = 200

export interface TraceFileOptions {
  readonly path: string
  /** Beyond these sizes events have the beginning of long texts, and then none is added; undefined: no limit. */
  readonly limits?: { readonly whole: number; readonly brief: number }
  /** The trace goes in front: where the disk is full, it is the first file that is emptied. */
  readonly spare?: LineFile[]
  /** Without it no request has a price. */
  readonly costOf?: CostOf
  /** Called once when it cannot be written any more; the run goes on. */
  readonly fail: (fault: Fault) => void
}

/** Writes one event a line. */
export const openTraceFile = ({
  path,
  limits: { whole, brief } = { whole: Number.POSITIVE_INFINITY, brief: Number.POSITIVE_INFINITY },
  spare,
  costOf,
  fail,
}: TraceFileOptions): Result<RunListener> => {
  const opened = openLineFile({ path, delayMs: DELAY_MS, fail, isSpared: spare !== undefined })
  if (!opened.ok) return opened
  const file = opened.value
  spare?.unshift(file)
  let separator = '['
  let bytes = 0
  const builder = new TraceBuilder((event) => {
    const line = separator + scrub(JSON.stringify(bytes < whole ? event : shortened(event)))
    bytes += line.length + 1
    file.add(line)
    separator = ','
  }, costOf)
  return succeed({
    on: (event) => {
      if (bytes < brief) builder.on(event)
    },
    finish: async () => {
      // The format allows that its end is missing, so a run that is killed leaves a trace too.
      file.add(separator === '[' ? '[]' : ']')
      file.flush()
    },
  })
}

/** Characters of a text; a value that is cut is a text, as in other events. */
const MAX_BRIEF = 200
const TEXTS: ReadonlySet<string> = new Set(['message', 'input', 'output', 'result', 'error', 'detail', 'told', 'reason', 'system', 'tools'])

const shortened = (event: TraceEvent): TraceEvent => {
  const { args } = event
  if (!args) return event
  const cut = Object.entries(args).map(([name, value]) => [name, TEXTS.has(name) ? beginning(value) : value])
  return { ...event, args: Object.fromEntries(cut) }
}

const beginning = (value: unknown): unknown => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (text.length <= MAX_BRIEF) return value
  return `${scrubHead(text, MAX_BRIEF).head.replace(/[\ud800-\udbff]$/, '')}…`
}
