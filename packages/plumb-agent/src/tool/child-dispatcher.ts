// A dispatcher as a child of the agent: plumb-tool, or an external program, started for the first call, or shortly before, and ended with
// the agent.

import {
  type Child,
  type Exit,
  errorAnswer,
  type Fault,
  fault,
  LineReader,
  LineWriter,
  preview,
  type Result,
  readControl,
  type ToolAnswer,
  type ToolCaller,
  type ToolRequest,
} from '@plumb/wire'
import { DispatchClient } from './client.js'

export interface ChildDispatcherParts {
  /** Its name, for messages. */
  readonly program: string
  readonly start: () => Result<Child>
  /** Called once if it fails. */
  readonly report: (fault: Fault) => void
  /** Called with each line of its stderr. */
  readonly writeStderr: (line: string) => void
  readonly onClose?: () => void
  /** A list among the answers: the tools that MCP servers now offer. */
  readonly onOffers?: (list: readonly unknown[]) => void
}

/** From the end of its input to SIGTERM, and from that to SIGKILL (ms). */
const GRACE_MS = 2000
const MAX_UNREPORTED = 1000

export class ChildDispatcher implements ToolCaller {
  readonly #parts: ChildDispatcherParts
  #onTelemetry = (_: unknown): void => {}
  #running: { readonly client: DispatchClient; readonly child: Child; readonly writer: LineWriter } | undefined
  #failure: Fault | undefined
  #closing: Promise<void> | undefined
  /** The stderr of one that was started before its first call. */
  #unreported: string[] | undefined

  constructor(parts: ChildDispatcherParts) {
    this.#parts = parts
  }

  call(request: ToolRequest, timeoutMs: number, signal: AbortSignal): Promise<ToolAnswer> {
    this.#reportPending()
    const client = this.#running?.client ?? this.#start()
    return client ? client.call(request, timeoutMs, signal) : Promise.resolve(errorAnswer(request.id, this.#failure ?? NOT_STARTED))
  }

  /** Calls and tokens inside tools are telemetry among the answers. */
  forwardTelemetry(listener: (telemetry: unknown) => void): void {
    this.#onTelemetry = listener
  }

  /** Starts it now. Resolves when it has ended. Undefined: it could not be started. */
  open(): Promise<Exit> | undefined {
    if (!this.#running) this.#start()
    return this.#running?.child.exited
  }

  /** Starts it now, for a call that may come. Its errors and output are reported once the call has come. */
  prepare(): void {
    if (this.#running || this.#failure || this.#closing) return
    this.#unreported = []
    this.#start()
  }

  /** Resolves when it has ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#parts.onClose?.()
    if (!this.#running) return
    const { child, writer } = this.#running
    // It has nothing to finish.
    if (this.#unreported) return void (await child.terminate(GRACE_MS))
    void writer.end()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, GRACE_MS, 'late')
    })
    if ((await Promise.race([child.exited, late])) === 'late') await child.terminate(GRACE_MS)
    clearTimeout(timer)
  }

  #start(): DispatchClient | undefined {
    if (this.#failure) return undefined
    const started = this.#parts.start()
    if (!started.ok) {
      this.#fail(started.error.detail)
      return undefined
    }
    const { onOffers } = this.#parts
    const child = started.value
    const writer = new LineWriter(child.stdin)
    const client = new DispatchClient({ send: (json) => writer.writeText(json), onFault: this.#parts.report })
    readControl(
      child.stdout,
      (message) => {
        if (onOffers && Array.isArray(message)) onOffers(message)
        else if (isTelemetry(message)) this.#onTelemetry(message)
        else client.receive(message)
      },
      (error) => client.refuse(error),
      () => {},
    )
    this.#relay(child)
    void child.exited.then(({ status, signal }) => {
      this.#fail(signal === null ? `it ended with status ${status}` : `it was ended by ${signal}`)
      client.end(this.#failure ?? NOT_STARTED)
    })
    this.#running = { client, child, writer }
    return client
  }

  // A requested end is not a failure.
  #fail(why: string): void {
    const { program, report } = this.#parts
    this.#failure = fault('child_failed', `tools are run by '${preview(program)}': ${why}`)
    if (!this.#closing && !this.#unreported) report(this.#failure)
  }

  #reportPending(): void {
    const lines = this.#unreported
    this.#unreported = undefined
    for (const line of lines ?? []) this.#parts.writeStderr(line)
    if (lines && this.#failure) this.#parts.report(this.#failure)
  }

  #relay({ stderr }: Child): void {
    const show = (): void => {
      while (lines.next()) {
        if (lines.fault) continue
        const line: string = JSON.parse(lines.buf.toString('utf8', lines.start, lines.end))
        if (!this.#unreported) this.#parts.writeStderr(line)
        else if (this.#unreported.length < MAX_UNREPORTED) this.#unreported.push(line)
      }
    }
    const lines = new LineReader(stderr, { raw: true, onReadable: show })
  }
}

// No answer has a `kind`.
const isTelemetry = (message: unknown): boolean => typeof (message as { readonly kind?: unknown } | null)?.kind === 'string'

const NOT_STARTED = fault('child_failed', 'the program that runs tools could not be started')
