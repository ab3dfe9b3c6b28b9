// What is lost on the way to a barrier may be what others wait for there. Who drops a message, or fails on it, tells so here.

import type { GraphNode } from '@plumb/lang'
import type { InputContext } from '../graph/input-context.js'
import type { Origin } from '../graph/origin.js'
import type { Forms } from './forms.js'
import type { Joins } from './joins.js'

export class Losses {
  /** `isNested`: a parent may have a barrier. `forms`: asked for once they are there. */
  constructor(
    private readonly joins: Joins,
    private readonly forms: () => Forms,
    private readonly isNested: boolean,
  ) {}

  /** What is to be called with the origin of what was lost there, and of what goes on in its place. */
  at(node: GraphNode): (origin: Origin, kept?: Origin) => void {
    const choice = this.forms().choiceAround(node)
    const isLossy = this.#isLossy(node)
    return (origin, kept) => {
      choice?.lose(origin, kept)
      if (isLossy) origin.lose(node, kept)
    }
  }

  /** The same, of the message that is worked on; undefined: nothing waits for it. */
  ofCurrent(node: GraphNode, current: InputContext): (() => void) | undefined {
    const lose = this.at(node)
    return this.#isLossy(node) || this.forms().choiceAround(node) ? () => lose(current.origin) : undefined
  }

  #isLossy(node: GraphNode): boolean {
    return this.joins.isLossy(node) || (this.isNested && !this.forms().hold(node))
  }
}
