// The memories that a conversation has of each agent of a binding, from one request to the next. They belong to a token; the least recently used
// are forgotten. Requests of one conversation are answered one after the other.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, parseJson, sha256Of } from '@plumb/wire'
import { readOwnFile } from '@plumb/wire/output'
import type { BindingRequest } from '../binding/binding.js'
import { writeKept } from './write-kept.js'

type Memories = NonNullable<BindingRequest['memories']>
type Memory = Map<string, readonly unknown[]>

export interface ConversationName {
  readonly owner: string
  readonly binding: string
  readonly id: string
}

/** Longer memories are not kept, in characters. */
const MAX_LENGTH = 16 * 1024 * 1024

export class Conversations {
  /** The least recently used first. */
  readonly #kept = new Map<string, Memory>()
  /** Ends with the last request that waits for it. */
  readonly #turns = new Map<string, Promise<void>>()

  /** `directory`: where they are kept beyond the life of the server. */
  constructor(
    private readonly max: number,
    private readonly directory: string | undefined,
  ) {
    for (const file of this.#files()) this.#load(file)
  }

  /** Resolves when it is the turn of the request; to be called once its memories are kept. */
  async enter(name: ConversationName): Promise<() => void> {
    const key = keyOf(name)
    const before = this.#turns.get(key)
    let leave: () => void = () => {}
    const over = new Promise<void>((resolve) => {
      leave = resolve
    })
    const last = (before ?? Promise.resolve()).then(() => over)
    this.#turns.set(key, last)
    void last.then(() => {
      if (this.#turns.get(key) === last) this.#turns.delete(key)
    })
    await before
    return leave
  }

  /** For the request that has entered. */
  memoriesOf(name: ConversationName): Memories {
    const key = keyOf(name)
    const kept = this.#kept.get(key)
    return {
      of: (place) => kept?.get(place),
      keep: (place, messages) => this.#keep(key, place, messages),
    }
  }

  /** Of each binding. False: there was none. */
  forget(owner: string, id: string): boolean {
    const gone = [...this.#kept.keys()].filter((key) => {
      const [of, , named] = JSON.parse(key) as string[]
      return of === owner && named === id
    })
    for (const key of gone) this.#drop(key)
    return gone.length > 0
  }

  #keep(key: string, place: string, messages: readonly unknown[]): void {
    if (JSON.stringify(messages).length > MAX_LENGTH) return
    const memory: Memory = this.#kept.get(key) ?? new Map()
    this.#kept.delete(key)
    this.#kept.set(key, memory)
    memory.set(place, messages)
    if (this.directory !== undefined) writeKept(this.#pathOf(key), JSON.stringify({ key, memory: Object.fromEntries(memory) }))
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.max) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#kept.delete(key)
    if (this.directory !== undefined) rmSync(this.#pathOf(key), { force: true })
  }

  #pathOf(key: string): string {
    return join(this.directory ?? '', `${sha256Of(key, 40)}.conversation`)
  }

  #files(): readonly string[] {
    return this.directory === undefined ? [] : readdirSync(this.directory).filter((name) => name.endsWith('.conversation'))
  }

  // One that cannot be read is none.
  #load(file: string): void {
    try {
      const bytes = Buffer.from(readOwnFile(join(this.directory ?? '', file)))
      const read = parseJson(bytes, 0, bytes.length)
      if (!read.ok || !isRecord(read.value) || !isRecord(read.value.memory) || typeof read.value.key !== 'string') return
      this.#kept.set(read.value.key, new Map(Object.entries(read.value.memory) as [string, readonly unknown[]][]))
    } catch {}
  }
}

const keyOf = ({ owner, binding, id }: ConversationName): string => JSON.stringify([owner, binding, id])
