// The program behind a conversation: a child process that gets messages and control, and tells in numbered lines what becomes of each.
//
//   state       meaning                                      send, control   all is whole   close()     abandon()
//   idle        all was answered, dropped or failed          → busy          –              → closing   → abandoned
//   busy        something of a message is missing            –               → idle         → closing   → abandoned
//   closing     input has ended; output is still delivered   dropped         –              –           → abandoned
//   abandoned   the child is terminated, output is dropped   dropped         –              –           –

import type { Readable, Writable } from 'node:stream'
import {
  type Child,
  childEnv,
  type Exit,
  type Fault,
  FDS,
  isFault,
  isRecord,
  LineReader,
  NumberedLine,
  parseJson,
  type Result,
  readReported,
  SentMessages,
  siblingProgram,
  spawnChild,
  succeed,
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
  /** Everything that was sent is answered, dropped or failed, and all that was told of it has been delivered. */
  readonly onQuiet: () => void
  readonly onExit: (exit: Exit) => void
}

type State = 'idle' | 'busy' | 'closing' | 'abandoned'

const KILL_TIMEOUT_MS = 1000

/** `args`: the options and the spec. */
export const openChatSession = (program: ChatProgram, args: readonly string[], listener: SessionListener): Result<ChatSession> => {
  const isAgent = program.runs === 'plumb-agent'
  const words = ['--binding', program.binding, '--numbered', '--telemetry', ...(program.isEnveloped ? [] : ['--no-envelopes'])]
  const line = isAgent
    ? ['--agent', program.binding, '--numbered', '--telemetry', '--no-envelopes', '--fds', String(FDS.ctrl_in), ...args]
    : ['run', ...words, '--answers-fd', String(FDS.ctrl_in), ...args]
  const child = spawnChild({
    command: [siblingProgram(program.runs), ...line],
    env: { ...childEnv('ours'), PLUMB_ERRORS: 'json' },
    fds: { [FDS.ctrl_in]: 'in' },
    isForeign: false,
  })
  return child.ok ? succeed(new ChatSession(program, child.value, listener)) : child
}

export class ChatSession {
  readonly #program: ChatProgram
  readonly #child: Child
  readonly #listener: SessionListener
  readonly #ctrlIn: Writable | undefined
  /** Takes the answers to questions of a plumb itself. */
  readonly #answers: Writable | undefined
  readonly #exited: Promise<void>
  #state: State = 'idle'
  readonly #messages = new SentMessages<undefined>()
  readonly #line = new NumberedLine(true)
  /** Messages that wait until the control messages before them were dealt with: those come on another pipe. */
  readonly #unsent: string[] = []
  #controlWaiters: { readonly isDone: () => boolean; readonly resolve: () => void }[] = []

  constructor(program: ChatProgram, child: Child, listener: SessionListener) {
    this.#program = program
    this.#child = child
    this.#listener = listener
    const onDescriptor = child.fds.get(FDS.ctrl_in) as Writable | undefined
    this.#ctrlIn = program.runs === 'plumb-agent' ? onDescriptor : undefined
    this.#answers = program.runs === 'plumb' ? onDescriptor : undefined
    this.#answers?.on('error', () => {})
    this.#readLines(child.stdout, (line) => this.#take(line))
    this.#readLines(child.stderr, (line) => this.#takeStderr(line))
    this.#exited = child.exited.then((exit) => {
      if (this.#state !== 'abandoned') listener.onExit(exit)
    })
  }

  /** False while something of a message, or of control, is missing. */
  get isQuiet(): boolean {
    return this.#state === 'idle'
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
    return this.#control(JSON.stringify(message))
  }

  /** Answers a question that was asked under this id: one line of JSON. */
  answer(id: string, json: string): void {
    if (this.#answers && isOwnQuestion(id)) this.#answers.write(`${json}\n`)
    else this.#control(json)
  }

  #control(json: string): boolean {
    if (!this.#program.hasControl) return false
    if (!this.#isOpen()) return true
    this.#state = 'busy'
    if (this.#ctrlIn) {
      this.#messages.sendControl()
      this.#ctrlIn.write(`${json}\n`)
    } else this.#write('ctrl_in', json)
    return true
  }

  /** Resolves when the control messages so far were dealt with, and an error in reply to one has been delivered. */
  controlProcessed(): Promise<void> {
    const { count } = this.#messages
    const isDone = this.#ctrlIn ? () => this.#messages.controlsInHand === 0 : () => this.#messages.at(count) === undefined
    return new Promise((resolve) => {
      this.#controlWaiters.push({ isDone, resolve })
      this.#update()
    })
  }

  /** Ends the input, and waits until the child exits; after `graceMs` it is terminated. */
  async close(graceMs: number): Promise<void> {
    if (this.#isOpen()) this.#state = 'closing'
    this.#child.stdin.end()
    this.#ctrlIn?.end()
    this.#answers?.end()
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

  // After each line that is the end of something.
  #update(): void {
    const { inHand, controlsInHand } = this.#messages
    const waiters = this.#controlWaiters
    this.#controlWaiters = waiters.filter(({ isDone }) => !isDone())
    for (const { isDone, resolve } of waiters) if (isDone()) resolve()
    if (this.#state !== 'busy' || inHand + controlsInHand + this.#unsent.length > 0) return
    this.#state = 'idle'
    this.#listener.onQuiet()
  }

  #sendUnsent(): void {
    if (this.#messages.controlsInHand > 0) return
    for (const json of this.#unsent.splice(0)) this.#write(this.#program.input.name, json)
  }

  // In a plumb, control is one of its inputs.
  #write(port: string, json: string): void {
    const { isEnveloped } = this.#program
    this.#messages.send(undefined)
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

  // A line without its end was cut off.
  #take({ buf, start, end, isLast }: LineReader): void {
    const line = this.#line
    if (isLast || !line.read(buf, start, end)) return
    if (line.kind === 'value') this.#takeValue(line.port, buf.toString('utf8', line.start, line.end))
    else if (line.kind === 'telemetry') this.#takeTelemetry(buf.subarray(line.start, line.end))
    else if (line.kind === 'error' && isFault(line.error)) this.#listener.onFault(line.error)
    else if (line.kind === 'control') {
      this.#messages.endControl(line.seq, line.isPaused)
      this.#sendUnsent()
    }
    const sent = line.isEnd ? this.#messages.at(line.seq) : undefined
    if (sent) this.#messages.end(sent)
    if (sent || line.kind === 'control') this.#update()
  }

  // The port `telemetry` of a plumb shows what comes as telemetry anyway.
  #takeValue(port: string, json: string): void {
    const { hasControl, outputs } = this.#program
    if (port === 'ctrl_out' && (hasControl || this.#line.seq === 0)) this.#takeReply(json)
    else if (port !== 'telemetry' || outputs.length === 1) this.#listener.onOutput(json, port)
  }

  #takeReply(json: string): void {
    const message = withInputText(JSON.parse(json), Buffer.from(json))
    if (isRecord(message) && 'kind' in message) this.#listener.onReply(message as ControlEvent)
  }

  #takeTelemetry(json: Buffer): void {
    const parsed = parseJson(json, 0, json.length)
    if (parsed.ok && isRecord(parsed.value)) this.#listener.onEvent(withInputText(parsed.value, json) as ProgramEvent)
  }

  #takeStderr({ buf, start, end }: LineReader): void {
    const parsed = parseJson(buf, start, end)
    const reported = parsed.ok ? readReported(parsed.value) : undefined
    if (reported?.severity === 'error') this.#listener.onFault(reported.fault)
    else if (reported) this.#listener.onWarning(reported.fault)
    else this.#listener.onStderrLine(buf.toString('utf8', start, end))
  }
}

/** Of a plumb that asks for its agents; those of an agent whose control is wired have ids of their own. */
const isOwnQuestion = (id: string): boolean => id.startsWith('plumb:')
