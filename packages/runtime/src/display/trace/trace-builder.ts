// Turns the events of a run into the events of a trace.

import { scrub, toDollars } from '@plumb/wire'
import type { RunEvent } from '../../event/run-event.js'
import { countOf, type MessageSpan, shortText } from '../message-span.js'
import { type AgentNote, type KeptAnswerNote, type ModelCallSpan, SpanBuilder, type ToolCallSpan } from '../span-builder.js'
import { addTokens, NO_TOKENS, readAndWritten } from '../stats.js'
import type { CostOf } from '../stats-counter.js'
import { microseconds, type TraceEvent } from './trace-event.js'
import { RUN_PID, TraceLayout, type Track } from './trace-layout.js'

/** The first event of our traces: what `plumb view` needs in addition to the timeline. */
export const RUN_EVENT = 'plumb_run'

/** Tracks for the messages of one child; where it works on more at a time, their slices are one after the other. */
const MAX_TRACKS = 64
/** Microseconds: children report their times in whole milliseconds. */
const ROUNDING = 1000

type Slice = Track & { readonly ts: number }

export class TraceBuilder {
  readonly #emit: (event: TraceEvent) => void
  readonly #costOf: CostOf
  readonly #layout = new TraceLayout()
  /** Where the last slice of each track ends: slices of one track do not overlap. */
  readonly #ends = new Map<string, number>()
  /** The last slice of each child, where its outputs come from. */
  readonly #lastSlices = new Map<string, Slice>()
  readonly #inside = new Set<string>()
  readonly #sources = new Set<string>()
  /** Arrows to a child whose slice is drawn when the message is answered. */
  readonly #lastArrow = new Map<string, string>()
  readonly #arrows = new Map<string, string>()
  readonly #tokens = new Map<string, typeof NO_TOKENS>()
  #lastId = 0
  readonly #spans = new SpanBuilder({
    message: (span) => this.#messageSpan(span),
    modelCall: (call) => this.#modelCall(call),
    toolCall: (call) => this.#toolCall(call),
    keptAnswer: (note) => this.#keptAnswer(note),
    note: (note) => this.#note(note),
  })

  constructor(emit: (event: TraceEvent) => void, costOf: CostOf = () => undefined) {
    this.#emit = emit
    this.#costOf = costOf
  }

  on(event: RunEvent): void {
    if (event.kind === 'asked') this.#asked(event)
    this.#spans.on(event)
    switch (event.kind) {
      case 'begin':
        this.#begin(event)
        break
      case 'spawned':
        for (const named of this.#layout.spawned(event)) this.#emit(named)
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

  #begin(event: RunEvent & { kind: 'begin' }): void {
    const { time, spec, binding, nodes, wires, dot, ms } = event
    const args = { time, spec, binding, nodes, wires, dot: dot() }
    this.#emit({ name: RUN_EVENT, ph: 'M', pid: RUN_PID, ts: microseconds(ms), args })
    for (const named of this.#layout.begin(event)) this.#emit(named)
    const fed = new Set(wires.map(({ to }) => to))
    for (const { name, kind } of nodes) {
      if (kind !== 'agent' && kind !== 'plumb') this.#inside.add(name)
      if (!fed.has(name)) this.#sources.add(name)
    }
  }

  // The slice of the sender is there already: a message comes from the message before it, or from an answer of a child.
  #message({ wire, seq, ms, ...bytes }: RunEvent & { kind: 'message' }): void {
    const { from, to, name } = wire
    const args = { seq, wire: name, message: shortText(bytes) }
    const id = `w${++this.#lastId}`
    if (this.#sources.has(from)) this.#slice(`#${seq}`, this.#layout.of(from), ms, ms, { seq, message: args.message })
    const start = this.#lastSlices.get(from) ?? this.#layout.of(from)
    const arrow = { name: 'message', cat: 'wire', id } as const
    this.#emit({ ...arrow, ph: 's', pid: start.pid, tid: start.tid, ts: Math.max(0, this.#endOf(start) - 1) })
    if (!this.#inside.has(to)) {
      this.#lastArrow.set(to, id)
      // The message itself is at the end of the arrow, once for each wire.
      this.#emit({ name, ph: 'i', s: 't', cat: 'wire', pid: start.pid, tid: start.tid, ts: Math.max(0, this.#endOf(start) - 1), args })
      return
    }
    this.#emit({ ...arrow, ph: 'f', bp: 'e', ...this.#slice(`#${seq}`, this.#layout.of(to), ms, ms, args) })
  }

  #asked({ process, n }: RunEvent & { kind: 'asked' }): void {
    const id = this.#lastArrow.get(process)
    this.#lastArrow.delete(process)
    if (id !== undefined) this.#arrows.set(`${process} ${n}`, id)
  }

  #messageSpan({ process, n, seq, sent, start, end, held, isBegun, input, output, fault }: MessageSpan): void {
    const key = `${process} ${n}`
    const id = this.#arrows.get(key)
    this.#arrows.delete(key)
    const outcome = fault
      ? { error: fault.error, detail: fault.detail }
      : output === undefined
        ? { unfinished: true, begun: isBegun }
        : { output }
    const waits = { waited_ms: rounded(start - sent), ...(held >= 1 ? { held_ms: rounded(held) } : {}) }
    const slice = this.#slice(`#${seq}`, this.#freeTrack(process, start), start, end, { seq, n, ...waits, input, ...outcome }, 'work')
    this.#lastSlices.set(process, slice)
    if (id !== undefined) this.#emit({ name: 'message', cat: 'wire', id, ph: 'f', bp: 'e', ...slice })
  }

  #modelCall(call: ModelCallSpan): void {
    const { process, agent, model, start, end, tokens, request, message } = call
    const { pid } = this.#layout.of(process)
    const cost = this.#costOf(call)
    const { read: input, written: output } = readAndWritten(tokens)
    const args = {
      agent,
      seq: message?.seq,
      model,
      read: input,
      written: output,
      cache_read: tokens.cache_read,
      cache_creation: tokens.cache_creation,
      ...(cost === undefined ? {} : { cost: toDollars(cost) }),
      ...(request === undefined ? {} : { request }),
    }
    this.#asyncSpan(`chat ${model}`, 'model', pid, { start, end, args })
    const sum = addTokens(this.#tokens.get(process) ?? NO_TOKENS, tokens)
    this.#tokens.set(process, sum)
    const { read, written } = readAndWritten(sum)
    this.#emit({ name: 'tokens', ph: 'C', pid, ts: microseconds(end), args: { read, written } })
  }

  #keptAnswer({ process, model, request, source, ms, message }: KeptAnswerNote): void {
    this.#instant('kept', process, ms, { model, request, source, seq: message?.seq })
  }

  #toolCall({ process, agent, id, tool, start, end, isError, detail, input, envelope, message }: ToolCallSpan): void {
    const report = envelope && {
      ok: envelope.ok,
      ...(envelope.ok ? { result: short(envelope.result) } : { error: envelope.error }),
      ...{ attempts: envelope.attempts, cached: envelope.cached, truncated: envelope.truncated, repairs: envelope.repairs },
      ...{ depth: envelope.depth, parent: envelope.parent, tokens: envelope.tokens, cost: envelope.cost },
      stages: envelope.stages.map(({ stage, note }) => `${stage}: ${note}`),
    }
    // A call that the agent did not make has no report of a dispatcher, but a reason.
    const why = report === undefined && detail !== undefined ? { error: { detail } } : {}
    const args = { agent, seq: message?.seq, call: id, input: short(input), ok: !isError, ...report, ...why }
    this.#asyncSpan(tool, 'tool', this.#layout.of(process).pid, { start, end, args })
  }

  // Children number their messages: the number of the input takes the place of that.
  #note({ process, telemetry, ms, message }: AgentNote): void {
    const args = { ...telemetry, seq: message?.seq }
    this.#instant(telemetry.kind, process, ms, args)
    const waitMs = telemetry.kind === 'retry' ? countOf(telemetry.wait_ms) : 0
    if (waitMs > 0) this.#asyncSpan('wait', 'wait', this.#layout.of(process).pid, { start: ms, end: ms + waitMs, args })
  }

  // Messages that a child works on at the same time are on tracks of their own.
  #freeTrack(process: string, start: number): Track {
    const { pid, tid: first } = this.#layout.of(process)
    for (let tid = first; tid < first + MAX_TRACKS; tid++) {
      if (this.#endOf({ pid, tid }) <= microseconds(start) + ROUNDING) return { pid, tid }
    }
    return { pid, tid: first }
  }

  // These may overlap, so Perfetto gives them tracks of their own.
  #asyncSpan(
    name: string,
    cat: string,
    pid: number,
    { start, end, args }: { start: number; end: number; args: TraceEvent['args'] & object },
  ): void {
    const common = { name, cat, id: `${cat}${++this.#lastId}`, pid, tid: 0 }
    this.#emit({ ...common, ph: 'b', ts: microseconds(start), args })
    this.#emit({ ...common, ph: 'e', ts: Math.max(microseconds(end), microseconds(start) + 1) })
  }

  /** Returns the place and time of its beginning. */
  #slice(name: string, track: Track, start: number, end: number, args: TraceEvent['args'] & object, cat = 'stage'): Slice {
    const ts = Math.max(microseconds(start), this.#endOf(track))
    const dur = Math.max(1, microseconds(end) - ts)
    this.#ends.set(`${track.pid} ${track.tid}`, ts + dur)
    this.#emit({ name, cat, ph: 'X', ...track, ts, dur, args })
    return { ...track, ts }
  }

  #endOf({ pid, tid }: Track): number {
    return this.#ends.get(`${pid} ${tid}`) ?? 0
  }

  #instant(name: string, process: string, ms: number, args: TraceEvent['args'] & object): void {
    this.#emit({ name, ph: 'i', s: 't', cat: 'note', ...this.#layout.of(process), ts: microseconds(ms), args })
  }
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000

const MAX_VALUE = 4096

const short = (value: unknown): unknown => {
  const text = scrub(JSON.stringify(value) ?? 'null')
  return text.length <= MAX_VALUE ? value : `${text.slice(0, MAX_VALUE)}…`
}
