// The events of a run, in order. A run without listeners makes none.

import type { CallContext, CallEnvelope } from '@plumb/tool/internal'
import type { Fault, OfInput, Result, Telemetry } from '@plumb/wire'
import type { NodeKind } from '../draw/describe.js'

/** An edge of the running graph. */
export interface WireInfo {
  /** From 1, in the order of the program: the same in every run of one spec. */
  readonly index: number
  /** The index and both ends, as in the name of its file in a record: `03-checker-critic`. */
  readonly name: string
  /** The processes at its ends; a part of a bound chain has the name of the chain before it, as in `clean.map`. */
  readonly from: string
  readonly fromPort: string
  readonly to: string
  readonly toPort: string
  /** As `plumb render --format json` prints it; null if it is unknown. */
  readonly type: string | null
}

/** A process of the graph. */
export interface NodeInfo {
  /** As at the ends of wires. */
  readonly name: string
  readonly kind: NodeKind
  /** The provider of an agent, if it is known. */
  readonly provider?: string
  /** Messages that an agent answers concurrently, if more than one. */
  readonly concurrency?: number
}

interface Asked {
  readonly seq: number
  readonly input: string
  readonly result: Result<string>
}

/** The kind of a child: one of our agents, another program in its place, or a nested plumb. */
export type ProcessKind = 'agent' | 'program' | 'plumb'

/** `ms` is milliseconds since the beginning, on a monotonic clock. */
export type RunEvent = { readonly ms: number } & (
  | {
      readonly kind: 'begin'
      /** Wall clock, ISO 8601. */
      readonly time: string
      /** The spec as it was named. */
      readonly spec: string
      readonly binding: string
      readonly wires: readonly WireInfo[]
      /** All nodes in the order of the program, those inside this process too: `nodesOf` makes them. */
      readonly nodes: readonly NodeInfo[]
      /** The wiring in Graphviz's language, as `plumb render --format dot` prints it; slow. */
      readonly dot: () => string
    }
  /** An input was read, good or bad; `bytes` with its line end. */
  | { readonly kind: 'input'; readonly seq: number; readonly bytes: number }
  /** A message on its way to its receiver; `seq` is the input that it comes from, 0: unknown. */
  | ({ readonly kind: 'message'; readonly wire: WireInfo; readonly seq: number } & LineBytes)
  /** `isNumbered`: a foreign program that numbers its lines. */
  | { readonly kind: 'spawned'; readonly process: string; readonly runs: ProcessKind; readonly pid: number; readonly isNumbered?: true }
  /** A message that was not sent to a child: its answer, or its error, is in the record of the resumed run. */
  | { readonly kind: 'replayed'; readonly process: string; readonly seq: number; readonly isAnswer: boolean }
  /** The n-th message that a child was sent, from 1. */
  | ({ readonly kind: 'asked'; readonly process: string; readonly n: number; readonly seq: number } & LineBytes)
  /** An output of a child; `n` is the message that it answers, 0: unknown. */
  | ({ readonly kind: 'answered'; readonly process: string; readonly n: number; readonly seq: number } & LineBytes)
  /** Nothing more comes of the n-th message of a foreign program that numbers its lines: it may have had any number of outputs. */
  | { readonly kind: 'whole'; readonly process: string; readonly n: number }
  /** A child's error about the n-th message. */
  | { readonly kind: 'refused'; readonly process: string; readonly n: number; readonly seq: number; readonly fault: Fault }
  /** Telemetry of a child, without `settled`. A nested plumb passes on that of its children: `telemetry.agent` is theirs. */
  | { readonly kind: 'telemetry'; readonly process: string; readonly telemetry: AgentTelemetry }
  /** A call made by a map of a tool, with its result. */
  | ({ readonly kind: 'called'; readonly process: string; readonly call?: number | undefined } & Asked)
  /** A call made inside such a call, with its result: `of` is the input of the whole, `call` its number in the record. */
  | ({ readonly kind: 'called_part'; readonly process: string; readonly call: number; readonly of: string; readonly tool: string } & Asked)
  /** A finished tool call. */
  | { readonly kind: 'call'; readonly process: string; readonly call: CallEnvelope; readonly context?: CallContext }
  /** An error, as it is reported; or one that was handled by an error port or another part of `p + q`. */
  | { readonly kind: 'fault'; readonly fault: Fault; readonly isHandled?: true }
  | { readonly kind: 'exited'; readonly process: string; readonly status: number | null; readonly signal: string | null }
  | { readonly kind: 'end'; readonly status: 0 | 1 | 2; readonly stoppedBy: string | null }
)

/** One line of JSON without its end, in bytes that do not change any more; `lineText` makes a string of it. */
export interface LineBytes {
  readonly buf: Buffer
  readonly start: number
  readonly end: number
}

export type AgentTelemetry = Exclude<Telemetry, { kind: 'settled' }> & Partial<OfInput> & { readonly agent: string; readonly time: string }

type Unstamped<T> = T extends unknown ? Omit<T, 'ms'> : never

/** Without its time, which the emitter adds. */
export type UntimedEvent = Unstamped<RunEvent>

/** A listener records or displays the events of a run. */
export interface RunListener {
  /** Must not throw, and must return soon: the run waits. */
  on(event: RunEvent): void
  /** Called after `end`; the run waits for it. */
  finish?(): Promise<void>
}

export const lineText = ({ buf, start, end }: LineBytes): string => buf.toString('utf8', start, end)
