// What a child is made of, once it runs.

import type { GraphPort, Stage } from '@plumb/lang'
import { FDS, type LineChild } from '@plumb/wire'
import type { ChildMonitor } from '../event/child-monitor.js'
import type { Cycle } from '../graph/cycle.js'
import type { Origin } from '../graph/origin.js'
import type { ToolService } from '../tools/tool-service.js'
import type { ChildAllowance } from './allowance.js'
import type { ChildKind, InFlightOptions } from './in-flight.js'

export interface ChildOptions {
  readonly name: string
  readonly inputs: readonly GraphPort[]
  readonly outputs: readonly { readonly name: string; readonly stage: Stage }[]
  /** Several ports on one stream. */
  readonly isEnveloped: boolean
  readonly kind: ChildKind
  readonly answers: InFlightOptions['answers']
  readonly isUnordered: boolean
  readonly child: LineChild
  /** It has secrets at hand: what else it writes on stderr is not shown. */
  readonly isHidden?: boolean | undefined
  readonly maxLine: number
  /** Something that stems from the origin came to nothing here. */
  readonly lost: (origin: Origin) => void
  /** A barrier behind it joins by origin. */
  readonly needsOrigins: boolean
  /** Each of its failures is heard by what stands around it, as that of one message. */
  readonly isHeard: boolean
  /** It is sent no more while it has so many messages in hand. Undefined: whether it answers each of them is not known. */
  readonly maxInHand: number | undefined
  /** The cycle it stands in. */
  readonly cycle: Cycle | undefined
  /** Answers its calls, where it has tools. */
  readonly tools: ToolService | undefined
  /** Undefined: nothing observes it. */
  readonly observer: ChildMonitor | undefined
  /** What it may spend, where it shares no budget with us. */
  readonly allowance: ChildAllowance | undefined
  /** Control messages that it was sent before, as to restore its memory. */
  readonly controls: number
  /** It is told which message of a run by workers the next input is. */
  readonly deliver?: ((origin: Origin) => void) | undefined
}

/** Ports of agents with descriptors of their own; all others are on stdin and stdout. */
const PORT_FDS: Readonly<Record<string, number>> = { ctrl_in: FDS.ctrl_in, ctrl_out: FDS.ctrl_out, telemetry: FDS.telemetry }

/** The descriptor that a port has to itself. The ports of a plumb are all on stdin and stdout. */
export const fdOf = (kind: ChildKind, port: string): number | undefined => (kind === 'plumb' ? undefined : PORT_FDS[port])
