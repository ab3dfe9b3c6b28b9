// Memories of conversations in a directory, a file each, so that they are there after the server.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, fault, isRecord, parseJson, sha256Of, systemReason } from '@plumb/wire'
import { readOwnFile } from '@plumb/wire/output'
import { writeKept } from './write-kept.js'

export type Memory = ReadonlyMap<string, readonly unknown[]>

export class MemoryFiles {
  constructor(
    private readonly directory: string,
    private readonly warn: (warning: Fault) => void,
  ) {}

  /** All that can be read, with their conversations. */
  all(): readonly (readonly [string, Memory])[] {
    try {
      const names = readdirSync(this.directory).filter((name) => name.endsWith('.conversation'))
      return names.map((name) => this.#read(name)).filter((read) => read !== undefined)
    } catch (error) {
      this.#warn('conversations cannot be read', error)
      return []
    }
  }

  /** Where it cannot be written, as on a full disk, the server alone remembers it. */
  write(conversation: string, memory: Memory): void {
    try {
      writeKept(this.#pathOf(conversation), JSON.stringify({ key: conversation, memory: Object.fromEntries(memory) }))
    } catch (error) {
      this.#warn('what was said in a conversation is remembered by this server alone: it cannot be kept', error)
    }
  }

  remove(conversation: string): void {
    try {
      rmSync(this.#pathOf(conversation), { force: true })
    } catch (error) {
      this.#warn('a conversation cannot be removed', error)
    }
  }

  #read(name: string): readonly [string, Memory] | undefined {
    try {
      const bytes = Buffer.from(readOwnFile(join(this.directory, name)))
      const read = parseJson(bytes, 0, bytes.length)
      if (!read.ok || !isRecord(read.value) || !isRecord(read.value.memory) || typeof read.value.key !== 'string') return undefined
      return [read.value.key, new Map(Object.entries(read.value.memory) as [string, readonly unknown[]][])]
    } catch {
      return undefined
    }
  }

  #pathOf(conversation: string): string {
    return join(this.directory, `${sha256Of(conversation, 40)}.conversation`)
  }

  #warn(what: string, error: unknown): void {
    this.warn(fault('write_failed', `${what} in '${this.directory}': ${systemReason(error as NodeJS.ErrnoException)}`))
  }
}
