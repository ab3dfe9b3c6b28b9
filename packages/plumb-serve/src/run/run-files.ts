// Runs in a directory, so that they go on after the server, or a kill of it:
//
//   ID/input.jsonl    its inputs
//   ID/request.json   what was asked; made last, so that a run with one is whole
//   ID/record         of its run (plumb(1), --record)
//   ID/outcome.json   what has come of it, once it has ended

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Fault, fail, fault, isRecord, type Result, succeed, systemReason } from '@plumb/wire'
import { inOwnDirectory, readOwnFile } from '@plumb/wire/output'
import type { Binding, BindingRequest } from '../binding/binding.js'
import type { FeedItem } from './feed.js'
import type { Run, SavedRun } from './run.js'
import type { RunFiles, RunRequest } from './runs.js'
import { writeKept } from './write-kept.js'

interface SavedRequest {
  readonly binding: string
  readonly owner: string
  readonly key?: string
  readonly conversation?: string
  readonly digest: string
  readonly events: readonly string[]
  readonly max_cost?: number
  readonly created: string
}

/** One of before: `saved`, if it has ended. */
export interface FoundRun {
  readonly id: string
  readonly request: RunRequest
  readonly created: Date
  readonly saved: SavedRun | undefined
}

const [REQUEST, INPUT, OUTCOME, RECORD] = ['request.json', 'input.jsonl', 'outcome.json', 'record']
const ID = /^[0-9a-f-]{36}$/

export class RunDirectory implements RunFiles {
  readonly directory: string

  private constructor(
    directory: string,
    private readonly warn: (error: Fault) => void,
  ) {
    this.directory = directory
  }

  static open(directory: string, warn: (error: Fault) => void): Result<RunDirectory> {
    const path = resolve(directory)
    try {
      inOwnDirectory(path, () => {}, { isMade: true, mode: 0o700 })
      return succeed(new RunDirectory(path, warn))
    } catch (error) {
      return fail('file_not_found', `--record: '${directory}' cannot be used: ${systemReason(error as NodeJS.ErrnoException)}`)
    }
  }

  take(id: string, { binding, owner, key, digest, conversation, events, maxCost, input }: RunRequest, created: Date): Fault | undefined {
    const saved: SavedRequest = {
      ...{ binding: binding.name, owner, digest, events: [...events], created: created.toISOString() },
      ...(key === undefined ? {} : { key }),
      ...(conversation === undefined ? {} : { conversation }),
      ...(maxCost === undefined ? {} : { max_cost: maxCost }),
    }
    return this.#attempt(() => {
      inOwnDirectory(this.#at(id), () => {}, { isMade: true, mode: 0o700 })
      this.#write(id, INPUT, input)
      this.#write(id, REQUEST, JSON.stringify(saved))
    })
  }

  async work(id: string, { binding, input }: Pick<RunRequest, 'binding' | 'input'>, ports: BindingRequest): Promise<void> {
    await binding.record(join(this.#at(id), RECORD), input, ports)
  }

  end(run: Run): void {
    const refused = this.#attempt(() => {
      this.#write(run.id, OUTCOME, JSON.stringify(run.saved))
      rmSync(join(this.#at(run.id), RECORD), { recursive: true, force: true })
    })
    if (refused) this.warn(refused)
  }

  forget(id: string): void {
    rmSync(this.#at(id), { recursive: true, force: true })
  }

  /** Those of before, the oldest first. What is no run, or of a binding that is not served any more, stays as it is. */
  find(bindings: readonly Binding[]): readonly FoundRun[] {
    const found = readdirSync(this.directory).flatMap((id) => (ID.test(id) ? (this.#read(id, bindings) ?? []) : []))
    return found.sort((a, b) => a.created.getTime() - b.created.getTime())
  }

  #read(id: string, bindings: readonly Binding[]): FoundRun | undefined {
    const at = (name: string): string => join(this.#at(id), name)
    if (!existsSync(at(REQUEST))) return undefined
    try {
      const request = JSON.parse(readOwnFile(at(REQUEST))) as SavedRequest
      const binding = bindings.find(({ name }) => name === request.binding)
      if (!binding)
        return void this.warn(fault('spec_changed', `run ${id} is of '${request.binding}', which is not served any more: it waits`))
      const saved = existsSync(at(OUTCOME)) ? savedOf(JSON.parse(readOwnFile(at(OUTCOME)))) : undefined
      const { owner, digest, key, conversation } = request
      const own = { binding, owner, digest, key, conversation, events: new Set(request.events), maxCost: request.max_cost }
      return { id, request: { ...own, input: Buffer.from(readOwnFile(at(INPUT))) }, created: new Date(request.created), saved }
    } catch (error) {
      return void this.warn(fault('record_invalid', `run ${id} cannot be read: ${(error as Error).message}`))
    }
  }

  #at(id: string): string {
    return join(this.directory, id)
  }

  #write(id: string, name: string, bytes: string | Buffer): void {
    writeKept(join(this.#at(id), name), bytes)
  }

  #attempt(act: () => void): Fault | undefined {
    try {
      act()
      return undefined
    } catch (error) {
      return fault('write_failed', `a run cannot be kept in '${this.directory}': ${systemReason(error as NodeJS.ErrnoException)}`)
    }
  }
}

const savedOf = (value: unknown): SavedRun => {
  if (!isRecord(value) || !Array.isArray(value.items)) throw new Error('its outcome is of another form')
  return value as unknown as SavedRun & { readonly items: readonly FeedItem[] }
}
