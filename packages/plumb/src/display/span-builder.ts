// From what happens to what it means: work on messages, requests to models, tool calls.

import type { CallEnvelope } from '@plumb/tool'
import type { AgentTelemetry, WatchEvent, Watcher } from '../event/run-event.js'
import { countOf, type OpenWork, type Work, Works } from './message-span.js'
import type { Tokens } from './prices.js'

/** A request to a model that was answered. */
export interface ModelCall {
  readonly process: string
  readonly agent: string
  readonly model: string
  /** Milliseconds. */
  readonly start: number
  readonly end: number
  readonly tokens: Tokens
  /** In which it was made, as far as is known. */
  readonly work: OpenWork | undefined
}

/** A tool call that is over. */
export interface ToolCall {
  readonly process: string
  readonly agent: string
  readonly id: string
  readonly tool: string
  readonly start: number
  readonly end: number
  readonly isError: boolean
  readonly input: unknown
  /** What the dispatcher here says of it; undefined for calls that were answered elsewhere. */
  readonly envelope: CallEnvelope | undefined
  readonly work: OpenWork | undefined
}

/** A retry, a mended answer, a thought. */
export interface Remark {
  readonly process: string
  readonly telemetry: AgentTelemetry & { kind: 'retry' | 'mended' | 'thinking' }
  readonly ms: number
  readonly work: OpenWork | undefined
}

export interface Listener {
  work?(work: Work): void
  modelCall?(call: ModelCall): void
  toolCall?(call: ToolCall): void
  remark?(remark: Remark): void
}

interface Begun {
  readonly start: number
  readonly input: unknown
  readonly work: OpenWork | undefined
}

type Told<Kind extends AgentTelemetry['kind']> = AgentTelemetry & { kind: Kind }

/** Tells the listener; what else happens is for whoever watches beside it. */
export class History implements Watcher {
  readonly #listener: Listener
  readonly #works = new Map<string, Works>()
  readonly #concurrent = new Set<string>()
  /** Calls that an agent has told of, by process, agent and id. */
  readonly #begun = new Map<string, Begun>()
  /** Calls that the dispatcher has told of: the agent will too. */
  readonly #known = new Set<string>()

  constructor(listener: Listener) {
    this.#listener = listener
  }

  on(event: WatchEvent): void {
    switch (event.kind) {
      case 'begin':
        for (const { name, concurrency = 1 } of event.nodes) if (concurrency > 1) this.#concurrent.add(name)
        break
      case 'spawned':
        this.#works.set(event.process, new Works(event.process, event.runs, this.#concurrent.has(event.process)))
        break
      case 'asked':
        this.#works.get(event.process)?.asked(event)
        break
      case 'answered':
        this.#tell(this.#works.get(event.process)?.answered(event))
        break
      case 'refused':
        this.#tell(this.#works.get(event.process)?.refused(event))
        break
      case 'telemetry':
        this.#told(event.process, event.telemetry, event.ms)
        break
      case 'call':
        this.#called(event.process, event.call, event.ms)
        break
      case 'end':
        for (const works of this.#works.values()) for (const work of works.unfinished(event.ms)) this.#tell(work)
        break
      default:
    }
  }

  #tell(work: Work | undefined): void {
    if (work) this.#listener.work?.(work)
  }

  #told(process: string, telemetry: AgentTelemetry, ms: number): void {
    const works = this.#works.get(process)
    const work = works?.workOf(telemetry)
    works?.heard(telemetry, ms, countOf(telemetry.ms))
    if (isRemark(telemetry)) this.#listener.remark?.({ process, telemetry, ms, work })
    if (telemetry.kind === 'usage') {
      const tokens = {
        input: countOf(telemetry.input_tokens),
        output: countOf(telemetry.output_tokens),
        cache_read: countOf(telemetry.cache_read_tokens),
        cache_creation: countOf(telemetry.cache_creation_tokens),
      }
      const agent = String(telemetry.agent ?? process)
      const model = String(telemetry.model ?? 'unknown')
      this.#listener.modelCall?.({ process, agent, model, start: Math.max(0, ms - countOf(telemetry.ms)), end: ms, tokens, work })
    } else if (telemetry.kind === 'tool_call') {
      this.#begun.set(keyOf(process, String(telemetry.agent ?? process), telemetry.id), { start: ms, input: telemetry.input, work })
    } else if (telemetry.kind === 'tool_result') this.#returned(process, telemetry, ms)
  }

  // The dispatcher says more of a call than the agent that waits for it.
  #returned(process: string, told: Told<'tool_result'>, ms: number): void {
    const { id, is_error: isError, ms: took } = told
    const [agent, tool] = [String(told.agent ?? process), String(told.name)]
    const key = keyOf(process, agent, id)
    const begun = this.#begun.get(key)
    this.#begun.delete(key)
    if (this.#known.delete(keyOf(process, '', id))) return
    const work = begun?.work ?? this.#works.get(process)?.workOf(told)
    const start = begun?.start ?? Math.max(0, ms - countOf(took))
    this.#listener.toolCall?.({ process, agent, id, tool, start, end: ms, isError, input: begun?.input, envelope: undefined, work })
  }

  #called(process: string, envelope: CallEnvelope, ms: number): void {
    const { id, tool, ok, input, depth, agent = process } = envelope
    if (depth === 0) this.#known.add(keyOf(process, '', id))
    const work = this.#begun.get(keyOf(process, process, id))?.work ?? this.#works.get(process)?.workOf()
    const start = Math.max(0, ms - envelope.ms)
    this.#listener.toolCall?.({ process, agent, id, tool, start, end: ms, isError: !ok, input, envelope, work })
  }
}

const isRemark = (told: AgentTelemetry): told is Remark['telemetry'] => /^(retry|mended|thinking)$/.test(told.kind)

const keyOf = (process: string, agent: string, id: string): string => JSON.stringify([process, agent, id])
