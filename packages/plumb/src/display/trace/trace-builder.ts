// What happened in a run as the events of a trace.

import type { WatchEvent } from '../../event/run-event.js'
import { countOf, shortText, type Work } from '../message-span.js'
import { History, type ModelCall, type Remark, type ToolCall } from '../span-builder.js'
import { addTokens, NO_TOKENS, readAndWritten } from '../stats.js'
import { microseconds, type TraceEvent } from './trace-event.js'
import { type Place, RUN_PID, TraceMap } from './trace-layout.js'

/** The first event of a trace of ours: what `plumb view` needs besides the timeline. */
export const RUN_EVENT = 'plumb_run'

/** Lines for the messages of one child; more at a time stand one after the other. */
const MOST_LINES = 64
/** Microseconds: what a child tells of its times is in whole milliseconds. */
const SLACK = 1000

type Placed = Place & { readonly ts: number }

export class TraceBuilder {
  readonly #emit: (event: TraceEvent) => void
  readonly #map = new TraceMap()
  /** Where the last piece on each line ends: pieces of one line do not overlap. */
  readonly #ends = new Map<string, number>()
  /** The last piece of each child: what it gives comes from there. */
  readonly #lastPieces = new Map<string, Placed>()
  readonly #inside = new Set<string>()
  readonly #sources = new Set<string>()
  /** Arrows to a child whose piece is drawn when its work is done. */
  readonly #lastArrow = new Map<string, string>()
  readonly #arrows = new Map<string, string>()
  readonly #tokens = new Map<string, typeof NO_TOKENS>()
  #lastId = 0
  readonly #history = new History({
    work: (work) => this.#work(work),
    modelCall: (call) => this.#modelCall(call),
    toolCall: (call) => this.#toolCall(call),
    remark: (remark) => this.#remark(remark),
  })

  constructor(emit: (event: TraceEvent) => void) {
    this.#emit = emit
  }

  on(event: WatchEvent): void {
    if (event.kind === 'asked') this.#asked(event)
    this.#history.on(event)
    switch (event.kind) {
      case 'begin':
        this.#begin(event)
        break
      case 'spawned':
        for (const named of this.#map.spawned(event)) this.#emit(named)
        break
      case 'message':
        this.#message(event)
        break
      case 'fault':
        this.#instant(event.fault.error, String(event.fault.process ?? event.fault.source ?? ''), event.ms, { ...event.fault })
        break
      case 'exited':
        this.#instant('exited', event.process, event.ms, { status: event.status, signal: event.signal })
        break
      case 'end':
        this.#instant('end', '', event.ms, { status: event.status, stopped_by: event.stoppedBy })
        break
      default:
    }
  }

  #begin(event: WatchEvent & { kind: 'begin' }): void {
    const { time, spec, binding, nodes, wires, dot, ms } = event
    const args = { time, spec, binding, nodes, wires, dot: dot() }
    this.#emit({ name: RUN_EVENT, ph: 'M', pid: RUN_PID, ts: microseconds(ms), args })
    for (const named of this.#map.begin(event)) this.#emit(named)
    const fed = new Set(wires.map(({ to }) => to))
    for (const { name, kind } of nodes) {
      if (kind !== 'agent' && kind !== 'plumb') this.#inside.add(name)
      if (!fed.has(name)) this.#sources.add(name)
    }
  }

  // The piece of the sender is there by now: what it gives comes from what it was given, or from an answer of its child.
  #message({ wire, seq, ms, ...bytes }: WatchEvent & { kind: 'message' }): void {
    const { from, to, name } = wire
    const args = { seq, wire: name, message: shortText(bytes) }
    const id = `w${++this.#lastId}`
    if (this.#sources.has(from)) this.#piece(`#${seq}`, this.#map.of(from), ms, ms, { seq, message: args.message })
    const start = this.#lastPieces.get(from) ?? this.#map.of(from)
    const arrow = { name: 'message', cat: 'wire', id } as const
    this.#emit({ ...arrow, ph: 's', pid: start.pid, tid: start.tid, ts: Math.max(0, this.#endOf(start) - 1) })
    if (!this.#inside.has(to)) {
      this.#lastArrow.set(to, id)
      // The message itself is told at the end of the arrow, once for each wire.
      this.#emit({ name, ph: 'i', s: 't', cat: 'wire', pid: start.pid, tid: start.tid, ts: Math.max(0, this.#endOf(start) - 1), args })
      return
    }
    this.#emit({ ...arrow, ph: 'f', bp: 'e', ...this.#piece(`#${seq}`, this.#map.of(to), ms, ms, args) })
  }

  #asked({ process, n }: WatchEvent & { kind: 'asked' }): void {
    const id = this.#lastArrow.get(process)
    this.#lastArrow.delete(process)
    if (id !== undefined) this.#arrows.set(`${process} ${n}`, id)
  }

  #work({ process, n, seq, sent, start, end, held, isBegun, input, output, fault }: Work): void {
    const key = `${process} ${n}`
    const id = this.#arrows.get(key)
    this.#arrows.delete(key)
    const outcome = fault
      ? { error: fault.error, detail: fault.detail }
      : output === undefined
        ? { unfinished: true, begun: isBegun }
        : { output }
    const waits = { waited_ms: rounded(start - sent), ...(held >= 1 ? { held_ms: rounded(held) } : {}) }
    const placed = this.#piece(`#${seq}`, this.#freeLine(process, start), start, end, { seq, n, ...waits, input, ...outcome }, 'work')
    this.#lastPieces.set(process, placed)
    if (id !== undefined) this.#emit({ name: 'message', cat: 'wire', id, ph: 'f', bp: 'e', ...placed })
  }

  #modelCall({ process, agent, model, start, end, tokens, work }: ModelCall): void {
    const { pid } = this.#map.of(process)
    const { read: input, written: output } = readAndWritten(tokens)
    const args = {
      agent,
      seq: work?.seq,
      model,
      read: input,
      written: output,
      cache_read: tokens.cache_read,
      cache_creation: tokens.cache_creation,
    }
    this.#span(`chat ${model}`, 'model', pid, { start, end, args })
    const sum = addTokens(this.#tokens.get(process) ?? NO_TOKENS, tokens)
    this.#tokens.set(process, sum)
    const { read, written } = readAndWritten(sum)
    this.#emit({ name: 'tokens', ph: 'C', pid, ts: microseconds(end), args: { read, written } })
  }

  #toolCall({ process, agent, id, tool, start, end, isError, input, envelope, work }: ToolCall): void {
    const told = envelope && {
      ok: envelope.ok,
      ...(envelope.ok ? { result: short(envelope.result) } : { error: envelope.error }),
      ...{ attempts: envelope.attempts, cached: envelope.cached, truncated: envelope.truncated, repairs: envelope.repairs },
      ...{ depth: envelope.depth, parent: envelope.parent, tokens: envelope.tokens, cost: envelope.cost },
      stages: envelope.stages.map(({ stage, note }) => `${stage}: ${note}`),
    }
    const args = { agent, seq: work?.seq, call: id, input: short(input), ok: !isError, ...told }
    this.#span(tool, 'tool', this.#map.of(process).pid, { start, end, args })
  }

  // What a child calls an input is the number of those that it was given.
  #remark({ process, telemetry, ms, work }: Remark): void {
    const told = { ...telemetry, seq: work?.seq }
    this.#instant(telemetry.kind, process, ms, told)
    const waitMs = telemetry.kind === 'retry' ? countOf(telemetry.wait_ms) : 0
    if (waitMs > 0) this.#span('wait', 'wait', this.#map.of(process).pid, { start: ms, end: ms + waitMs, args: told })
  }

  // Messages that a child works on at the same time stand on lines of their own.
  #freeLine(process: string, start: number): Place {
    const { pid, tid: first } = this.#map.of(process)
    for (let tid = first; tid < first + MOST_LINES; tid++) {
      if (this.#endOf({ pid, tid }) <= microseconds(start) + SLACK) return { pid, tid }
    }
    return { pid, tid: first }
  }

  // They may overlap, so they stand on lines of their own.
  #span(
    name: string,
    cat: string,
    pid: number,
    { start, end, args }: { start: number; end: number; args: TraceEvent['args'] & object },
  ): void {
    const common = { name, cat, id: `${cat}${++this.#lastId}`, pid, tid: 0 }
    this.#emit({ ...common, ph: 'b', ts: microseconds(start), args })
    this.#emit({ ...common, ph: 'e', ts: Math.max(microseconds(end), microseconds(start) + 1) })
  }

  /** Gives where and when it begins. */
  #piece(name: string, place: Place, start: number, end: number, args: TraceEvent['args'] & object, cat = 'stage'): Placed {
    const ts = Math.max(microseconds(start), this.#endOf(place))
    const dur = Math.max(1, microseconds(end) - ts)
    this.#ends.set(`${place.pid} ${place.tid}`, ts + dur)
    this.#emit({ name, cat, ph: 'X', ...place, ts, dur, args })
    return { ...place, ts }
  }

  #endOf({ pid, tid }: Place): number {
    return this.#ends.get(`${pid} ${tid}`) ?? 0
  }

  #instant(name: string, process: string, ms: number, args: TraceEvent['args'] & object): void {
    this.#emit({ name, ph: 'i', s: 't', cat: 'note', ...this.#map.of(process), ts: microseconds(ms), args })
  }
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000

const MAX_VALUE = 4096

const short = (value: unknown): unknown => {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= MAX_VALUE ? value : `${text.slice(0, MAX_VALUE)}…`
}
