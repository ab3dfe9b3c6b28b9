// Features that a model or its server has refused, and that are left out from then on. Telemetry reports each of them once.

import { preview } from '@plumb/wire'
import { type EffortLevel, effortsIn, nearestEffort } from './effort.js'
import type { Failure } from './http/failure.js'
import type { Protocol } from './protocol.js'
import type { ModelRequest } from './provider.js'

/** The request as it was sent: with which effort, and whether it would change without a feature. */
export interface RefusedQuestion {
  readonly question: ModelRequest
  readonly changesWithout: (feature: string) => boolean
}

export class Concessions {
  readonly #without = new Map<string, Set<string>>()
  /** Levels that a model has named. */
  readonly #efforts = new Map<string, readonly EffortLevel[]>()
  /** Model and effort. */
  readonly #reported = new Set<string>()

  /** `known`: what the server of a preset takes in another way. */
  constructor(
    private readonly protocol: Pick<Protocol, 'downgrades' | 'efforts'>,
    private readonly known: ReadonlySet<string> = NOTHING,
  ) {}

  /** Names of features that are left out for this model. */
  without(model: string): ReadonlySet<string> {
    return this.#without.get(model) ?? this.known
  }

  /** The level that is sent. Undefined: none. */
  effortFor({ model, effort }: Pick<ModelRequest, 'model' | 'effort'>): EffortLevel | undefined {
    const levels = this.#levelsOf(model)
    return effort === undefined || !levels ? effort : nearestEffort(effort, levels)
  }

  /** Reports a request that is sent with another level than configured. */
  reportEffort({ model, effort, emit }: Pick<ModelRequest, 'model' | 'effort' | 'emit'>): void {
    const sent = this.effortFor({ model, effort })
    const key = `${effort} ${model}`
    if (sent === effort || this.#reported.has(key)) return
    this.#reported.add(key)
    const levels = this.#levelsOf(model) ?? []
    const why = sent === undefined ? `${model} takes no effort` : `${model} has ${levels.join(', ')}: it is asked for '${sent}'`
    emit({ kind: 'concession', what: `effort '${effort}'`, why })
  }

  /** Whether the request can be repeated without the refused feature. A request that would not change was not refused for that. */
  learn({ question, changesWithout }: RefusedQuestion, { fault, text: words }: Failure): boolean {
    if (fault.error !== 'provider_refused') return false
    const { model, log, emit } = question
    const next = this.protocol.downgrades.find((one) => one.words.test(words) && changesWithout(one.name))
    if (next) {
      this.#without.set(model, new Set([...this.without(model), next.name]))
      log('api_downgrade', { model, downgrade: next.name })
      if (next.concedes !== undefined) emit({ kind: 'concession', what: next.concedes, why: preview(fault.detail, 300) })
      return true
    }
    const level = this.effortFor(question)
    if (level === undefined || !EFFORT.test(words)) return false
    this.#efforts.set(model, effortsIn(words, level))
    log('api_downgrade', { model, downgrade: 'effort' })
    return true
  }

  #levelsOf(model: string): readonly EffortLevel[] | undefined {
    return this.#efforts.get(model) ?? this.protocol.efforts
  }
}

const NOTHING: ReadonlySet<string> = new Set()

const EFFORT = /effort/i
