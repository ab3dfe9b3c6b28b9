// The memories that a conversation has of each agent of a binding, from one request to the next. They belong to a token; the least recently used
// are forgotten. Requests of one conversation are answered one after the other.

import { type Fault, fault, type Result, succeed } from '@plumb/wire'
import type { BindingRequest } from '../binding/binding.js'
import type { Memory, MemoryFiles } from './memory-files.js'

type Memories = NonNullable<BindingRequest['memories']>

export interface ConversationName {
  readonly owner: string
  readonly binding: string
  readonly id: string
}

/** Longer memories are not kept, in characters. */
const MAX_LENGTH = 16 * 1024 * 1024

/** Memories as JSON text, by the places of agents. */
export interface MemoryTables {
  memoriesOf(conversation: string): Promise<Result<ReadonlyMap<string, string>>>
  remember(conversation: string, place: string, memory: string, most: number): Promise<void>
  forgetConversations(isIts: (conversation: string) => boolean): Promise<Result<boolean>>
}

export class Conversations {
  /** The least recently used first. */
  readonly #kept = new Map<string, Memory>()
  /** Ends with the last request that waits for it. */
  readonly #turns = new Map<string, Promise<void>>()
  /** Those that a request has now. */
  readonly #inHand = new Map<string, { isForgotten: boolean }>()

  /** `files`, `tables`: where they are kept beyond the life of the server. */
  constructor(
    private readonly max: number,
    private readonly files: MemoryFiles | undefined,
    private readonly tables: MemoryTables | undefined,
  ) {
    for (const [key, memory] of files?.all() ?? []) this.#kept.set(key, memory)
  }

  /**
   * Resolves when it is the turn of the request, to what is to be called once its memories are kept. A fault: they cannot be had, or it does
   * not wait for its turn any more.
   */
  async enter(name: ConversationName, signal: AbortSignal): Promise<Result<() => void>> {
    const key = keyOf(name)
    const before = this.#turns.get(key)
    let leave: () => void = () => {}
    const over = new Promise<void>((resolve) => {
      leave = () => {
        if (this.#inHand.get(key) === own) this.#inHand.delete(key)
        resolve()
      }
    })
    const own = { isForgotten: false }
    const last = (before ?? Promise.resolve()).then(() => over)
    this.#turns.set(key, last)
    void last.then(() => {
      if (this.#turns.get(key) === last) this.#turns.delete(key)
    })
    await untilAborted(before, signal)
    if (signal.aborted) {
      leave()
      return { ok: false, error: fault('cancelled', 'the request has ended before its turn in its conversation') }
    }
    this.#inHand.set(key, own)
    const read = await this.tables?.memoriesOf(key)
    if (!read || read.ok) {
      if (read) this.#kept.set(key, new Map([...read.value].map(([place, memory]) => [place, JSON.parse(memory) as readonly unknown[]])))
      return succeed(leave)
    }
    leave()
    return read
  }

  /** For the request that has entered. */
  memoriesOf(name: ConversationName): Memories {
    const key = keyOf(name)
    const kept = this.#kept.get(key)
    const own = this.#inHand.get(key)
    return {
      of: (place) => kept?.get(place),
      keep: (place, messages) => (own?.isForgotten === true ? undefined : this.#keep(key, place, messages)),
    }
  }

  /** Of each binding, also while it is answered. False: there was none. */
  async forget(owner: string, id: string): Promise<Result<boolean>> {
    const isIts = (key: string): boolean => {
      const [of, , named] = JSON.parse(key) as string[]
      return of === owner && named === id
    }
    const inHand = [...this.#inHand].filter(([key]) => isIts(key))
    for (const [, one] of inHand) one.isForgotten = true
    const gone = [...this.#kept.keys()].filter(isIts)
    for (const key of gone) this.#drop(key)
    const forgotten = this.tables ? await this.tables.forgetConversations(isIts) : succeed(false)
    return forgotten.ok ? succeed(forgotten.value || gone.length + inHand.length > 0) : forgotten
  }

  #keep(key: string, place: string, messages: readonly unknown[]): Fault | undefined {
    const json = JSON.stringify(messages)
    if (json.length > MAX_LENGTH) return TOO_LONG
    const memory: Memory = new Map(this.#kept.get(key)).set(place, messages)
    this.#kept.delete(key)
    this.#kept.set(key, memory)
    this.files?.write(key, memory)
    void this.tables?.remember(key, place, json, this.max)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.max) break
      this.#drop(oldest)
    }
    return undefined
  }

  #drop(key: string): void {
    this.#kept.delete(key)
    this.files?.remove(key)
  }
}

const TOO_LONG = fault('too_large', 'the memory of this conversation would be longer than 16 MiB: this turn of it is not remembered')

/** Resolves with either. */
const untilAborted = (work: Promise<void> | undefined, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      signal.removeEventListener('abort', over)
      resolve()
    }
    signal.addEventListener('abort', over)
    if (signal.aborted) over()
    else void Promise.resolve(work).then(over)
  })

const keyOf = ({ owner, binding, id }: ConversationName): string => JSON.stringify([owner, binding, id])
