// Writes the record, the trace and the spans of a run by workers (--record, --trace, OTEL_…), like those of a run in one process. It reads
// the events from the tables when the submitter ends.

import { join, resolve } from 'node:path'
import type { Bound, Graph } from '@plumb/lang'
import { openStore } from '@plumb/ledger/kept'
import type { RunDisplay } from '@plumb/runtime/display'
import {
  type LoggedEvent,
  openEmitter,
  type RunEmitter,
  type RunEvent,
  type RunListener,
  secretsOf,
  type UntimedEvent,
  wiresOf,
} from '@plumb/runtime/event'
import type { RunOptions } from '@plumb/runtime/options'
import {
  clearDirectory,
  identityOfRun,
  KEPT_DIRECTORY,
  notResumable,
  openRecorder,
  type RecordDirectory,
  whyNotResumable,
} from '@plumb/runtime/record'
import { beginOf } from '@plumb/runtime/run'
import type { LoadedSpec } from '@plumb/runtime/spec'
import { type Fault, fault, type Reporter, type Result, succeed } from '@plumb/wire'
import type { Query } from './connection.js'
import { MergedEvents } from './merged-events.js'

export interface KeptRunOptions {
  readonly loaded: LoadedSpec
  readonly bound: Bound
  readonly graph: Graph
  readonly spec: string
  readonly options: RunOptions
  readonly display: RunDisplay
  readonly reporter: Reporter
}

export interface KeptRun {
  /** Adds an error that is in no table. */
  add(error: Fault): void
  write(query: Query, run: string): Promise<void>
  /** Call it when everything else is written. */
  end(status: 0 | 1 | 2, stoppedBy: string | null): Promise<void>
}

/** A failure comes before anything is submitted, but an older record in the directory is already deleted. */
export const openKeptRun = async (o: KeptRunOptions): Promise<Result<KeptRun>> => {
  const { loaded, bound, graph, spec, options, display, reporter } = o
  const { record } = options.recording
  const report = (fault: Fault): void => reporter.report(fault)
  const locked = record === undefined ? succeed(() => {}) : await clearDirectory(record, { isNested: false })
  if (!locked.ok) return locked
  const place: RecordDirectory | undefined = record === undefined ? undefined : { directory: record, spare: [] }
  const identity = await identityOfRun(loaded, graph, options)
  const secrets = secretsOf(loaded.compiled.program, bound, graph)
  if (record !== undefined) for (const words of whyNotResumable(graph, options.programs.agent, secrets)) reporter.warn(notResumable(words))
  const wires = [...wiresOf(graph).values()]
  const { binding } = options.run
  const recorder = place && openRecorder({ ...place, identity, wires, resumed: undefined, spec, binding, report })
  if (recorder?.ok === false) return recorder
  const written = await display.openWritten(reporter, place, report)
  if (!written.ok) return written
  const listeners = [...(recorder ? [recorder.value] : []), ...written.value]
  return succeed(new TableRun(o, listeners, locked.value))
}

class TableRun implements KeptRun {
  readonly #o: KeptRunOptions
  readonly #listeners: readonly RunListener[]
  readonly #release: () => void
  readonly #errors: { readonly at: number; readonly fault: Fault }[] = []
  /** The time of the run in milliseconds up to which it is written; undefined: nothing is written. */
  #ms: number | undefined

  constructor(o: KeptRunOptions, listeners: readonly RunListener[], release: () => void) {
    this.#o = o
    this.#listeners = listeners
    this.#release = release
  }

  add(fault: Fault): void {
    this.#errors.push({ at: Date.now(), fault })
  }

  async write(query: Query, run: string): Promise<void> {
    try {
      await this.#write(query, run)
    } catch (error) {
      const why = (error as Error).message
      this.#o.reporter.report(
        fault('engine_unavailable', `what was kept of the run could not be read to its end: ${why}; the same command tries again`),
      )
    }
  }

  async #write(query: Query, run: string): Promise<void> {
    const { graph, spec, options } = this.#o
    const { rows } = await query(RUN, [run])
    const { begun, taken, now } = (rows[0] ?? {}) as { begun: string; taken: string; now: number }
    const merged = new MergedEvents(graph)
    const letters = await query(LETTERS, [run])
    const errors = [
      ...letters.rows.map(({ ms, said, origin }) => ({
        ms: Number(ms),
        fault: { ...(JSON.parse(String(said)) as Fault), seq: Number(origin) },
      })),
      // The age of an error is measured by this machine's clock.
      ...this.#errors.map(({ at, fault }) => ({ ms: Number(now) - (Date.now() - at), fault })),
    ].sort((a, b) => a.ms - b.ms)
    const emit = this.#emitter()
    const emitErrors = (until: number): void => {
      for (let next = errors[0]; next && next.ms <= until; next = errors[0]) {
        errors.shift()
        emit({ ms: next.ms, kind: 'fault', fault: next.fault })
      }
    }
    emit({ ms: 0, ...beginOf(graph, spec, options), time: begun } as RunEvent)
    for (let seq = 1; seq <= Number(taken); seq++) emit({ ms: 0, kind: 'input', seq, bytes: 0 })
    for await (const { part, process, ms, event } of eventsOf(query, run)) {
      emitErrors(ms)
      for (const one of merged.eventsOf(part, process, event, ms)) emit(one)
    }
    emitErrors(Number.POSITIVE_INFINITY)
    const { record } = options.recording
    const failed = record === undefined ? undefined : await writeRecordedAnswers(query, run, record)
    if (failed) this.#o.reporter.report(failed)
    this.#ms = Number(now)
  }

  async end(status: 0 | 1 | 2, stoppedBy: string | null): Promise<void> {
    if (this.#ms !== undefined) this.#emitter()({ ms: this.#ms, kind: 'end', status, stoppedBy })
    for (const listener of this.#listeners) await listener.finish?.()
    this.#release()
  }

  /** Masks values that may not be shown. */
  #emitter(): (event: RunEvent) => void {
    const { loaded, bound, graph } = this.#o
    const secrets = secretsOf(loaded.compiled.program, bound, graph)
    const plain: RunEmitter | undefined = openEmitter(this.#listeners)
    const emitter = plain && secrets ? secrets.emitter(plain) : plain
    return (event) => emitter?.emit(event as UntimedEvent)
  }
}

const PAGE = 1000

async function* eventsOf(query: Query, run: string) {
  let last = { at: '-infinity', n: '0' }
  for (;;) {
    const { rows } = await query(EVENTS, [run, last.at, last.n, PAGE])
    for (const { part, process, ms, line, at, n } of rows) {
      last = { at: String(at), n: String(n) }
      yield { part: Number(part), process: String(process), ms: Number(ms), event: JSON.parse(String(line)) as LoggedEvent }
    }
    if (rows.length < PAGE) return
  }
}

const SINCE = (time: string) => `round(extract(epoch FROM ${time} - r.begun)::numeric * 1000, 3)`

const RUN = `
SELECT to_char(begun AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS begun, taken, ${SINCE('coalesce(r.ended, now())')} AS now
FROM plumb.run r WHERE id = $1`

const LETTERS = `
SELECT ${SINCE('l.at')} AS ms, l.fault AS said, l.origin FROM plumb.letter l JOIN plumb.run r ON r.id = l.run WHERE l.run = $1 ORDER BY l.id`

const EVENTS = `
SELECT e.part, e.process, e.line, e.n, e.at::text AS at, ${SINCE('e.at')} AS ms
FROM plumb.event e JOIN plumb.run r ON r.id = e.run WHERE e.run = $1 AND (e.at, e.n) > ($2::timestamptz, $3::bigint)
ORDER BY e.at, e.n LIMIT $4`

/** Writes the answers to the directory of a new record; returns the first failure. */
const writeRecordedAnswers = async (query: Query, run: string, record: string): Promise<Fault | undefined> => {
  const store = openStore(resolve(join(record, KEPT_DIRECTORY)), true)
  if (!store.ok) return store.error
  let failed: Fault | undefined
  let last: readonly unknown[] = ['', '', '{}', '0', '0']
  let equal = { hash: '', place: '', nth: 0 }
  for (;;) {
    const { rows } = await query(RECORDED, [run, ...last])
    for (const { hash, place, ord, k, n, answer } of rows) {
      last = [hash, place, ord, k, n]
      const isSame = equal.hash === hash && equal.place === place
      equal = { hash: String(hash), place: String(place), nth: isSame ? equal.nth + 1 : 1 }
      failed ??= store.value.put({ ...equal, answer: JSON.parse(String(answer)) as unknown })
    }
    if (rows.length === 0) return failed
  }
}

/** Few at a time: each may be long. */
const RECORDED = `
SELECT hash, place, ord::text AS ord, k, n, answer FROM plumb.recorded
WHERE run = $1 AND (hash, place, ord, k, n) > ($2, $3, $4::bigint[], $5::int, $6::bigint)
ORDER BY hash, place, ord, k, n LIMIT 100`
