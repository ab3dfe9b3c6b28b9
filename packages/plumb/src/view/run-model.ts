// What the page shows of a run.

import type { NodeInfo, WireInfo } from '../event/run-event.js'

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
  readonly faults: Counted<Note>
  /** What of the trace is not shown. */
  readonly isCut: boolean
}

/** The first of them, and how many there are. */
export interface Counted<T> {
  readonly shown: readonly T[]
  readonly total: number
}

export interface Piece {
  readonly start: number
  readonly end: number
  /** The input of the run, from 1; 0: not known. */
  readonly seq: number
}

export interface Message {
  readonly at: number
  readonly seq: number
  /** JSON; the beginning of it where it is long. */
  readonly text: string
}

export interface WireModel {
  readonly wire: WireInfo
  /** Begins the anchors of its messages, which are counted from 0. */
  readonly id: string
  readonly messages: Counted<Message>
}

export interface Lane {
  readonly name: string
  /** `stage`: inside the run; else what the child is. */
  readonly runs: 'stage' | 'agent' | 'program' | 'plumb'
  readonly work: Counted<Turn>
  readonly calls: Counted<CallModel>
  readonly requests: Counted<RequestModel>
  /** Before requests that are made again. */
  readonly waits: Counted<WaitModel>
  /** When each piece of work begins, those that are not shown too. */
  readonly begins: readonly number[]
  /** Retries, mended answers, errors: those of children, in their turn. */
  readonly notes: Counted<Note>
}

/** One message and what became of it. Of a stage inside the run only the message is known. */
export interface Turn extends Piece {
  readonly input: string | undefined
  readonly output: string | undefined
  readonly error: string | undefined
  /** Milliseconds before it was looked at, and after it was answered until those before it were. */
  readonly waited: number
  readonly held: number
  /** False: the run ended before anything was done with it. */
  readonly isBegun: boolean
  /** Of a stage inside the run: where on the page the message stands. */
  readonly anchor: string | undefined
}

export interface CallModel extends Piece {
  readonly tool: string
  readonly agent: string
  readonly isOk: boolean
  /** JSON, as `Message.text`. */
  readonly input: string
  readonly result: string | undefined
  readonly stages: readonly string[]
  readonly attempts: number
  readonly isCached: boolean
  /** Calls that it was made by. */
  readonly depth: number
}

export interface RequestModel extends Piece {
  readonly model: string
  readonly agent: string
  /** Tokens. */
  readonly read: number
  readonly written: number
}

export interface WaitModel extends Piece {
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
