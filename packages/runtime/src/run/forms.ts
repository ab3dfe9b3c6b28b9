// The parts of a graph that handle failures of others: each(p), p + q, and wired `error` ports.

import type { Edge, Graph, GraphNode, GraphPosition, Origins } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import type { Edges } from '../graph/edges.js'
import type { Morphism } from '../graph/morphism/morphism.js'
import type { Select } from '../graph/morphism/select.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import { Choices } from './choices.js'
import { Eaches } from './eaches.js'
import { ErrorHandlers } from './error-handlers.js'
import { FailurePorts } from './failure-ports.js'

export interface FormsOptions {
  readonly context: RunContext
  readonly edges: Edges
  readonly maxInFlight: number
  /** The callback for the origin of a message that has failed at the exit of a form. */
  readonly lost: (exit: GraphNode) => (origin: Origin) => void
  /** Called with each error that an `error` port, or another part of p + q, has handled. */
  readonly handled: (fault: Fault) => void
}

export class Forms {
  readonly errorHandlers: ErrorHandlers
  /** Nodes whose inputs keep messages for an `error` port. */
  readonly kept: ReadonlyMap<GraphNode, GraphPosition>
  readonly #eaches: Eaches
  readonly #choices: Choices
  readonly #ports: FailurePorts

  constructor(graph: Graph, { elements, attempts, kept }: Origins, options: FormsOptions) {
    this.kept = kept
    this.errorHandlers = new ErrorHandlers(options.context)
    const own = { ...options, errorHandlers: this.errorHandlers }
    this.#eaches = new Eaches(graph, elements, own)
    this.#choices = new Choices(graph, attempts, own)
    this.#ports = new FailurePorts(graph, kept, own)
    for (const source of [this.#ports, this.#eaches, this.#choices]) this.errorHandlers.add(source)
  }

  /** The node is an end of a form, or an `error` port. */
  receiver(node: GraphNode, feeds: readonly number[]): Morphism {
    const { work } = node
    switch (work.kind) {
      case 'each':
        return this.#eaches.entrance(node, feeds)
      case 'gather':
        return this.#eaches.exit(node)
      case 'choice':
        return this.#choices.entrance(work.inside, feeds)
      case 'select':
        return this.#choices.exit(work.inside)
      case 'failures':
        return this.#ports.port(work)
      default:
        throw new TypeError(`no form: ${work.kind}`)
    }
  }

  /** In an each or a choice, the outcome of a message is known at the exit. */
  hold(node: GraphNode): boolean {
    return this.#eaches.around(node).length > 0 || this.#choices.hold(node)
  }

  /** The exit of the choice around it, if that is the innermost form. */
  choiceAround(node: GraphNode): Select | undefined {
    return this.#choices.around(node, (at) => this.#eaches.has(at))
  }

  isInPlace(edge: Edge): boolean {
    return this.#eaches.isInPlace(edge)
  }

  /** Call it once all edges are there. */
  closePorts(receiverOf: (node: GraphNode) => Morphism): void {
    this.#ports.closeBehind(receiverOf)
  }
}
