// The running processes of a graph, as the run sees them.

import type { ChildProcess } from '../child/child.js'
import type { Cycle } from '../graph/cycle.js'
import type { Holding } from '../graph/holding.js'
import type { MainInput } from '../graph/main-input.js'
import type { Calls } from '../graph/morphism/calls.js'
import type { Batches } from './batches.js'

export interface Wired {
  readonly input: MainInput
  readonly children: readonly ChildProcess[]
  readonly calls: readonly Calls[]
  readonly cycles: readonly Cycle[]
  readonly batches: Batches
  /** Opens it: inputs without a source close, and sources may run. */
  start(): void
  /** What each part holds now, to show what a run waits for. */
  holdings(): readonly Holding[]
  /** Stops reading from children whose readers have all ended, as in a shell pipeline. */
  hangUp(): void
}
