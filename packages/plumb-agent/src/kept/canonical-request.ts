// The canonical form of a request: its messages, model, tools, type and settings. What varies between runs is left out: ids, signatures,
// the clock of runtime_context, and how a request is sent.

import { createHash, type Hash } from 'node:crypto'
import { type Json, resolve, toSchema } from '@plumb/lang'
import { type HashedRequest, hashOf, partText } from '@plumb/ledger/kept'
import { isRecord } from '@plumb/wire'
import type { AgentConfig } from '../config/config.js'
import type { ChatMessage, ModelRequest } from '../provider/provider.js'

export interface CanonicalRequest extends HashedRequest {
  /** What is asked after it, such as a call of its answer: `{ after: the request, ...members }`. */
  readonly followedBy: (members: object) => HashedRequest
}

type Model = Pick<AgentConfig, 'provider' | 'providerName'>

/** The requests of one agent. Each repeats the conversation so far, of which only what is new is read. */
export class CanonicalRequests {
  // `messages` is the first member of a request in the order of their names, and `after` of what follows one.
  readonly #asked = new Beginning('{"messages":[', 2)
  readonly #after = new Beginning('{"after":{"messages":[', 3)

  constructor(private readonly model: Model) {}

  of(question: ModelRequest): CanonicalRequest {
    // Both grow in place, before the last of these is needed.
    const [history, turn] = [[...question.history], [...question.turn]]
    const others = settingsOf(question, this.model)
    const value = (): object => ({ messages: withoutIds([...history, ...turn]), ...others })
    const digest = (beginning: Beginning, members?: object): string | undefined => {
      const [text, more] = [partText(others, members ? 1 : 0), members && partText(members, 0)]
      if (text === undefined || (members && more === undefined)) return undefined
      return beginning.digest(history, turn, `],${text.slice(1)}${more === undefined ? '' : `,${more.slice(1)}`}`)
    }
    return {
      hash: digest(this.#asked) ?? hashOf(value()),
      value,
      followedBy: (members) => {
        const whole = (): object => ({ after: value(), ...members })
        return { hash: digest(this.#after, members) ?? hashOf(whole()), value: whole }
      },
    }
  }
}

const settingsOf = (
  { system, tools, parallelToolCalls, model, temperature, effort, output, schemaInPrompt }: ModelRequest,
  { provider, providerName }: Model,
): object => ({
  provider: providerName,
  model,
  system,
  // Servers list their tools in any order.
  tools: [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)),
  ...(resolve(output).kind === 'string' ? {} : { schema: toSchema(output) }),
  settings: { ...provider.settings, temperature, effort, parallel_tool_calls: parallelToolCalls, schema_in_prompt: schemaInPrompt },
})

/** The hash of values that begin with the same messages: the state of SHA-256 after those that will stay. */
class Beginning {
  #seen: ChatMessage[] = []
  #ids = new Ids()
  #hash: Hash

  constructor(
    private readonly before: string,
    /** Of a message in the value. */
    private readonly depth: number,
  ) {
    this.#hash = createHash('sha256').update(before)
  }

  /** Of a value with the messages of `history` and `turn`, which ends with `rest`. Undefined: a message has no text of its own. */
  digest(history: readonly ChatMessage[], turn: readonly ChatMessage[], rest: string): string | undefined {
    // A memory that was set, or cut, begins again.
    if (this.#seen.length > history.length || !this.#seen.every((message, i) => message === history[i])) this.#forget()
    for (const message of history.slice(this.#seen.length)) {
      const text = this.#textOf(message, this.#seen.length, this.#ids)
      // Its ids are numbered by then.
      if (text === undefined) return this.#forget()
      this.#hash.update(text)
      this.#seen.push(message)
    }
    const hash = this.#hash.copy()
    const ids = new Ids(this.#ids)
    for (const [i, message] of turn.entries()) {
      const text = this.#textOf(message, this.#seen.length + i, ids)
      if (text === undefined) return undefined
      hash.update(text)
    }
    return hash.update(rest).digest('hex')
  }

  #textOf(message: ChatMessage, place: number, ids: Ids): string | undefined {
    const text = partText(withoutId(message, ids), this.depth)
    return text !== undefined && place > 0 ? `,${text}` : text
  }

  #forget(): undefined {
    this.#seen = []
    this.#ids = new Ids()
    this.#hash = createHash('sha256').update(this.before)
  }
}

/** Numbers ids in the order in which they occur, after those of `before`. */
class Ids {
  private readonly numbers = new Map<string, number>()

  /** `before` numbers none itself any more. */
  constructor(private readonly before?: Ids) {}

  numberOf(id: string): number {
    const earlier = this.before?.numbers
    const known = earlier?.get(id) ?? this.numbers.get(id)
    if (known !== undefined) return known
    const number = (earlier?.size ?? 0) + this.numbers.size + 1
    this.numbers.set(id, number)
    return number
  }
}

const withoutIds = (messages: readonly ChatMessage[]): object[] => {
  const ids = new Ids()
  return messages.map((message) => withoutId(message, ids))
}

/** Each id becomes its number. */
const withoutId = ({ role, content }: ChatMessage, ids: Ids): object => {
  const plain = (block: Json): unknown => {
    if (!isRecord(block) || isInput(block)) return block
    return Object.fromEntries(
      Object.entries(block).flatMap(([key, value]) => {
        if (SEALED.has(key) || (key === 'data' && block.type === 'redacted_thinking')) return []
        return [[key, IDS.has(key) && typeof value === 'string' ? ids.numberOf(value) : value]]
      }),
    )
  }
  return { role, content: Array.isArray(content) ? content.map(plain) : content }
}

// A memory that was set, or a text: kept whole.
const isInput = ({ type }: { readonly [key: string]: unknown }): boolean => typeof type !== 'string' || type === 'text'

const IDS: ReadonlySet<string> = new Set(['id', 'tool_use_id', 'call_id'])

/** Data that only the provider can read, and creates again each time. */
const SEALED: ReadonlySet<string> = new Set(['signature', 'encrypted_content'])
