// The program behind a conversation: a child process that gets messages and control, and what comes back from it on pipes of their own.
//
//   state       meaning                                      send, control   all is settled   two polls later   close()     abandon()
//   idle        all was answered, shown and announced        → busy          → settling       –                 → closing   → abandoned
//   busy        an answer, or telemetry of it, is missing    –               → settling       –                 → closing   → abandoned
//   settling    all was answered; errors may be unread       → busy          –                → idle, onQuiet   → closing   → abandoned
//   closing     input has ended; output is still delivered   dropped         –                –                 –           → abandoned
//   abandoned   the child is terminated, output is dropped   dropped         –                –                 –           –
//
// `settled` telemetry counts what the child has dealt with. An agent counts control messages by themselves, a plumb as inputs.

import type { Readable, Writable } from 'node:stream'
import {
  type Child,
  childEnv,
  type Exit,
  type Fault,
  FDS,
  isRecord,
  LineReader,
  parseJson,
  type Result,
  readControl,
  readReported,
  type Settled,
  siblingProgram,
  spawnChild,
  splitEnvelope,
  succeed,
  type Telemetry,
} from '@plumb/wire'
import { type ControlEvent, type ProgramEvent, withInputText } from './program/events.js'
import type { ChatProgram } from './program/program.js'

export interface SessionListener {
  /** One JSON value as text. */
  readonly onOutput: (json: string, port: string) => void
  readonly onEvent: (event: ProgramEvent) => void
  readonly onReply: (reply: ControlEvent) => void
  readonly onFault: (fault: Fault) => void
  readonly onWarning: (warning: Fault) => void
  /** A line on the child's stderr that is not a fault. */
  readonly onStderrLine: (line: string) => void
  /** Everything that was sent is answered, dropped or failed, and everything written about it has been delivered. */
  readonly onQuiet: () => void
  readonly onExit: (exit: Exit) => void
}

type State = 'idle' | 'busy' | 'settling' | 'closing' | 'abandoned'

const KILL_TIMEOUT_MS = 1000
/** An output of a plumb is shown this long after it came, even when the telemetry before it is still missing. */
const MAX_HOLD_MS = 500

/** `args`: the options and the spec. */
export const openChatSession = (program: ChatProgram, args: readonly string[], listener: SessionListener): Result<ChatSession> => {
  const isAgent = program.runs === 'plumb-agent'
  const line = isAgent
    ? ['--agent', program.binding, '--telemetry', '--no-envelopes', '--fds', '3,6,7', ...args]
    : ['run', '--binding', program.binding, '--telemetry', program.isEnveloped ? '--mux' : '--no-envelopes', ...args]
  const child = spawnChild({
    command: [siblingProgram(program.runs), ...line],
    env: { ...childEnv('ours'), PLUMB_ERRORS: 'json' },
    fds: isAgent ? { [FDS.telemetry]: 'out', [FDS.ctrl_in]: 'in', [FDS.ctrl_out]: 'out' } : { [FDS.telemetry]: 'out' },
    isForeign: false,
  })
  return child.ok ? succeed(new ChatSession(program, child.value, listener)) : child
}

export class ChatSession {
  readonly #program: ChatProgram
  readonly #child: Child
  readonly #listener: SessionListener
  readonly #isAgent: boolean
  readonly #ctrlIn: Writable | undefined
  readonly #exited: Promise<void>
  #state: State = 'idle'
  /** Messages that wait until the control messages before them were processed: those come on another pipe. */
  readonly #unsent: string[] = []
  #sent = 0
  #sentControls = 0
  #received = 0
  #settled: Pick<Settled, 'inputs' | 'outputs' | 'controls'> = { inputs: 0, outputs: 0, controls: 0 }
  /** Outputs that wait for telemetry: what led to an output is shown before it. */
  readonly #held: (() => void)[] = []
  #shown = 0
  /** Outputs up to this number may be shown. */
  #released = 0
  #controlWaiters: { readonly until: number; readonly resolve: () => void }[] = []

  constructor(program: ChatProgram, child: Child, listener: SessionListener) {
    this.#program = program
    this.#child = child
    this.#listener = listener
    this.#isAgent = program.runs === 'plumb-agent'
    this.#ctrlIn = child.fds.get(FDS.ctrl_in) as Writable | undefined
    this.#readLines(child.stdout, (line) => this.#takeOutput(line))
    this.#readLines(child.stderr, (line) => this.#takeStderr(line))
    this.#readMessages(FDS.ctrl_out, (message) => this.#takeReply(message))
    this.#readMessages(FDS.telemetry, (message) => this.#takeTelemetry(message as Telemetry & { readonly agent: string }))
    this.#exited = child.exited.then((exit) => {
      this.#release(this.#received)
      if (this.#state !== 'abandoned') listener.onExit(exit)
    })
  }

  /** False while an answer, or telemetry of it, is missing. */
  get isQuiet(): boolean {
    return this.#state === 'idle' || this.#state === 'settling'
  }

  /** Sends one JSON value, given as text. */
  send(json: string): void {
    if (!this.#isOpen()) return
    this.#state = 'busy'
    this.#unsent.push(json)
    this.#sendUnsent()
  }

  /** Returns false when the program does not read control messages. */
  control(message: Readonly<Record<string, unknown>>): boolean {
    if (!this.#program.hasControl) return false
    if (!this.#isOpen()) return true
    this.#state = 'busy'
    if (this.#ctrlIn) {
      this.#sentControls++
      this.#ctrlIn.write(`${JSON.stringify(message)}\n`)
    } else {
      this.#sent++
      this.#write('ctrl_in', JSON.stringify(message))
    }
    return true
  }

  /** Resolves when the control messages so far were processed, and an error in reply to one has been read. */
  controlProcessed(): Promise<void> {
    const until = this.#isAgent ? this.#sentControls : this.#sent
    return new Promise((resolve) => this.#controlWaiters.push({ until, resolve }))
  }

  /** Ends the input, and waits until the child exits; after `graceMs` it is terminated. */
  async close(graceMs: number): Promise<void> {
    if (this.#isOpen()) this.#state = 'closing'
    this.#child.stdin.end()
    this.#ctrlIn?.end()
    const timer = setTimeout(() => void this.#child.terminate(KILL_TIMEOUT_MS), graceMs)
    await this.#exited
    clearTimeout(timer)
  }

  /** Terminates the child, and drops what it still writes. */
  async abandon(): Promise<void> {
    this.#state = 'abandoned'
    await this.#child.terminate(KILL_TIMEOUT_MS)
  }

  #isOpen(): boolean {
    return this.#state !== 'closing' && this.#state !== 'abandoned'
  }

  #hasSettled(): boolean {
    const { inputs, outputs, controls } = this.#settled
    const isWaiting = this.#held.length + this.#unsent.length > 0
    return !isWaiting && inputs >= this.#sent && this.#received >= outputs && controls >= this.#sentControls
  }

  #hasProcessed(until: number): boolean {
    const { inputs, outputs, controls } = this.#settled
    return this.#isAgent ? controls >= until : inputs >= until && this.#received >= outputs && this.#held.length === 0
  }

  // After each change of the counters. Errors come on a pipe of their own, and were written
  // before `settled` was: they are read within two polls.
  #update(): void {
    for (const { until, resolve } of this.#controlWaiters) if (this.#hasProcessed(until)) afterTwoPolls(resolve)
    this.#controlWaiters = this.#controlWaiters.filter(({ until }) => !this.#hasProcessed(until))
    if (!this.#isOpen()) return
    const wasSettling = this.#state === 'settling'
    this.#state = this.#hasSettled() ? 'settling' : 'busy'
    if (this.#state === 'settling' && !wasSettling) afterTwoPolls(() => this.#announceQuiet())
  }

  #announceQuiet(): void {
    if (this.#state !== 'settling') return
    this.#state = 'idle'
    this.#listener.onQuiet()
  }

  #sendUnsent(): void {
    if (this.#settled.controls < this.#sentControls) return
    for (const json of this.#unsent.splice(0)) {
      this.#sent++
      this.#write(this.#program.input.name, json)
    }
  }

  #write(port: string, json: string): void {
    const { isEnveloped } = this.#program
    this.#child.stdin.write(isEnveloped ? `{"__port":${JSON.stringify(port)},"msg":${json}}\n` : `${json}\n`)
  }

  #readLines(stream: Readable, take: (line: LineReader) => void): void {
    const read = (): void => {
      while (reader.next()) {
        if (this.#state === 'abandoned') continue
        if (reader.fault) this.#listener.onFault(reader.fault)
        else take(reader)
      }
    }
    const reader = new LineReader(stream, { onReadable: read })
  }

  #readMessages(fd: number, take: (message: unknown) => void): void {
    const stream = this.#child.fds.get(fd) as Readable | undefined
    const takeUnlessAbandoned = (message: unknown, _line: number, text: Uint8Array): void => {
      if (this.#state !== 'abandoned') take(withInputText(message, text))
    }
    if (stream) readControl(stream, takeUnlessAbandoned, this.#listener.onFault, () => {})
  }

  #takeOutput({ buf, start, end }: LineReader): void {
    this.#received++
    this.#hold(() => {
      const envelope = this.#program.isEnveloped ? splitEnvelope(buf, start, end) : undefined
      if (!envelope) this.#showOutput(this.#program.outputs[0]?.name ?? 'output', buf.toString('utf8', start, end))
      else if (!envelope.ok) this.#listener.onFault(envelope.error)
      else this.#showOutput(envelope.value.port, buf.toString('utf8', envelope.value.start, envelope.value.end))
    })
    this.#update()
  }

  #showOutput(port: string, json: string): void {
    if (port === 'ctrl_out' && this.#program.isEnveloped) this.#takeReply(withInputText(JSON.parse(json), Buffer.from(json)))
    else if (port !== 'telemetry' || !this.#program.isEnveloped) this.#listener.onOutput(json, port)
  }

  #takeStderr({ buf, start, end }: LineReader): void {
    const parsed = parseJson(buf, start, end)
    const reported = parsed.ok ? readReported(parsed.value) : undefined
    if (reported?.severity === 'error') this.#listener.onFault(reported.fault)
    else if (reported) this.#listener.onWarning(reported.fault)
    else this.#listener.onStderrLine(buf.toString('utf8', start, end))
  }

  #takeReply(message: unknown): void {
    if (isRecord(message) && 'kind' in message) this.#listener.onReply(message as ControlEvent)
  }

  // An agent announces each output in its telemetry; a plumb counts its outputs once it has settled.
  #takeTelemetry(event: Telemetry & { readonly agent: string }): void {
    if (event?.kind === 'settled') {
      this.#settled = event
      if (!this.#isAgent) this.#release(event.outputs)
      this.#sendUnsent()
    } else this.#listener.onEvent(event)
    if (event?.kind === 'output' && this.#isAgent) this.#release(this.#released + 1)
    this.#update()
  }

  #hold(show: () => void): void {
    this.#held.push(show)
    this.#release(this.#released)
    const number = this.#received
    if (this.#isAgent || this.#shown >= number) return
    setTimeout(() => {
      this.#release(number)
      this.#update()
    }, MAX_HOLD_MS).unref()
  }

  #release(upTo: number): void {
    this.#released = Math.max(this.#released, upTo)
    for (; this.#shown < this.#released && this.#held.length > 0; this.#shown++) {
      const show = this.#held.shift()
      if (this.#state !== 'abandoned') show?.()
    }
  }
}

// By then everything has been read that could be read when this was called.
const afterTwoPolls = (act: () => void): void => void setImmediate(() => setImmediate(act))
