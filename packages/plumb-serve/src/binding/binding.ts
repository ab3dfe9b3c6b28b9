// A served binding: what it takes and gives, where it is, and how it runs.

import type { planServed, SharedLimits } from '@plumb/engine'
import {
  describeSchema,
  isLowerable,
  type Json,
  type JsonSchema,
  type NamedType,
  planOf,
  planOfCalls,
  resolve,
  specTypes,
  type Type,
  toSchema,
  writesFlowWords,
} from '@plumb/lang'
import type { Prices } from '@plumb/ledger'
import { costOfCall, costOfUsage } from '@plumb/ledger'
import type { RunOptions } from '@plumb/runtime/options'
import {
  type OpenRequestTrace,
  type RequestTrace,
  runRecorded,
  runWorker,
  type ServedBinding,
  type WorkerProcessOptions,
} from '@plumb/runtime/service'
import type { LoadedSpec } from '@plumb/runtime/spec'
import { type Fault, type Reporter, type Result, succeed } from '@plumb/wire'

const JSON_TYPE: Type = { kind: 'json' }

type GraphRequest = Parameters<ServedBinding['graph']['run']>[0]

/** A request, as a binding runs it. */
export type BindingRequest = Pick<GraphRequest, 'stdin' | 'stdout' | 'report' | 'telemetry' | 'signal' | 'approve' | 'ask' | 'trace'> & {
  readonly memories?: GraphRequest['memories'] | undefined
  /** Of its client. */
  readonly traceparent?: string | undefined
}

interface Recording {
  readonly spec: string
  readonly loaded: LoadedSpec
  readonly options: RunOptions
  readonly reporter: Reporter
}

export type PlannedService = Extract<Awaited<ReturnType<typeof planServed>>, { ok: true }>['value']

type CostOf = Parameters<OpenRequestTrace>[0]['costOf']
type Usage = Parameters<typeof costOfUsage>[1]

export class Binding {
  readonly name: string
  readonly path: string
  readonly description: string | undefined
  /** It has one input. */
  readonly isSingle: boolean
  /** Its output is the text of a plumb-agent as it streams. */
  readonly streamsText: boolean
  /** It is an agent, to which a request may bring what was said before. */
  readonly isAgent: boolean
  /** One output for each input: its JSON is the answer. */
  readonly answersOnce: boolean
  readonly inputs: readonly (Type | undefined)[]
  readonly outputs: readonly (Type | undefined)[]
  readonly #served: ServedBinding
  readonly #prices: Prices

  readonly #recording: Recording
  readonly #traces: OpenRequestTrace | undefined

  constructor(path: string, served: ServedBinding, prices: Prices, recording: Recording, traces: OpenRequestTrace | undefined) {
    this.#traces = traces
    this.#recording = recording
    const { bound } = served
    this.#served = served
    this.#prices = prices
    this.name = bound.name
    this.path = path
    this.description = bound.description
    this.answersOnce = bound.category === 'base' || isLowerable(bound)
    this.isSingle = bound.inputs.length === 1
    this.isAgent = bound.binding.impl.kind === 'agent'
    this.streamsText = this.isAgent && resolve(bound.outputs[0] ?? JSON_TYPE).kind === 'string'
    this.inputs = bound.inputs
    this.outputs = bound.outputs
  }

  /** With those of the plumbs in it. */
  get nodes() {
    return this.#served.nodes
  }

  /** Starts its processes. */
  warm() {
    return this.#served.graph.warm()
  }

  /** Of a request; undefined: there is no collector. */
  trace(traceparent: string | undefined): RequestTrace | undefined {
    const { options, spec } = this.#recording
    const costOf: CostOf = (call) => costOfCall(this.#prices, call)
    return this.#traces?.({ served: this.#served, options, spec, costOf, traceparent })
  }

  run(request: BindingRequest): Promise<void> {
    return this.#served.graph.run({
      ...request,
      memories: request.memories,
      numbered: { requests: undefined, isForOurs: false },
      envelopes: this.inputs.length > 1 ? 'some' : 'none',
    })
  }

  /** With a record in this directory, which it goes on with. */
  record(directory: string, input: Buffer, { signal, traceparent, ...ports }: BindingRequest): Promise<void> {
    const { spec, loaded, options, reporter } = this.#recording
    const own = { spec, files: loaded.files, options, reporter, binding: this.name }
    return runRecorded({ ...own, directory, input, signal, traceparent }, ports)
  }

  /** `cannot_run`: no worker can do it. */
  async planForWorkers(shared: SharedLimits | undefined): Promise<Result<PlannedService>> {
    const { loaded, options } = this.#recording
    return (await import('@plumb/engine')).planServed(loaded, this.#served.bound, options, shared)
  }

  /** A worker of its runs, until it is stopped. */
  runWorker({ url, isInsecure }: WorkerProcessOptions['database'], stop: AbortSignal): Promise<void> {
    const { spec, loaded, options, reporter } = this.#recording
    return runWorker({ spec, files: loaded.files, options, reporter, binding: this.name, database: { url, isInsecure } }, stop)
  }

  /** Its wiring, as SVG. */
  async picture(): Promise<Result<string>> {
    const { pictureOf, toDot, tooLarge, toSvg } = await import('@plumb/runtime/draw')
    const { bound } = this.#served
    const picture = pictureOf(this.name, (bound.category === 'base' ? planOfCalls : planOf)(bound))
    const refused = tooLarge(picture)
    return refused ? { ok: false, error: refused } : succeed(await toSvg(toDot(picture, 'light')))
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

  /** Of its `i`-th input or output; with the labels that its spec speaks of. */
  schemaOf(side: 'inputs' | 'outputs', i: number): Json {
    const type = this[side][i]
    const labelled = i === 0 ? this.#labelled(side === 'inputs' ? 'input' : 'output') : undefined
    return labelled ?? (type ? (toSchema(type) as Json) : {})
  }

  #labelled(side: 'input' | 'output'): Json | undefined {
    const { program } = this.#recording.loaded.compiled
    if (!writesFlowWords(program)) return undefined
    const { bindings, labelOf } = specTypes(program, 'all')
    const own = bindings.find(({ name }) => name === this.name)
    const defined = new Map<string, Json>()
    const refer = (type: NamedType): JsonSchema => {
      const label = labelOf(type)
      if (label !== undefined) return { ...describeSchema(type.target, refer), 'x-plumb-label': label }
      if (!defined.has(type.name)) {
        defined.set(type.name, {})
        defined.set(type.name, describeSchema(type.target, refer))
      }
      return { $ref: `#/$defs/${type.name}` }
    }
    if (!own) return undefined
    const schema = describeSchema(own[side], refer)
    return defined.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(defined) }
  }
}
