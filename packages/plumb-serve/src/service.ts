// What all requests share: the bindings, their limits, and what is counted.

import { fault } from '@plumb/wire'
import { openBodies, type ReadBody } from '@plumb/wire/http'
import { Places } from './access/places.js'
import type { Tokens } from './access/tokens.js'
import type { Binding } from './binding/binding.js'
import { Metrics } from './look/metrics.js'
import type { Run } from './run/run.js'

export interface ServiceOptions {
  readonly bindings: readonly Binding[]
  readonly tokens: Tokens | undefined
  readonly maxBody: number
  readonly maxRequests: number
}

/** Bytes of all bodies on their way, in bodies of the largest size. */
const BODIES_AT_ONCE = 4
const BODY_STALL_MS = 30_000
const BODY_MS = 120_000

export class Service {
  readonly bindings: readonly Binding[]
  readonly tokens: Tokens | undefined
  readonly places: Places
  readonly metrics: Metrics
  readonly readBody: ReadBody
  /** In hand. */
  readonly runs = new Set<Run>()
  state: 'starting' | 'ready' | 'draining' = 'starting'

  constructor({ bindings, tokens, maxRequests, maxBody }: ServiceOptions) {
    this.bindings = bindings
    this.tokens = tokens
    this.places = new Places(maxRequests)
    this.metrics = new Metrics(bindings.map(({ name }) => name))
    const maxTotalBytes = maxBody * BODIES_AT_ONCE
    this.readBody = openBodies({ maxBytes: maxBody, maxTotalBytes, stallTimeout: BODY_STALL_MS, maxMs: BODY_MS })
  }

  begin(run: Run): void {
    this.runs.add(run)
    this.metrics.begin(run.binding.name)
    void run.finished.then(() => {
      this.runs.delete(run)
      this.metrics.end(run)
    })
  }

  /** At the end: what is still in hand is told that. */
  cancelAll(): void {
    for (const run of this.runs) run.cancel(fault('cancelled', 'the server has ended before the answer was whole'))
  }
}
