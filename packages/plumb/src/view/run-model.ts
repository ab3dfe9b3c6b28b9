// The model of a run that the page shows.

import type { NodeInfo, WireInfo } from '@plumb/runtime/event'

export interface RunModel {
  readonly spec: string
  readonly binding: string
  /** ISO 8601. */
  readonly time: string
  /** Microseconds since the beginning, as all times here: where the timeline begins and ends. */
  readonly start: number
  readonly end: number
  /** Undefined: the trace ends before the run did. */
  readonly status: number | undefined
  /** It has no end yet: the process that writes its record is at work. */
  readonly isGoingOn: boolean
  readonly stoppedBy: string | undefined
  readonly dot: string
  readonly nodes: readonly NodeInfo[]
  readonly wires: readonly WireModel[]
  /** Of nested plumbs, as far as their records are known; their ends by places, as `polish~draft`. */
  readonly innerWires: readonly WireModel[]
  /** Stages inside the run and children, in the order in which they begin; behind a nested plumb, those inside it. */
  readonly lanes: readonly Lane[]
  readonly faults: readonly Note[]
  /** The trace is longer than what was read of it. */
  readonly isCut: boolean
  /** Only some items were selected. */
  readonly isSelection: boolean
  /** The end of the trace, if the run ended later: the trace of a record has a size limit. */
  readonly traceEnd?: number
}

export interface Interval {
  readonly start: number
  readonly end: number
  /** The input of the run, from 1; 0: unknown. */
  readonly seq: number
}

export interface RunMessage {
  /** Which message of its wire it is, from 0. */
  readonly index: number
  readonly at: number
  readonly seq: number
  /** JSON; the beginning of it where it is long. */
  readonly text: string
}

export interface WireModel {
  readonly wire: WireInfo
  readonly messages: readonly RunMessage[]
  /** Including those that were not selected, and those after the end of the trace. */
  readonly total: number
}

export interface Lane {
  readonly name: string
  /** As kept answers and other files of a record name it: `polish~draft` is the agent draft in the nested plumb polish. */
  readonly place: string
  /** `stage`: inside the run; else what the child is. */
  readonly runs: 'stage' | 'agent' | 'program' | 'plumb'
  readonly work: readonly TurnModel[]
  readonly calls: readonly CallModel[]
  readonly requests: readonly RequestModel[]
  /** Before repeated requests. */
  readonly waits: readonly WaitModel[]
  /** Retries, repaired answers and errors of children. */
  readonly notes: readonly Note[]
}

export interface ShownCost {
  /** Dollars. */
  readonly known: number
  /** Models of requests without a price. */
  readonly unpriced: readonly string[]
}

/** One message and its outcome. Of a stage inside the run only the message is known. */
export interface TurnModel extends Interval {
  /** Which message of the child it is, from 1; 0: unknown. */
  readonly n: number
  readonly input: string | undefined
  readonly output: string | undefined
  readonly error: string | undefined
  /** Milliseconds that it waited for the child, and that its answer waited for the answers before it. */
  readonly waited: number
  readonly held: number
  /** False: the run ended before the child began with it. */
  readonly isBegun: boolean
}

export interface CallModel extends Interval {
  /** As the model named the call. */
  readonly id: string
  readonly tool: string
  readonly agent: string
  readonly isOk: boolean
  /** For a person to decide on it: it has not failed. */
  readonly isWaiting: boolean
  /** JSON, as `RunMessage.text`. */
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
  /** Its answer among the kept ones: `HASH NTH PLACE`. */
  readonly key: string | undefined
  /** Where the answer was kept: it was not requested this time. */
  readonly source: string | undefined
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
  /** First and last inputs, where it is about several. */
  readonly seqs?: readonly (readonly [number, number])[]
  /** What the model was told. */
  readonly told?: string
}
