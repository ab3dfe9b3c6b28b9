// The p + q of a graph: the receivers at their ends.

import { type Expansion, type Graph, type GraphNode, type GraphPosition, isInExpansion, type NodeWork } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import type { Edges } from '../graph/edges.js'
import type { ErrorHandler } from '../graph/error-handler.js'
import { ChoiceMorphism } from '../graph/morphism/choice.js'
import { Select } from '../graph/morphism/select.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import type { ErrorHandlerSource, ErrorHandlers } from './error-handlers.js'

export interface ChoicesOptions {
  readonly context: RunContext
  readonly edges: Edges
  readonly maxInFlight: number
  readonly errorHandlers: ErrorHandlers
  /** The callback for the origin of a message that has failed at its exit. */
  readonly lost: (exit: GraphNode) => (origin: Origin) => void
  readonly handled: (fault: Fault) => void
}

interface ChoiceForm {
  readonly exit: GraphNode
  readonly places: readonly GraphPosition[]
  /** An alternative answers asynchronously. */
  readonly hasProcess: boolean
}

const PROCESSES: ReadonlySet<NodeWork['kind']> = new Set(['agent', 'plumb', 'call'])

export class Choices implements ErrorHandlerSource {
  readonly #forms = new Map<Expansion, ChoiceForm>()
  readonly #exits = new Map<ChoiceForm, Select>()

  constructor(
    { nodes }: Graph,
    attempts: ReadonlyMap<GraphNode, readonly GraphPosition[]>,
    private readonly o: ChoicesOptions,
  ) {
    for (const [{ work }, places] of attempts) {
      if (work.kind !== 'choice') continue
      const { inside } = work
      const within = nodes.filter((node) => isInExpansion(node, inside))
      const exit = within.find((node) => node.work.kind === 'select' && node.work.inside === inside) as GraphNode
      this.#forms.set(inside, { exit, places, hasProcess: within.some((node) => PROCESSES.has(node.work.kind)) })
    }
  }

  errorHandlersOf(of: GraphNode | Expansion): readonly ErrorHandler[] {
    const form = this.#forms.get(of as Expansion)
    return form ? [this.#exitOf(form)] : []
  }

  /** The exit of the innermost choice around it, unless a node for which `isForm` is true is in between. */
  around({ work, within }: GraphNode, isForm: (of: Expansion) => boolean): Select | undefined {
    for (let at = work.kind === 'choice' || work.kind === 'select' ? work.inside.within : within; at; at = at.within) {
      const form = this.#forms.get(at)
      if (form) return this.#exitOf(form)
      if (isForm(at)) return undefined
    }
    return undefined
  }

  /** Whether the node is in one of them. */
  hold(node: GraphNode): boolean {
    const { work, within } = node
    for (let at = work.kind === 'choice' || work.kind === 'select' ? work.inside.within : within; at; at = at.within) {
      if (this.#forms.has(at)) return true
    }
    return false
  }

  entrance(inside: Expansion, feeds: readonly number[]): ChoiceMorphism {
    const form = this.#forms.get(inside) as ChoiceForm
    return new ChoiceMorphism(feeds, this.o.context, { places: form.places, select: this.#exitOf(form), waits: form.hasProcess })
  }

  exit(inside: Expansion): Select {
    return this.#exitOf(this.#forms.get(inside) as ChoiceForm)
  }

  // Its parts, and its entrance, ask for its exit before that has been wired.
  #exitOf(form: ChoiceForm): Select {
    const known = this.#exits.get(form)
    if (known) return known
    const { exit, places } = form
    const { edges, maxInFlight, lost, errorHandlers, handled } = this.o
    const context = errorHandlers.contextAt(exit)
    const select = new Select([edges.into(exit, 0).length], context, {
      places,
      maxWaiting: maxInFlight,
      report: context.report,
      handled,
      lost: lost(exit),
    })
    this.#exits.set(form, select)
    return select
  }
}
