// A served binding: what it takes and gives, where it is, and how it runs.

import { isLowerable, type Json, type Type, toSchema } from '@plumb/lang'
import type { Prices } from '@plumb/ledger'
import { costOfUsage } from '@plumb/ledger'
import type { ServedBinding } from '@plumb/runtime/service'
import type { Fault } from '@plumb/wire'

type GraphRequest = Parameters<ServedBinding['graph']['run']>[0]

/** A request, as a binding runs it. */
export type BindingRequest = Pick<GraphRequest, 'stdin' | 'stdout' | 'report' | 'telemetry' | 'signal'> & {
  readonly memories?: GraphRequest['memories'] | undefined
}

type Usage = Parameters<typeof costOfUsage>[1]

export class Binding {
  readonly name: string
  readonly path: string
  readonly description: string | undefined
  /** One output for each input: its JSON is the answer. */
  readonly answersOnce: boolean
  readonly inputs: readonly (Type | undefined)[]
  readonly outputs: readonly (Type | undefined)[]
  readonly #served: ServedBinding
  readonly #prices: Prices

  constructor(path: string, served: ServedBinding, prices: Prices) {
    const { bound } = served
    this.#served = served
    this.#prices = prices
    this.name = bound.name
    this.path = path
    this.description = bound.description
    this.answersOnce = isLowerable(bound)
    this.inputs = bound.inputs
    this.outputs = bound.outputs
  }

  /** Starts its processes. */
  warm() {
    return this.#served.graph.warm()
  }

  run(request: BindingRequest): Promise<void> {
    return this.#served.graph.run({
      ...request,
      memories: request.memories,
      numbered: { requests: undefined, isForOurs: false },
      envelopes: this.inputs.length > 1 ? 'some' : 'none',
      approve: async () => false,
    })
  }

  close(): Promise<void> {
    return this.#served.graph.close()
  }

  /** The error without secrets. */
  hide(error: Fault): Fault {
    return this.#served.secrets?.fault(error) ?? error
  }

  /** In nanodollars; undefined: its model has no price. */
  costOf(usage: Usage): number | undefined {
    return costOfUsage(this.#prices, usage)
  }

  schemaOf(type: Type | undefined): Json {
    return type ? (toSchema(type) as Json) : {}
  }
}
