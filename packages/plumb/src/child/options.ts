// The parts of a running child.

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
  /** It has read secrets: other text on its stderr is not shown. */
  readonly isHidden?: boolean | undefined
  readonly maxLine: number
  /** A message of this origin had no result here. */
  readonly lost: (origin: Origin) => void
  /** A barrier after it joins by origin. */
  readonly needsOrigins: boolean
  /** Its failures are handled one by one by the forms around it. */
  readonly isHandled: boolean
  /** Maximum messages in flight. Undefined: it may not answer each of them. */
  readonly maxInHand: number | undefined
  /** The cycle around it. */
  readonly cycle: Cycle | undefined
  /** Answers its calls, if it has tools. */
  readonly tools: ToolService | undefined
  /** Undefined: nothing observes it. */
  readonly observer: ChildMonitor | undefined
  /** Its allowance, if it shares no budget with us. */
  readonly allowance: ChildAllowance | undefined
  /** Control messages that it was sent before, as to restore its memory. */
  readonly controls: number
  /** Gives it the delivery of its next input, in a run by workers. */
  readonly deliver?: ((origin: Origin) => void) | undefined
}

/** Ports of agents with descriptors of their own; all others are on stdin and stdout. */
const PORT_FDS: Readonly<Record<string, number>> = { ctrl_in: FDS.ctrl_in, ctrl_out: FDS.ctrl_out, telemetry: FDS.telemetry }

/** The descriptor of a port of its own. The ports of a plumb are all on stdin and stdout. */
export const fdOf = (kind: ChildKind, port: string): number | undefined => (kind === 'plumb' ? undefined : PORT_FDS[port])
