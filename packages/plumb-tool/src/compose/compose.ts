// compose { chain, input }: runs a model's chain over its tools, within limits (plumb-tools(7), The model composes). Calls of tools are
// made by the caller, like any other call; everything else runs in a thread.

import { Worker } from 'node:worker_threads'
import type { ChainTool } from '@plumb/lang'
import { type Fault, fail, fault, preview, type Result, Semaphore } from '@plumb/wire'
import { linkedAbort } from '../call/linked-abort.js'
import type { JsonText } from '../json-text.js'
import type { ChainQuestion, FromChain, ToChain } from './question.js'

export interface Composition extends Pick<ChainQuestion, 'order'> {
  readonly chain: string
  /** Undefined: none was given. */
  readonly input: JsonText | undefined
  readonly tools: readonly ChainTool[]
  /** Maximum number of calls at once. */
  readonly parallel: number
  readonly signal: AbortSignal
  /** Makes one call, numbered from 1, with all its stages. Never rejects; resolves soon after the signal has fired. */
  readonly call: (tool: string, input: JsonText, number: number, signal: AbortSignal) => Promise<Result<JsonText>>
  /** Called before each call: returns why the chain ends here. */
  readonly refuse?: () => Fault | undefined
  /** Reports an element that `each(…, on_error: "skip")` leaves out. */
  readonly warn: (warning: Fault) => void
  /** For tests. */
  readonly maxBusyMs?: number
}

export type Composed =
  /** Errors in the chain, with places and help: nothing was run. */
  | { readonly kind: 'refused'; readonly text: string }
  /** With the calls that were made, if it failed. */
  | { readonly kind: 'done'; readonly result: Result<JsonText> }

/** Maximum bytes of a chain. */
export const MAX_CHAIN = 4096
/** Maximum calls of one chain; retries inside a call do not count. */
export const MAX_CALLS = 64
/** Time limits of the chain's own work, at a stretch and in total. */
const MAX_BUSY_MS = 10_000
const LOOK_MS = 100
const MAX_MEMORY_MB = 256

/** When it resolves, none of its calls runs any more. */
export const compose = async (composition: Composition): Promise<Composed> => {
  const { chain, signal } = composition
  const bytes = Buffer.byteLength(chain)
  if (bytes > MAX_CHAIN)
    return failed(fault('too_large', `the chain has ${bytes} bytes, and ${MAX_CHAIN} are taken: make it of fewer parts`))
  if (signal.aborted) return failed(CANCELLED)
  const { default: program } = await import('./chain.worker?text')
  return new Thread(program, composition).outcome
}

const failed = (error: Fault): Composed => ({ kind: 'done', result: { ok: false, error } })

const CANCELLED = fault('cancelled', 'the chain was cancelled')

class Thread {
  readonly outcome: Promise<Composed>
  readonly #o: Composition
  readonly #worker: Worker
  readonly #permits: Semaphore
  readonly #open = new Map<number, () => void>()
  readonly #running = new Set<Promise<void>>()
  readonly #made: Made[] = []
  #settle: ((outcome: Composed) => void) | undefined

  constructor(program: string, composition: Composition) {
    this.#o = composition
    const { chain, input, tools, order, signal, parallel, maxBusyMs = MAX_BUSY_MS } = composition
    this.#permits = new Semaphore(parallel)
    this.#worker = new Worker(program, {
      eval: true,
      // Other members could not be copied to the thread.
      workerData: { chain, input, tools: tools.map(({ name, input, output }) => ({ name, input, output })), order } satisfies ChainQuestion,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
      stdout: true,
      stderr: true,
    })
    const looking = setInterval(() => {
      if (this.#worker.performance.eventLoopUtilization().active > maxBusyMs)
        this.#refuse('too_large', `it computes for more than ${maxBusyMs / 1000} s`)
    }, LOOK_MS)
    const onAbort = (): void => this.#end(failed(CANCELLED))
    signal.addEventListener('abort', onAbort, { once: true })
    this.outcome = new Promise<Composed>((resolve) => {
      this.#settle = resolve
    }).finally(() => {
      clearInterval(looking)
      signal.removeEventListener('abort', onAbort)
    })
    this.#worker.on('message', (message: FromChain) => this.#receive(message))
    this.#worker.on('error', ({ message, code }: Error & { code?: string }) => {
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') this.#refuse('too_large', `it takes more than ${MAX_MEMORY_MB} MB of memory`)
      else this.#refuse('internal', preview(message, 200))
    })
    this.#worker.on('exit', () => this.#refuse('internal', 'it ended without a result'))
  }

  #receive(message: FromChain): void {
    switch (message.kind) {
      case 'call': {
        const call = this.#call(message.call, message.tool, message.input)
        this.#running.add(call)
        void call.then(() => this.#running.delete(call))
        return
      }
      case 'abort':
        return this.#open.get(message.call)?.()
      case 'warn':
        return this.#o.warn(message.warning)
      case 'refused':
      case 'done':
        return this.#end(message)
    }
  }

  async #call(call: number, tool: string, input: JsonText): Promise<void> {
    const { signal, abort, unlink } = linkedAbort(this.#o.signal)
    this.#open.set(call, abort)
    const isPermitted = await this.#permits.acquire(signal)
    const result = isPermitted ? await this.#permitted(tool, input, signal) : fail('cancelled', 'another part of the chain has failed')
    this.#open.delete(call)
    unlink()
    if (this.#settle) this.#worker.postMessage({ call, result } satisfies ToChain)
  }

  async #permitted(tool: string, input: JsonText, signal: AbortSignal): Promise<Result<JsonText>> {
    try {
      const number = this.#made.length + 1
      const refused =
        number > MAX_CALLS ? fault('tool_limit', `the chain makes more than ${MAX_CALLS} calls, and was ended`) : this.#o.refuse?.()
      if (refused) {
        this.#end(failed(refused))
        return { ok: false, error: refused }
      }
      const made: Made = { tool, outcome: 'cancelled' }
      this.#made.push(made)
      const result = await this.#o.call(tool, input, number, signal)
      made.outcome = result.ok ? Buffer.byteLength(result.value) : result.error.error
      return result.ok ? result : { ok: false, error: { ...result.error, tool: result.error.tool ?? tool } }
    } finally {
      this.#permits.release()
    }
  }

  #refuse(code: 'too_large' | 'internal', why: string): void {
    this.#end(failed(fault(code, `the chain was ended: ${why}`)))
  }

  // The first reason counts. Running calls are stopped and awaited.
  #end(outcome: Composed): void {
    const settle = this.#settle
    if (!settle) return
    this.#settle = undefined
    for (const abort of this.#open.values()) abort()
    void Promise.all([...this.#running, this.#worker.terminate()]).then(() => settle(withCalls(outcome, this.#made)))
  }
}

interface Made {
  readonly tool: string
  /** Bytes of the result, or the code of the error. */
  outcome: number | string
}

/** The calls before the failure: `[{"tool":"f","results":[12,"not_found"]}]`. */
const withCalls = (outcome: Composed, made: readonly Made[]): Composed => {
  if (outcome.kind === 'refused' || outcome.result.ok || made.length === 0) return outcome
  const results = new Map<string, (number | string)[]>()
  for (const { tool, outcome } of made) results.set(tool, [...(results.get(tool) ?? []), outcome])
  return failed({ ...outcome.result.error, calls: [...results].map(([tool, results]) => ({ tool, results })) })
}
