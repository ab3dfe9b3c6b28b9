// The model of a run that the page shows.

import type { NodeInfo, WireInfo } from '@plumb/runtime/event'

export interface RunModel {
  readonly spec: string
  readonly binding: string
  /** ISO 8601. */
  readonly time: string
  /** Microseconds since the beginning, as all times here. */
  readonly end: number
  /** Undefined: the trace ends before the run did. */
  readonly status: number | undefined
  readonly stoppedBy: string | undefined
  readonly dot: string
  readonly nodes: readonly NodeInfo[]
  readonly wires: readonly WireModel[]
  /** Stages inside the run and children, in the order in which they begin. */
  readonly lanes: readonly Lane[]
  readonly faults: CountedItems<Note>
  /** The trace is longer than what was read of it. */
  readonly isCut: boolean
  /** Only some items were selected. */
  readonly isSelection: boolean
  /** The end of the trace, if the run ended later: the trace of a record has a size limit. */
  readonly traceEnd?: number
}

/** The first of the selected items, and their number. */
export interface CountedItems<T> {
  readonly shown: readonly T[]
  readonly total: number
  /** The end of the first selected item that did not fit. */
  readonly next?: number | undefined
}

export interface Interval {
  readonly start: number
  readonly end: number
  /** The input of the run, from 1; 0: unknown. */
  readonly seq: number
}

export interface RunMessage {
  readonly at: number
  readonly seq: number
  /** JSON; the beginning of it where it is long. */
  readonly text: string
}

export interface WireModel {
  readonly wire: WireInfo
  /** Begins the anchors of its messages, which are counted from 0. */
  readonly id: string
  readonly messages: CountedItems<RunMessage>
}

export interface Lane {
  readonly name: string
  /** `stage`: inside the run; else what the child is. */
  readonly runs: 'stage' | 'agent' | 'program' | 'plumb'
  readonly work: CountedItems<TurnModel>
  readonly calls: CountedItems<CallModel>
  readonly requests: CountedItems<RequestModel>
  /** Of all of them, including those that are not shown. */
  readonly spent: ShownCost
  /** Before repeated requests. */
  readonly waits: CountedItems<WaitModel>
  /** When each message begins, also of those that are not shown. */
  readonly begins: readonly number[]
  /** Retries, repaired answers and errors of children. */
  readonly notes: CountedItems<Note>
}

export interface ShownCost {
  /** Dollars. */
  readonly known: number
  /** Models of requests without a price. */
  readonly unpriced: readonly string[]
}

/** One message and its outcome. Of a stage inside the run only the message is known. */
export interface TurnModel extends Interval {
  readonly input: string | undefined
  readonly output: string | undefined
  readonly error: string | undefined
  /** Milliseconds that it waited for the child, and that its answer waited for the answers before it. */
  readonly waited: number
  readonly held: number
  /** False: the run ended before the child began with it. */
  readonly isBegun: boolean
  /** For a stage inside the run: the place of the message on the page. */
  readonly anchor: string | undefined
}

export interface CallModel extends Interval {
  readonly tool: string
  readonly agent: string
  readonly isOk: boolean
  /** JSON, as `Message.text`. */
  readonly input: string
  readonly result: string | undefined
  readonly stages: readonly string[]
  readonly attempts: number
  readonly isCached: boolean
  /** How many calls it is nested in. */
  readonly depth: number
}

export interface RequestModel extends Interval {
  readonly model: string
  readonly agent: string
  /** Tokens. */
  readonly read: number
  readonly written: number
  /** Dollars. Undefined: it has no price. */
  readonly cost: number | undefined
}

export interface WaitModel extends Interval {
  /** The attempt that follows. */
  readonly attempt: number
  readonly reason: string
}

export interface Note {
  readonly at: number
  readonly process: string
  readonly title: string
  readonly detail: string
  readonly seq: number
}
