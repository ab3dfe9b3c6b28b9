// Whether a chain keeps to a protocol on each way that it may take: judged whole, before anything of it runs.

import type { BasePlan, ToolProtocol } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import { WalkedProtocol } from './walk.js'

/** Where the chain begins. It can be copied to a thread. */
export interface ChainOrder {
  readonly protocol: ToolProtocol
  readonly at: number
  /** The names that the protocol has for tools, by those that chains have. */
  readonly names: ReadonlyMap<string, string>
}

/** The states in which a part may end: where it succeeds, and where it fails. */
interface Ways {
  readonly done: ReadonlySet<number>
  readonly failed: ReadonlySet<number>
}

/** Why nothing of it is run. Undefined: each call of it is allowed in whatever state it is made. */
export const judgeChain = (plan: BasePlan, order: ChainOrder): Fault | undefined => {
  const judge = new ChainJudge(order)
  judge.ways(plan, new Set([order.at]))
  return judge.refusal
}

/** It calls a tool that is not free, so that its calls are made in the order in which they are written. */
export const hasOrder = (called: readonly string[], { protocol, names }: ChainOrder): boolean => {
  const walked = new WalkedProtocol(protocol)
  return called.some((name) => !walked.isFree(names.get(name) ?? name))
}

class ChainJudge {
  refusal: Fault | undefined
  readonly #protocol: WalkedProtocol

  constructor(private readonly order: ChainOrder) {
    this.#protocol = new WalkedProtocol(order.protocol)
  }

  ways(plan: BasePlan, from: ReadonlySet<number>): Ways {
    switch (plan.kind) {
      case 'named':
        return this.#call(this.order.names.get(plan.bound.name) ?? plan.bound.name, from)
      case 'sequence':
      case 'product':
        return this.#inTurn(plan.items, from)
      case 'choice':
        return this.#oneOf(plan.items, from)
      case 'each':
        return this.#again(plan.body, from, { least: 0, goesOn: plan.skips })
      case 'trace':
        return this.#again(plan.body, from, { least: 1, most: plan.max, goesOn: false })
      default:
        // An expression may fail, and leaves the walk where it was.
        return { done: from, failed: from }
    }
  }

  #call(tool: string, from: ReadonlySet<number>): Ways {
    if (this.#protocol.isFree(tool)) return { done: from, failed: from }
    const done = new Set<number>()
    for (const at of from) {
      const to = this.#protocol.next(at, tool)
      if (to === undefined) this.#refuse(at, tool)
      else done.add(to)
    }
    return { done, failed: from }
  }

  #refuse(at: number, tool: string): void {
    const refusal = this.#protocol.refusal(at, tool)
    this.refusal ??= { ...refusal, detail: `nothing of the chain was run: where it may call '${tool}', ${refusal.detail}` }
  }

  #inTurn(items: readonly BasePlan[], from: ReadonlySet<number>): Ways {
    const failed = new Set<number>()
    let done = from
    for (const item of items) {
      const ways = this.ways(item, done)
      for (const at of ways.failed) failed.add(at)
      done = ways.done
    }
    return { done, failed }
  }

  #oneOf(items: readonly BasePlan[], from: ReadonlySet<number>): Ways {
    const done = new Set<number>()
    let failed = from
    for (const item of items) {
      const ways = this.ways(item, failed)
      for (const at of ways.done) done.add(at)
      failed = ways.failed
    }
    return { done, failed }
  }

  /** `goesOn`: what fails is left out. Ends, since states are only added. */
  #again(body: BasePlan, from: ReadonlySet<number>, { least, most = Number.POSITIVE_INFINITY, goesOn }: Rounds): Ways {
    const begins = new Set(from)
    const done = new Set(least === 0 ? from : [])
    const failed = new Set<number>()
    for (let round = 0; round < most; round++) {
      const { size } = begins
      const ways = this.ways(body, new Set(begins))
      for (const at of ways.failed) failed.add(at)
      for (const at of goesOn ? [...ways.done, ...ways.failed] : ways.done) {
        done.add(at)
        begins.add(at)
      }
      if (begins.size === size) break
    }
    return { done, failed }
  }
}

interface Rounds {
  readonly least: 0 | 1
  readonly most?: number
  readonly goesOn: boolean
}
