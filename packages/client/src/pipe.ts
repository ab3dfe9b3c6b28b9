// A spec that is run here: a `plumb` for each request at a time, kept warm where a request leaves nothing behind for the next one.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { asFault, BaseConnection, CLOSED, failure, lineOf } from './base.js'
import { PipeProcess } from './pipe-process.js'
import { Queue } from './queue.js'
import { type CallOptions, type Fault, type Inputs, PlumbError, type Question, type StreamItem, type StreamOptions } from './types.js'

export interface SpecOptions {
  /** The path of the spec, or its text. */
  readonly spec: string | { readonly source: string }
  /** The program; default: that of the package `plumb` which is installed beside this one, else `plumb` on PATH. */
  readonly plumb?: string
  /** Further options of `plumb run`, as words. */
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** How many requests run at once; others wait. Default: 8. */
  readonly concurrency?: number
}

/** As `plumb types --to json-schema` tells it. */
interface Binding {
  /** Each input has one output. */
  readonly answers: 'one' | 'many'
  /** A request leaves something behind that the next one would meet. */
  readonly keeps: boolean
}

export const openSpec = async (given: SpecOptions): Promise<PipeConnection> => {
  const options = { ...given, plumb: given.plumb ?? installed() }
  return new PipeConnection(new Pool(options, await askBindings(options)))
}

type Named = SpecOptions & { readonly plumb: string }

export const wordsOf = (spec: SpecOptions['spec']): readonly string[] => (typeof spec === 'string' ? [spec] : ['--eval', spec.source])

/** From here, and from the program that runs: with pnpm a package sees only what it depends on. */
const installed = (): string => {
  for (const from of [import.meta.url, process.argv[1]])
    for (const name of ['plumb', '@plumb-lang/plumb'])
      try {
        const program = join(dirname(createRequire(from ?? '').resolve(name)), '../bin/plumb')
        if (existsSync(program)) return program
      } catch {}
  return 'plumb'
}

const MAX_TYPES = 64 * 1024 * 1024

const askBindings = ({ spec, plumb, cwd, env = process.env }: Named): Promise<ReadonlyMap<string, Binding>> =>
  new Promise((resolve, reject) => {
    const options = { cwd, env: { ...env, PLUMB_ERRORS: 'json' }, maxBuffer: MAX_TYPES }
    execFile(plumb, ['types', '--to', 'json-schema', ...wordsOf(spec)], options, (error, stdout, stderr) => {
      if (!error) {
        const { 'x-plumb-bindings': bindings } = JSON.parse(stdout) as { readonly 'x-plumb-bindings': Record<string, Binding> }
        return resolve(new Map(Object.entries(bindings)))
      }
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      const detail = `cannot start '${plumb}': ${error.message}; install the package plumb, have it on PATH, or give { plumb: PATH }`
      reject(isMissing ? failure('cannot_run', 'config', detail) : refusal(stderr, error.message))
    })
  })

/** The first diagnostic, with all of them in its detail. */
const refusal = (stderr: string, otherwise: string): PlumbError => {
  const lines = stderr.trim().split('\n')
  const faults = lines.flatMap((line): Fault[] => {
    try {
      const { code, message, error, detail, ...more } = JSON.parse(line) as Record<string, unknown>
      return [asFault({ ...more, error: error ?? code, category: more.category ?? 'config', detail: detail ?? message }, line)]
    } catch {
      return []
    }
  })
  return new PlumbError(faults[0] ?? { error: 'spec_invalid', category: 'config', detail: lines.join('\n') || otherwise })
}

/** The processes of a connection, and of its conversations. */
class Pool {
  readonly #options: Named
  readonly bindings: ReadonlyMap<string, Binding>
  /** By binding, events and conversation. */
  readonly #idle = new Map<string, PipeProcess[]>()
  readonly #all = new Set<PipeProcess>()
  #busy = 0
  readonly #waiting: (() => void)[] = []
  /** The end of the last request of each conversation. */
  readonly #turns = new Map<string, Promise<void>>()
  #isClosed = false

  constructor(options: Named, bindings: ReadonlyMap<string, Binding>) {
    this.#options = options
    this.bindings = bindings
  }

  binding(name: string): Binding {
    if (this.#isClosed) throw CLOSED()
    const found = this.bindings.get(name)
    if (found) return found
    const known = [...this.bindings.keys()].join(', ')
    throw failure('unknown_name', 'not_found', `no process is named '${name}'${known === '' ? '' : `; there are ${known}`}`)
  }

  /** A process for one request; `free` gives it back, and says whether another may have it. */
  async take(
    name: string,
    conversation: string | undefined,
    isTold: boolean,
  ): Promise<{ process: PipeProcess; free: (isWhole: boolean, isSpent: boolean) => void }> {
    const { keeps } = this.binding(name)
    const endTurn = conversation === undefined ? () => {} : await this.#turn(conversation)
    while (this.#busy >= (this.#options.concurrency ?? 8)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    if (this.#isClosed) {
      endTurn()
      throw CLOSED()
    }
    this.#busy++
    const key = JSON.stringify([name, isTold, conversation ?? null])
    const idle = this.#idle.get(key) ?? []
    this.#idle.set(key, idle)
    let found = idle.pop()
    while (found?.hasEnded) found = idle.pop()
    const taken = found ?? this.#start(name, isTold)
    const isFresh = keeps && conversation === undefined
    // The next one is started before it is asked for.
    if (isFresh && idle.length === 0) this.#rest(idle, this.#start(name, isTold))
    const free = (isWhole: boolean, isSpent: boolean): void => {
      if (isWhole && !isSpent && !isFresh && !this.#isClosed && !taken.hasEnded) this.#rest(idle, taken)
      else void taken.close()
      this.#busy--
      this.#waiting.shift()?.()
      endTurn()
    }
    return { process: taken, free }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((process) => process.close()))
  }

  #rest(idle: PipeProcess[], process: PipeProcess): void {
    process.rest()
    idle.push(process)
  }

  async #turn(conversation: string): Promise<() => void> {
    const before = this.#turns.get(conversation)
    let end = (): void => {}
    this.#turns.set(conversation, new Promise((resolve) => (end = resolve)))
    await before
    return end
  }

  #start(name: string, isTold: boolean): PipeProcess {
    const { spec, plumb, args = [], cwd, env = process.env } = this.#options
    const words = [plumb, 'run', '--numbered', '--no-envelopes', '--no-progress', ...(isTold ? ['--telemetry'] : []), ...args]
    const started = new PipeProcess({ words: [...words, '--binding', name, ...wordsOf(spec)], cwd, env: { ...env, PLUMB_ERRORS: 'json' } })
    this.#all.add(started)
    void started.exited.then(() => this.#all.delete(started))
    return started
  }
}

class PipeConnection extends BaseConnection {
  readonly #pool: Pool
  readonly #conversation: string | undefined

  constructor(pool: Pool, conversation?: string) {
    super()
    this.#pool = pool
    this.#conversation = conversation
  }

  async call<O>(name: string, input: unknown, options: CallOptions = {}): Promise<O> {
    const isOne = this.#pool.binding(name).answers === 'one'
    const values: unknown[] = []
    let failed: PlumbError | undefined
    for await (const { value, error } of this.#request(name, [input], options, isOne)) {
      if (error) failed ??= error
      else values.push(value)
    }
    if (failed) throw failed
    if (!isOne) return values as O
    if (values.length === 1) return values[0] as O
    throw failure('child_failed', 'internal', `'${name}' gave ${values.length} outputs for one input`)
  }

  stream<O>(name: string, inputs: Inputs<unknown>, options: StreamOptions = {}): AsyncIterable<StreamItem<O>> {
    this.#pool.binding(name)
    return this.#request(name, inputs, options, false) as AsyncIterable<StreamItem<O>>
  }

  conversation(id: string): PipeConnection {
    return new PipeConnection(this.#pool, id)
  }

  // Nobody can answer one of a process that has no terminal.
  async pending(): Promise<readonly Question[]> {
    return []
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  /** `isKept`: it ends when all inputs are answered; else when the process has ended, so that what is gathered comes. */
  async *#request(
    name: string,
    inputs: Inputs<unknown>,
    { signal, events = [] }: StreamOptions,
    isKept: boolean,
  ): AsyncGenerator<StreamItem<unknown>> {
    signal?.throwIfAborted()
    const isLasting = isKept || this.#conversation !== undefined
    const { process, free } = await this.#pool.take(name, this.#conversation, events.length > 0)
    const queue = new Queue((isFull) => process.hold(isFull))
    let [sent, done, isSent, isSpent] = [0, 0, false, false]
    const settle = (): void => {
      if (isLasting && isSent && done >= sent) queue.end()
    }
    process.begin({
      item: (item) => {
        // A child of it has ended, so that it ends itself: it takes no other request.
        isSpent ||= item.error?.error === 'child_failed' && item.error.process !== undefined
        if (item.event === undefined || events.includes(item.event.kind)) queue.push(item)
      },
      done: () => {
        done++
        settle()
      },
      ended: (error) => queue.end(error && isLasting ? error : queue.isEmpty || error?.category === 'config' ? error : undefined),
    })
    const abort = (): void => queue.cut(signal?.reason ?? new Error('aborted'))
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    const feed = async (): Promise<void> => {
      for await (const input of inputs) {
        if (queue.hasEnded) return
        sent++
        await process.send(lineOf(input))
      }
      isSent = true
      if (isLasting) settle()
      else process.endInput()
    }
    feed().catch((error) => queue.end(error))
    let isWhole = false
    try {
      yield* queue.read()
      isWhole = true
    } finally {
      signal?.removeEventListener('abort', abort)
      queue.end()
      process.hold(false)
      if (!isWhole) void process.kill()
      free(isWhole, isSpent)
    }
  }
}

export { PlumbError } from './types.js'
