// What all requests of a served binding share (`@shared`): each message of a fold goes on from the state that the last one has left, whichever
// request it was of, and what waits in a batch or a barrier waits for messages of all. What keeps nothing of a message, such as a map or the
// check of a type, is compiled once for all of them.

import { type GraphNode, MessageScanners, type Sink, type Stage, type Verdict } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import { stageOf } from './expression.js'

type Report = (fault: Fault) => void

interface Shared {
  readonly stage: Stage
  /** Of the request whose message it has. */
  report: Report
}

export class SharedStates {
  readonly #stages = new Map<GraphNode, Shared>()
  readonly #waiting = new Map<GraphNode, unknown>()
  readonly scanners = new MessageScanners()

  constructor(private readonly isIts: (node: GraphNode) => boolean) {}

  /** What waits in a node. Undefined: each request has its own. */
  waitingIn<T>(node: GraphNode, make: () => T): T | undefined {
    if (!this.isIts(node)) return undefined
    if (!this.#waiting.has(node)) this.#waiting.set(node, make())
    return this.#waiting.get(node) as T
  }

  /** For one request; `make` makes it, once. */
  stageOf(node: GraphNode, report: Report, make: (report: Report) => Stage): Stage {
    if (node.work.kind === 'fold' && !this.isIts(node)) return make(report)
    let shared = this.#stages.get(node)
    if (!shared) {
      const made: Shared = { report, stage: make((fault) => made.report(fault)) }
      this.#stages.set(node, made)
      shared = made
    }
    return new OneOf(shared, report)
  }
}

/** Of a node of one run; `shared`: that of all requests, where they share it. */
export const stageAt = (node: GraphNode, scanners: MessageScanners, report: Report, shared: SharedStates | undefined): Stage => {
  const make = (tell: Report): Stage => stageOf(node, scanners, tell)
  return shared?.stageOf(node, report, make) ?? make(report)
}

class OneOf implements Stage {
  constructor(
    private readonly shared: Shared,
    private readonly report: Report,
  ) {}

  get fault(): Fault | null {
    return this.shared.stage.fault
  }

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    this.shared.report = this.report
    return this.shared.stage.run(buf, start, end, out)
  }
}
