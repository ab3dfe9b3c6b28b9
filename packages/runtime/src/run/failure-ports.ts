// The wired `error` ports of a graph.

import { type Expansion, type Graph, type GraphNode, type GraphPosition, type NodeWork, nodesBehind } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import type { Channel } from '../graph/channel.js'
import type { ErrorHandler } from '../graph/error-handler.js'
import { FailurePort } from '../graph/morphism/failure-port.js'
import type { Morphism } from '../graph/morphism/morphism.js'
import type { RunContext } from '../graph/run-context.js'
import type { ErrorHandlerSource, ErrorHandlers } from './error-handlers.js'

type Failures = NodeWork & { readonly kind: 'failures' }

export interface FailurePortsOptions {
  readonly context: RunContext
  readonly errorHandlers: ErrorHandlers
  readonly handled: (fault: Fault) => void
}

export class FailurePorts implements ErrorHandlerSource {
  readonly #nodes: readonly GraphNode[]
  readonly #works: readonly Failures[]
  readonly #ports = new Map<Failures, FailurePort>()

  constructor(
    { nodes }: Graph,
    private readonly kept: ReadonlyMap<GraphNode, GraphPosition>,
    private readonly o: FailurePortsOptions,
  ) {
    this.#nodes = nodes
    this.#works = nodes.flatMap(({ work }) => (work.kind === 'failures' ? [work] : []))
  }

  errorHandlersOf(of: GraphNode | Expansion): readonly ErrorHandler[] {
    return this.#works
      .filter(({ inside, of: nodes }) => (inside ? inside === of : nodes.includes(of as GraphNode)))
      .map((work) => this.port(work))
  }

  port(work: Failures): FailurePort {
    const known = this.#ports.get(work)
    if (known) return known
    const { of, inside } = work
    const { errorHandlers, context, handled } = this.o
    const around = errorHandlers.around(inside ? inside.within : of[0]?.within)
    const places = of.flatMap((node) => this.kept.get(node) ?? [])
    const behind = nodesBehind(work, this.#nodes)
    const feeds = behind.reduce((sum, { outputs, work }) => sum + outputs.length + (isProcess(work) ? 1 : 0), 0)
    const port = new FailurePort(feeds, context, { places, around, handled })
    this.#ports.set(work, port)
    return port
  }

  /** Each port closes once all outputs of its process have, and what has ended in it gets no more messages that fail on that. */
  closeBehind(receiverOf: (node: GraphNode) => Morphism): void {
    for (const [work, port] of this.#ports) {
      const close = () => port.closeInput(0)
      for (const node of nodesBehind(work, this.#nodes)) {
        const receiver = receiverOf(node)
        for (const outlet of receiver.outlets) outlet.channels.push(closingOnce(close))
        if (isProcess(node.work)) receiver.onInputsClosed(close)
      }
    }
  }
}

/** A channel that carries nothing: its output closes, as often as that may be said. */
const closingOnce = (close: () => void): Channel => {
  let isClosed = false
  return {
    send: () => {},
    close: () => {
      if (!isClosed) close()
      isClosed = true
    },
  }
}

const isProcess = ({ kind }: NodeWork): boolean => kind === 'agent' || kind === 'plumb'
