// Reports messages that are dropped or fail on the way to a barrier, since others may wait for them there.

import type { GraphNode } from '@plumb/lang'
import type { InputContext } from '../graph/input-context.js'
import type { Origin } from '../graph/origin.js'
import type { Forms } from './forms.js'
import type { Joins } from './joins.js'

export class Losses {
  /** `isNested`: a parent may have a barrier. `forms`: called once they exist. */
  constructor(
    private readonly joins: Joins,
    private readonly forms: () => Forms,
    private readonly isNested: boolean,
  ) {}

  /** The callback for the origin of a lost message, and of its replacement. */
  at(node: GraphNode): (origin: Origin, kept?: Origin) => void {
    const choice = this.forms().choiceAround(node)
    const isLossy = this.#isLossy(node)
    return (origin, kept) => {
      choice?.lose(origin, kept)
      if (isLossy) origin.lose(node, kept)
    }
  }

  /** The same for the current message. Undefined: nothing waits for it. */
  ofCurrent(node: GraphNode, current: InputContext): (() => void) | undefined {
    const lose = this.at(node)
    return this.#isLossy(node) || this.forms().choiceAround(node) ? () => lose(current.origin) : undefined
  }

  #isLossy(node: GraphNode): boolean {
    return this.joins.isLossy(node) || (this.isNested && !this.forms().hold(node))
  }
}
