// A process that answers one request after the other. What belongs to a request goes to it alone: its lines, its errors, what its tools report;
// a blank line before the first says that nothing is left of the request before, and where it has a memory that is set over the control channel.
//
//   state    begins when                                      what it writes
//   idle     it has started, or its request was answered      answers control, or is surplus, which ends it
//   leased   a request takes it                               goes to the request
//   dropping its request was stopped                          goes nowhere; once all of it is answered it is idle
//   over     it has exited, or cannot drop a request          is dropped

import { type Consent, consentText } from '@plumb/ledger'
import {
  type Exit,
  type Fault,
  isRecord,
  LineReader,
  type LineSink,
  LineWriter,
  NumberedLine,
  nowMs,
  parseJson,
  startDeadline,
} from '@plumb/wire'
import { memberText } from '@plumb/wire/json'
import type { SpawnSettings } from '../child/agent-start.js'
import { type ChildEnds, openInProcessChild } from '../child/in-process-child.js'
import type { Spawned } from '../child/spawn.js'
import type { ToolService } from '../child/tool-service.js'
import type { RunEmitter } from '../event/emitter.js'

/** A call that waits for a person. */
export interface AskedApproval {
  readonly tool: string
  /** JSON as it was written. */
  readonly input: string
  /** Why what a person has put in the place of its input cannot be taken. */
  readonly wrong?: string | undefined
}

/** Where that is told which the process does for a request. */
export interface WarmUse {
  readonly emitter: RunEmitter | undefined
  /** The place of its calls in a trace. */
  readonly trace?: SpawnSettings['trace'] | undefined
  readonly report: (fault: Fault) => void
  /** Whether a call may be made. */
  readonly approve: (asked: AskedApproval) => Promise<Consent>
}

export interface WarmProcessOptions {
  readonly spawned: Spawned
  /** How it says which input a line answers. */
  readonly form: 'numbered' | 'each'
  readonly maxLine: number
  /** Its tool calls. */
  readonly tools: ToolService | undefined
  /** What it writes on stderr between requests. */
  readonly tellStderr: (text: string) => void
  readonly ended: () => void
}

export interface Lease {
  /** The process, as a graph takes it. */
  readonly spawned: Spawned
  /** Resolves when the request has no more use for it. False: it cannot be used again. */
  readonly ended: Promise<boolean>
  /** The graph does not start after all. */
  drop(): void
}

/** For the answer to a control message (ms). */
const CONTROL_MS = 30_000
/** For an answer to be dropped (ms). */
const DROP_MS = 5000
const CONTROL_FD = 6
const REPLIES = 'ctrl_out'
/** Bytes that wait in the pipe before a request has to wait. */
const FULL_BYTES = 256 * 1024

interface Leased {
  readonly ends: ChildEnds
  readonly end: (isWhole: boolean) => void
  /** A blank line goes before its first: the request has no memory. */
  beginsAfresh: boolean
  isInputOver: boolean
  /** Its request was stopped. `noted`: the process knows it, and has sent its last call. */
  dropped?: 'told' | 'noted'
  /** Of what is dropped. */
  endDeadline?: () => void
}

export class WarmProcess {
  readonly #o: WarmProcessOptions
  readonly #reader: LineReader
  readonly #line: NumberedLine
  readonly #control: LineWriter | undefined
  /** Of control messages without an end, by number: their replies, and what takes them. */
  readonly #asked = new Map<number, { readonly replies: unknown[]; readonly resolve: (replies: readonly unknown[] | undefined) => void }>()
  #controls = 0
  #sent = 0
  #whole = 0
  #leased: Leased | undefined
  #isFull = false
  /** A line that it was sent is not whole. */
  #isMidLine = false
  #exit: Exit | undefined
  /** What it does is told there. */
  use: WarmUse | undefined
  isOver = false
  /** Asked for approval: it may remember the answer. */
  hasAsked = false
  lastUsedMs = nowMs()

  constructor(options: WarmProcessOptions) {
    this.#o = options
    const { child, kind } = options.spawned
    this.#line = new NumberedLine(kind !== 'program')
    const control = child.fds.get(CONTROL_FD)
    this.#control = control && 'write' in control ? new LineWriter(control) : undefined
    this.#controls = options.spawned.controls
    this.#reader = new LineReader(child.stdout, { maxLine: options.maxLine * 2, onReadable: () => this.#read() })
    child.stderr.on('error', () => {})
    child.stderr.on('data', (chunk: Buffer) => {
      if (this.#leased) this.#leased.ends.stderr.write(chunk)
      else options.tellStderr(chunk.toString('utf8'))
    })
    child.stdin.on('error', () => {})
    void child.exited.then((exit) => this.#exited(exit))
  }

  get pid(): number {
    return this.#o.spawned.child.pid
  }

  /** `beginsAfresh`: an agent of ours forgets what it was asked before. */
  lease(use: WarmUse, beginsAfresh = false): Lease {
    const { child, ends } = openInProcessChild([])
    const { spawned } = this.#o
    let end: (isWhole: boolean) => void = () => {}
    const ended = new Promise<boolean>((resolve) => {
      end = resolve
    })
    const leased: Leased = { ends, end, beginsAfresh, isInputOver: false }
    this.#leased = leased
    this.use = use
    ends.stdin.on('data', (chunk: Buffer) => {
      if (!leased.dropped) this.#send(chunk, leased)
    })
    ends.stdin.on('end', () => {
      leased.isInputOver = true
      this.#finishIfWhole()
    })
    ends.stdout.on('drain', () => {
      this.#isFull = false
      this.#read()
    })
    ends.stopped.addEventListener('abort', () => {
      if (this.#leased === leased) void this.#drop(leased)
    })
    const drop = (): void => {
      if (this.#leased === leased) this.#finish(leased, 0, null, true)
    }
    // It ended while its memory was set.
    if (this.#exit) this.#finish(leased, this.#exit.status, this.#exit.signal, false)
    return { spawned: { ...spawned, child: { ...child, pid: spawned.child.pid }, before: this.#sent, controls: 0 }, ended, drop }
  }

  /** The replies. Undefined: it does not answer, or has no control. */
  async control(message: object): Promise<readonly unknown[] | undefined> {
    return this.#say(JSON.stringify(message))
  }

  async #say(json: string): Promise<readonly unknown[] | undefined> {
    const control = this.#control
    if (!control || this.isOver) return undefined
    const k = ++this.#controls
    return new Promise((resolve) => {
      const stop = startDeadline(CONTROL_MS, () => settle(undefined))
      const settle = (replies: readonly unknown[] | undefined): void => {
        stop()
        this.#asked.delete(k)
        resolve(replies)
      }
      this.#asked.set(k, { replies: [], resolve: settle })
      control.writeText(json)
    })
  }

  /** It has nothing in hand: half of the time is for the end of its input, and half for SIGTERM. */
  async end(graceMs: number): Promise<void> {
    this.isOver = true
    const { child } = this.#o.spawned
    child.stdin.end(() => {})
    void this.#control?.end()
    const stop = startDeadline(graceMs / 2, () => void child.terminate(graceMs / 2))
    await child.exited
    stop()
  }

  /** Something that it had in hand has ended. */
  settled(): void {
    this.#finishIfWhole()
  }

  kill(): void {
    this.isOver = true
    this.#o.spawned.child.kill('SIGKILL')
  }

  #send(chunk: Buffer, leased: Leased): void {
    const { ends, beginsAfresh } = leased
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) this.#sent++
    this.#isMidLine = chunk.at(-1) !== LF
    const stdin: LineSink = this.#o.spawned.child.stdin
    leased.beginsAfresh = false
    stdin.write(beginsAfresh ? Buffer.concat([NEWLINE, chunk]) : chunk, () => ends.stdin.resume())
    if (stdin.writableLength > FULL_BYTES) ends.stdin.pause()
  }

  #read(): void {
    const reader = this.#reader
    const pieces: Buffer[] = []
    while (!this.#isFull && reader.next()) {
      if (reader.fault && reader.fault.error !== 'invalid_utf8') return this.kill()
      if (this.#takes(reader.buf, reader.start, reader.end, reader.fault !== null)) {
        pieces.push(reader.buf.subarray(reader.start, reader.end), NEWLINE)
      }
    }
    const leased = this.#leased
    if (leased && !leased.dropped && pieces.length > 0) {
      const hasRoom = leased.ends.stdout.write(Buffer.concat(pieces))
      // Who reads them may have stopped the request: nothing makes room in it any more.
      this.#isFull = !hasRoom && this.#leased === leased && !leased.dropped
    }
    this.#finishIfWhole()
  }

  /** True: the line is the request's. */
  #takes(buf: Buffer, start: number, end: number, isUnreadable: boolean): boolean {
    const line = this.#line
    if (this.#o.form === 'each') {
      this.#whole++
      if (!this.#leased) this.kill()
      return true
    }
    if (isUnreadable || !line.read(buf, start, end)) return true
    if (line.kind === 'control') {
      const asked = this.#asked.get(line.seq)
      asked?.resolve(asked.replies)
      return false
    }
    if (line.kind === 'value' && line.seq === 0 && line.port === REPLIES) {
      this.#replied(parseJson(buf, line.start, line.end), buf.subarray(line.start, line.end))
      return false
    }
    if (line.isEnd) this.#whole++
    if (!this.#leased && line.kind !== 'telemetry') this.kill()
    return true
  }

  #replied(read: ReturnType<typeof parseJson>, text: Buffer): void {
    const reply = read.ok ? read.value : undefined
    if (isRecord(reply) && reply.kind === 'approval') {
      const { id, tool, wrong } = reply
      const input = memberText(text, 'input') ?? 'null'
      this.hasAsked = true
      const asked = { tool: String(tool), input, wrong: typeof wrong === 'string' ? wrong : undefined }
      const decided = this.use?.approve(asked) ?? Promise.resolve(false)
      void decided.then((consent) => this.#say(consentText(String(id), consent)))
      return
    }
    const [oldest] = this.#asked.values()
    oldest?.replies.push(reply)
  }

  /** What its request has in hand is dropped by an agent of ours. Else, and where it cannot be, the process is ended. */
  async #drop(leased: Leased): Promise<void> {
    const { spawned, tools } = this.#o
    leased.dropped = 'told'
    // What its client did not read is read here: behind it are its other answers, or its end.
    this.#isFull = false
    this.#read()
    const takesControl = this.#control !== undefined && spawned.kind !== 'program' && this.#o.form === 'numbered'
    if (!takesControl || this.hasAsked || this.#isMidLine || this.isOver || tools?.drop() === false) return this.kill()
    leased.endDeadline = startDeadline(DROP_MS, () => this.kill())
    const isDropped = this.#whole >= this.#sent || (await this.control({ cancel: this.#sent })) !== undefined
    // Calls that it has sent before are in their pipe by now, and are answered in one more turn of the event loop.
    for (let turns = 0; tools && turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve))
    if (this.#leased !== leased) return
    if (!isDropped) return this.kill()
    leased.dropped = 'noted'
    this.#finishIfWhole()
  }

  #finishIfWhole(): void {
    const leased = this.#leased
    if (!leased || this.#whole < this.#sent || this.isOver) return
    const hasLeft = leased.dropped ? leased.dropped === 'noted' && !this.#o.tools?.inFlight : leased.isInputOver
    if (hasLeft) this.#finish(leased, 0, null, true)
  }

  #finish({ ends, end, endDeadline }: Leased, status: number | null, signal: NodeJS.Signals | null, isWhole: boolean): void {
    this.#leased = undefined
    endDeadline?.()
    this.use = undefined
    this.#isFull = false
    this.#o.tools?.takeUp()
    this.lastUsedMs = nowMs()
    ends.exit(status, signal)
    end(isWhole)
  }

  #exited(exit: Exit): void {
    this.#isFull = false
    this.#read()
    this.isOver = true
    this.#exit = exit
    for (const { resolve } of [...this.#asked.values()]) resolve(undefined)
    if (this.#leased) this.#finish(this.#leased, exit.status, exit.signal, false)
    this.#o.ended()
  }
}

const LF = 10
const NEWLINE = Buffer.from('\n')
