// What a child is made of, once it runs.

import type { GraphPort, Sink, Stage } from '@plumb/lang'
import type { Fault, LineChild, Reporter } from '@plumb/wire'
import type { ChildAllowance } from './child-allowance.js'
import type { ChildKind, LedgerOptions } from './child-ledger.js'
import type { Current } from './current.js'
import type { Cycle } from './cycle.js'
import type { ChildMonitor } from './event/child-monitor.js'
import type { Origin } from './origin.js'
import type { Schedule } from './schedule.js'
import type { ToolService } from './tool-service.js'

export interface ChildOptions {
  readonly name: string
  readonly inputs: readonly GraphPort[]
  readonly outputs: readonly { readonly name: string; readonly stage: Stage }[]
  /** Several ports on one stream. */
  readonly isEnveloped: boolean
  readonly kind: ChildKind
  readonly answers: LedgerOptions['answers']
  readonly isUnordered: boolean
  readonly child: LineChild
  readonly maxLine: number
  readonly schedule: Schedule
  readonly sink: Sink
  readonly current: Current
  readonly reporter: Reporter
  readonly report: (fault: Fault) => void
  /** Something that stems from the origin came to nothing here. */
  readonly lost: (origin: Origin) => void
  /** A barrier behind it joins by origin. */
  readonly needsOrigins: boolean
  /** It is sent no more while it has so many messages in hand. Undefined: whether it answers each of them is not known. */
  readonly maxInHand: number | undefined
  /** The run cannot go on. */
  readonly fail: (fault: Fault) => void
  /** The cycle it stands in. */
  readonly cycle: Cycle | undefined
  /** Answers its calls, where it has tools. */
  readonly tools: ToolService | undefined
  /** Undefined: nobody wants to know. */
  readonly observer: ChildMonitor | undefined
  /** What it may spend, where it shares no budget with us. */
  readonly allowance: ChildAllowance | undefined
  /** Control messages that it was sent before, as to restore its memory. */
  readonly controls: number
}
