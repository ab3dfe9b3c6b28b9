// The parts of a running child.

import type { GraphPort, Stage } from '@plumb/lang'
import { FDS, type LineChild } from '@plumb/wire'
import type { Cycle } from '../graph/cycle.js'
import type { Origin } from '../graph/origin.js'
import type { ChildAllowance } from './allowance.js'
import type { ChildMonitor } from './child-monitor.js'
import type { AnswerForm, UnreadableLines } from './output.js'
import type { ToolService } from './tool-service.js'
import type { ToolWalk } from './tool-walk.js'

/** One of our agents, a foreign program, or a nested plumb. */
export type ChildKind = 'agent' | 'program' | 'plumb'

export interface ChildOptions {
  readonly name: string
  readonly inputs: readonly GraphPort[]
  readonly outputs: readonly { readonly name: string; readonly stage: Stage }[]
  /** Several ports on one stream. */
  readonly isEnveloped: boolean
  readonly kind: ChildKind
  /** How it answers. */
  readonly form: AnswerForm
  readonly child: LineChild
  /** Of its output, where it comes from elsewhere. */
  readonly unreadable?: UnreadableLines | undefined
  /** It has read secrets: other text on its stderr is not shown. */
  readonly isHidden?: boolean | undefined
  readonly maxLine: number
  /** A message of this origin had no result here. */
  readonly lost: (origin: Origin) => void
  /** Each message fails with an error of its own: for error handlers around it, or for a parent. */
  readonly isOneByOne: boolean
  /** No error handler takes these. */
  readonly isForParent: boolean
  /** Maximum messages in flight. Undefined: it may not answer each of them. */
  readonly maxInHand: number | undefined
  /** The cycle around it. */
  readonly cycle: Cycle | undefined
  /** Answers its calls, if it has tools. */
  readonly tools: ToolService | undefined
  /** It is held to the protocol of its tools here, one message at a time. */
  readonly walk: ToolWalk | undefined
  /** Undefined: nothing observes it. */
  readonly observer: ChildMonitor | undefined
  /** Its allowance, if it shares no budget with us. */
  readonly allowance: ChildAllowance | undefined
  /** Control messages that it was sent before, as to restore its memory. */
  readonly controls: number
  /** Messages that it was sent before these, and is done with. */
  readonly before?: number | undefined
  /** Takes the replies to these. False: it is a reply to another. */
  readonly takeReply?: ((buf: Buffer, start: number, end: number) => boolean) | undefined
  /** Called once when a program that has so many inputs in hand has told nothing for `quietMs`. */
  readonly silent?: ((name: string, inputs: number) => void) | undefined
  readonly quietMs?: number | undefined
  /** Gives it the delivery of its next input, in a run by workers. */
  readonly deliver?: ((origin: Origin) => void) | undefined
}

/** Ports of agents with descriptors of their own; all others are on stdin and stdout. */
const PORT_FDS: Readonly<Record<string, number>> = { ctrl_in: FDS.ctrl_in, ctrl_out: FDS.ctrl_out, telemetry: FDS.telemetry }

/** The descriptor of a port of its own. The ports of a plumb are all on stdin and stdout. */
export const fdOf = (kind: ChildKind, port: string): number | undefined => (kind === 'plumb' ? undefined : PORT_FDS[port])
