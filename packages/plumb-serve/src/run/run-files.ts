// Runs in a directory, so that they go on after the server, or a kill of it:
//
//   ID/input.jsonl    its inputs
//   ID/request.json   what was asked; made last, so that a run with one is whole
//   ID/record         of its run (plumb(1), --record)
//   ID/outcome.json   what has come of it, once it has ended

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Fault, fail, fault, type Result, succeed, systemReason } from '@plumb/wire'
import { inOwnDirectory, readOwnFile } from '@plumb/wire/output'
import type { Binding, BindingRequest } from '../binding/binding.js'
import type { Run } from './run.js'
import type { FoundRun, RunRequest, RunStore } from './runs.js'
import { foundRun, savedRequest } from './saved-run.js'
import { writeKept } from './write-kept.js'

const [REQUEST, INPUT, OUTCOME, RECORD] = ['request.json', 'input.jsonl', 'outcome.json', 'record']
const ID = /^[0-9a-f-]{36}$/
/** Each is two processes or more. */
const AT_ONCE = 8

export class RunDirectory implements RunStore {
  readonly directory: string
  readonly atOnce = AT_ONCE

  private constructor(
    directory: string,
    private readonly bindings: readonly Binding[],
    private readonly warn: (error: Fault) => void,
  ) {
    this.directory = directory
  }

  static open(directory: string, bindings: readonly Binding[], warn: (error: Fault) => void): Result<RunDirectory> {
    const path = resolve(directory)
    try {
      inOwnDirectory(path, () => {}, { isMade: true, mode: 0o700 })
      return succeed(new RunDirectory(path, bindings, warn))
    } catch (error) {
      return fail('file_not_found', `--record: '${directory}' cannot be used: ${systemReason(error as NodeJS.ErrnoException)}`)
    }
  }

  async take(id: string, request: RunRequest, created: Date): Promise<Result<undefined>> {
    const refused = this.#attempt(() => {
      inOwnDirectory(this.#at(id), () => {}, { isMade: true, mode: 0o700 })
      this.#write(id, INPUT, request.input)
      this.#write(id, REQUEST, savedRequest(request, created))
    })
    if (!refused) return succeed(undefined)
    await this.forget(id)
    return { ok: false, error: refused }
  }

  async work(id: string, { binding, input }: RunRequest, ports: BindingRequest): Promise<'done'> {
    await binding.record(join(this.#at(id), RECORD), input, ports)
    return 'done'
  }

  tracesItself(): boolean {
    return true
  }

  async end(run: Run): Promise<void> {
    const refused = this.#attempt(() => {
      this.#write(run.id, OUTCOME, JSON.stringify(run.saved))
      rmSync(join(this.#at(run.id), RECORD), { recursive: true, force: true })
    })
    if (refused) this.warn(refused)
  }

  async forget(id: string): Promise<void> {
    const refused = this.#attempt(() => rmSync(this.#at(id), { recursive: true, force: true }))
    if (refused) this.warn(refused)
  }

  /** What is no run, or of a binding that is not served any more, stays as it is. */
  async all(): Promise<Result<readonly FoundRun[]>> {
    try {
      const found = readdirSync(this.directory).flatMap((id) => (ID.test(id) ? (this.#read(id) ?? []) : []))
      return succeed(found.sort((a, b) => a.created.getTime() - b.created.getTime()))
    } catch (error) {
      return fail('file_not_found', `the runs in '${this.directory}' cannot be read: ${systemReason(error as NodeJS.ErrnoException)}`)
    }
  }

  async find(): Promise<undefined> {
    return undefined
  }

  async close(): Promise<void> {}

  #read(id: string): FoundRun | undefined {
    const at = (name: string): string => join(this.#at(id), name)
    if (!existsSync(at(REQUEST))) return undefined
    try {
      const texts = { request: readOwnFile(at(REQUEST)), outcome: existsSync(at(OUTCOME)) ? readOwnFile(at(OUTCOME)) : undefined }
      const found = foundRun({ id, ...texts, input: Buffer.from(readOwnFile(at(INPUT))) }, this.bindings)
      if (found.ok) return found.value
      return void this.warn(found.error)
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
      return fault(
        'write_failed',
        `a run cannot be kept or removed in '${this.directory}': ${systemReason(error as NodeJS.ErrnoException)}`,
      )
    }
  }
}
