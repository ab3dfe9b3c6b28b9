// One `plumb` that runs one binding: inputs as lines, and numbered lines back (plumb-wire(5), Numbered lines). It has one request at a time.

import { type ChildProcess, spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { asFault } from './base.js'
import { type Event, type Fault, PlumbError, type StreamItem } from './types.js'

export interface ProcessOptions {
  /** The program and its arguments. */
  readonly words: readonly string[]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What comes of one request. */
export interface Receiver {
  readonly item: (item: StreamItem<unknown>) => void
  /** Nothing more comes of the input of this number, from 1. */
  readonly done: (seq: number) => void
  /** Nothing more comes at all: the process has ended, with its error if it failed. */
  readonly ended: (error: PlumbError | undefined) => void
}

const MAX_STDERR = 64 * 1024
const GRACE_MS = 2000

export class PipeProcess {
  readonly #child: ChildProcess
  #receiver: Receiver | undefined
  /** Inputs that were sent before this request. */
  #before = 0
  #sent = 0
  #stderr = ''
  #end: { readonly error: PlumbError | undefined } | undefined
  readonly exited: Promise<void>

  constructor({ words: [program = '', ...args], cwd, env }: ProcessOptions) {
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child = child
    LIVE.add(child)
    const decoder = new StringDecoder('utf8')
    let rest: string[] = []
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = decoder.write(chunk).split('\n')
      const last = lines.pop() ?? ''
      for (const line of lines) {
        this.#take(rest.length === 0 ? line : rest.join('') + line)
        rest = []
      }
      if (last !== '') rest.push(last)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR)
    })
    // A process that has ended reads nothing more, which its end tells.
    child.stdin.on('error', () => {})
    this.exited = new Promise((resolve) => {
      const end = (error: PlumbError | undefined): void => {
        LIVE.delete(child)
        this.#end ??= { error }
        this.#receiver?.ended(this.#end.error)
        resolve()
      }
      child.on('error', (error) =>
        end(new PlumbError({ error: 'cannot_run', category: 'config', detail: `cannot start '${program}': ${error.message}` })),
      )
      child.on('close', (status, signal) => end(status === 0 ? undefined : this.#failure(status, signal)))
    })
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** What it says from now on is of a new request, whose inputs are numbered from 1. */
  begin(receiver: Receiver): void {
    this.#before = this.#sent
    this.#receiver = receiver
    this.#keepNode(true)
    if (this.#end) receiver.ended(this.#end.error)
  }

  /** It waits for its next request, and does not keep Node running. */
  rest(): void {
    this.#receiver = undefined
    this.#keepNode(false)
  }

  /** Resolves when there is room for more. */
  send(line: string): Promise<void> {
    this.#sent++
    const { stdin } = this.#child
    return new Promise((resolve) => {
      if (!stdin || stdin.destroyed || stdin.write(`${line}\n`)) return resolve()
      stdin.once('drain', resolve)
      void this.exited.then(resolve)
    })
  }

  /** Whether its outputs wait. */
  hold(isFull: boolean): void {
    if (isFull) this.#child.stdout?.pause()
    else this.#child.stdout?.resume()
  }

  endInput(): void {
    this.#child.stdin?.end()
  }

  /** It ends by itself, or is ended. */
  async close(): Promise<void> {
    this.endInput()
    await this.#until(GRACE_MS)
    if (!this.hasEnded) await this.kill()
  }

  /** What is in hand is dropped. */
  async kill(): Promise<void> {
    // At the second signal plumb waits for nothing.
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGKILL'] as const) {
      if (this.hasEnded) return
      this.#child.kill(signal)
      await this.#until(signal === 'SIGTERM' ? KILL_STEP_MS : GRACE_MS)
    }
  }

  #until(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      void this.exited.then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #take(text: string): void {
    if (text === '') return
    const line = JSON.parse(text) as NumberedLine
    const receiver = this.#receiver
    if (!receiver) return
    const seq = typeof line.seq === 'number' ? line.seq - this.#before : 0
    if ('value' in line) receiver.item({ seq, value: line.value })
    else if (line.error) receiver.item({ seq, error: new PlumbError({ ...asFault(line.error, text), seq }) })
    else if (line.telemetry) receiver.item({ seq: Number(line.telemetry.seq ?? 0), event: line.telemetry })
    if (line.done === true) receiver.done(seq)
  }

  #failure(status: number | null, signal: string | null): PlumbError {
    const said = this.#stderr.trim().split('\n').flatMap(faultIn)
    const how = signal === null ? `ended with status ${status}` : `was ended by ${signal}`
    const last = this.#stderr.trim().split('\n').at(-1) ?? ''
    return new PlumbError(
      said[0] ?? { error: 'child_failed', category: 'internal', detail: `plumb ${how}${last === '' ? '' : `: ${last}`}` },
    )
  }

  #keepNode(isBusy: boolean): void {
    const word = isBusy ? 'ref' : 'unref'
    this.#child[word]()
    for (const stream of this.#child.stdio as readonly ({ ref?: () => void; unref?: () => void } | null)[]) stream?.[word]?.()
  }
}

interface NumberedLine {
  readonly seq?: number | null
  readonly value?: unknown
  readonly error?: unknown
  readonly telemetry?: Event
  readonly done?: boolean
}

const KILL_STEP_MS = 100

const faultIn = (line: string): Fault[] => {
  try {
    const value = JSON.parse(line) as Fault
    return typeof value?.error === 'string' ? [value] : []
  } catch {
    return []
  }
}

// A host that ends leaves nothing behind.
const LIVE = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of LIVE) child.kill('SIGTERM')
})
