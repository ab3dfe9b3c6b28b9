// Finds the error handlers of a node: ports `error`, and the forms around it, each(p) and p + q.

import type { Expansion, GraphNode } from '@plumb/lang'
import { type ErrorHandler, reportTo } from '../graph/error-handler.js'
import type { RunContext } from '../graph/run-context.js'

export interface ErrorHandlerSource {
  /** The handlers of the failures of a node itself, or of everything in an expansion. */
  errorHandlersOf(of: GraphNode | Expansion): readonly ErrorHandler[]
}

export class ErrorHandlers {
  readonly #known = new Map<GraphNode, readonly ErrorHandler[]>()
  readonly #sources: ErrorHandlerSource[] = []

  constructor(private readonly context: RunContext) {}

  /** Handlers of the same node or expansion are called in the order in which they were added. */
  add(source: ErrorHandlerSource): void {
    this.#sources.push(source)
  }

  /** From the innermost. The ends of a form are around what is inside. */
  at(node: GraphNode): readonly ErrorHandler[] {
    const known = this.#known.get(node)
    if (known) return known
    const { work, within } = node
    const errorHandlers = [...this.#of(node), ...this.around('inside' in work && work.kind !== 'failures' ? work.inside.within : within)]
    this.#known.set(node, errorHandlers)
    return errorHandlers
  }

  /** Those of an expansion, and of the expansions around it. */
  around(expansion: Expansion | undefined): readonly ErrorHandler[] {
    const errorHandlers: ErrorHandler[] = []
    for (let at = expansion; at; at = at.within) errorHandlers.push(...this.#of(at))
    return errorHandlers
  }

  /** Failures are reported to the handlers first. */
  contextAt(node: GraphNode): RunContext {
    const errorHandlers = this.at(node)
    return errorHandlers.length === 0 ? this.context : { ...this.context, report: reportTo(errorHandlers, this.context.report) }
  }

  #of(of: GraphNode | Expansion): readonly ErrorHandler[] {
    return this.#sources.flatMap((source) => source.errorHandlersOf(of))
  }
}
