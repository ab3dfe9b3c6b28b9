// A dispatcher of our own: plumb-tool, or another program that speaks the same lines, started for the first call and ended with us.

import { type Child, type Exit, type Fault, fault, LineReader, LineWriter, preview, type Result, readControl } from '@plumb/wire'
import { Exchange, toAnswer } from './client.js'
import type { Dispatcher, ToolAnswer, ToolRequest } from './dispatcher.js'

export interface OwnDispatcherParts {
  /** Its name, for messages. */
  readonly program: string
  readonly start: () => Result<Child>
  /** What goes wrong with it, once. */
  readonly report: (fault: Fault) => void
  /** A line that it wrote on its stderr. */
  readonly writeStderr: (line: string) => void
  readonly onClose?: () => void
  /** A list among the answers: what MCP servers offer from now on. */
  readonly onOffers?: (list: readonly unknown[]) => void
}

// Its calls are answered or given up when it is asked to end.
const GRACE_MS = 2000

export class OwnDispatcher implements Dispatcher {
  readonly #parts: OwnDispatcherParts
  #running: { readonly exchange: Exchange; readonly child: Child; readonly writer: LineWriter } | undefined
  #failure: Fault | undefined
  #closing: Promise<void> | undefined
  /** Among the answers: what it tells of calls and tokens that are inside of tools. */
  onTold: ((telemetry: unknown) => void) | undefined

  constructor(parts: OwnDispatcherParts) {
    this.#parts = parts
  }

  ask(request: ToolRequest, timeoutMs: number, signal: AbortSignal): Promise<ToolAnswer> {
    const exchange = this.#running?.exchange ?? this.#start()
    return exchange ? exchange.ask(request, timeoutMs, signal) : Promise.resolve(toAnswer(this.#failure ?? NOT_STARTED))
  }

  /** Starts it now. Resolves when it has ended; undefined: it could not be started. */
  open(): Promise<Exit> | undefined {
    if (!this.#running) this.#start()
    return this.#running?.child.exited
  }

  /** Resolves when it is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#parts.onClose?.()
    if (!this.#running) return
    const { child, writer } = this.#running
    void writer.end()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, GRACE_MS, 'late')
    })
    if ((await Promise.race([child.exited, late])) === 'late') await child.terminate(GRACE_MS)
    clearTimeout(timer)
  }

  #start(): Exchange | undefined {
    if (this.#failure) return undefined
    const started = this.#parts.start()
    if (!started.ok) {
      this.#fail(started.error.detail)
      return undefined
    }
    const { onOffers } = this.#parts
    const child = started.value
    const writer = new LineWriter(child.stdin)
    const exchange = new Exchange({ send: (json) => writer.writeText(json), onFault: this.#parts.report })
    readControl(
      child.stdout,
      (message) => {
        if (onOffers && Array.isArray(message)) onOffers(message)
        else if (isTelemetry(message)) this.onTold?.(message)
        else exchange.receive(message)
      },
      (error) => exchange.refuse(error),
      () => {},
    )
    this.#relay(child)
    void child.exited.then(({ status, signal }) => {
      this.#fail(signal === null ? `it ended with status ${status}` : `it was ended by ${signal}`)
      exchange.end(this.#failure ?? NOT_STARTED)
    })
    this.#running = { exchange, child, writer }
    return exchange
  }

  // One that ends when it is asked to has not failed.
  #fail(why: string): void {
    const { program, report } = this.#parts
    this.#failure = fault('child_failed', `tools are run by '${preview(program)}': ${why}`)
    if (!this.#closing) report(this.#failure)
  }

  #relay({ stderr }: Child): void {
    const lines = new LineReader(stderr, { raw: true })
    lines.onReadable = () => {
      while (lines.next()) {
        if (!lines.fault) this.#parts.writeStderr(JSON.parse(lines.buf.toString('utf8', lines.start, lines.end)))
      }
    }
  }
}

// No answer has it.
const isTelemetry = (message: unknown): boolean => typeof (message as { readonly kind?: unknown } | null)?.kind === 'string'

const NOT_STARTED = fault('child_failed', 'the program that runs tools could not be started')
