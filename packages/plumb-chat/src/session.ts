// The program behind the conversation: a child that is sent messages and control, and what comes back from it on four descriptors.

import type { Readable, Writable } from 'node:stream'
import {
  type Child,
  childEnv,
  type Exit,
  type Fault,
  FDS,
  LineReader,
  parseJson,
  type Result,
  readControl,
  type Settled,
  siblingProgram,
  spawnChild,
  splitEnvelope,
  succeed,
  type Telemetry,
} from '@plumb/wire'
import type { Program } from './program/program.js'
import { isFault } from './words.js'

export type Told = Exclude<Telemetry, Settled> & { readonly agent: string }

/** What ctrl_out says; see plumb-agent(1). */
export type Reply = { readonly kind: string } & Readonly<Record<string, unknown>>

export interface Listener {
  /** One JSON value as text. */
  readonly onOutput: (json: string, port: string) => void
  readonly onTold: (told: Told) => void
  readonly onReply: (reply: Reply) => void
  readonly onFault: (fault: Fault) => void
  /** A line on its stderr that is no fault. */
  readonly onLine: (line: string) => void
  /** Everything that was sent is answered, dropped or failed, and all that was said of it has been heard. */
  readonly onQuiet: () => void
  readonly onExit: (exit: Exit) => void
}

export interface Session {
  /** One JSON value as text. */
  send(json: string): void
  /** False: nothing hears control. */
  control(message: Readonly<Record<string, unknown>>): boolean
  /** Resolves when the control messages so far have been heard, and an error that is the answer to one too. */
  heardControl(): Promise<void>
  readonly isQuiet: boolean
  /** Nothing more is said to it: it ends by itself, and is ended where it does not. */
  close(graceMs: number): Promise<void>
  /** It is ended now, and what it would still say is not heard. */
  abandon(): Promise<void>
}

const KILL_MS = 1000
/** An output of a plumb that is still at work is shown so long after it came. */
const LATEST_MS = 500

/** `args`: the options and the spec. */
export const openSession = (program: Program, args: readonly string[], listener: Listener): Result<Session> => {
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
  return child.ok ? succeed(attach(program, child.value, listener)) : child
}

const attach = (program: Program, child: Child, listener: Listener): Session => {
  const { isEnveloped, input } = program
  const ctrlIn = child.fds.get(FDS.ctrl_in) as Writable | undefined
  let isHeard = true
  let [sent, received, controls] = [0, 0, 0]
  let settled: Pick<Settled, 'inputs' | 'outputs' | 'controls'> = { inputs: 0, outputs: 0, controls: 0 }
  /** What control came before has to be heard before them, and that is on another pipe. */
  const waiting: string[] = []
  let waiters: { readonly until: number; readonly resolve: () => void }[] = []
  const isAgent = program.runs === 'plumb-agent'
  const isQuiet = (): boolean =>
    settled.inputs >= sent && received >= settled.outputs && settled.controls >= controls && held.length + waiting.length === 0

  // What led to an output is told on another pipe, and shown before it. An agent tells of the output itself there; a plumb says how many
  // there are once it has settled, and what takes longer than that is not waited for.
  const held: (() => void)[] = []
  let [shown, told] = [0, 0]
  const release = (upTo: number): void => {
    told = Math.max(told, upTo)
    for (; shown < told && held.length > 0; shown++) {
      const show = held.shift()
      if (isHeard) show?.()
    }
  }
  const hold = (show: () => void): void => {
    held.push(show)
    release(told)
    const seq = received
    if (isAgent || shown >= seq) return
    setTimeout(() => {
      release(seq)
      judge()
    }, LATEST_MS).unref()
  }
  // Errors come on a pipe of their own, and were written before it settled: they are heard first.
  const judge = (): void => {
    const hasHeard = (until: number): boolean =>
      isAgent ? settled.controls >= until : settled.inputs >= until && received >= settled.outputs && held.length === 0
    for (const waiter of waiters) if (hasHeard(waiter.until)) afterPolls(waiter.resolve)
    waiters = waiters.filter(({ until }) => !hasHeard(until))
    if (isQuiet())
      afterPolls(() => {
        if (isHeard && isQuiet()) listener.onQuiet()
      })
  }
  const write = (stream: Writable, port: string, json: string): void => {
    stream.write(isEnveloped ? `{"__port":${JSON.stringify(port)},"msg":${json}}\n` : `${json}\n`)
  }
  const flush = (): void => {
    if (settled.controls < controls) return
    for (const json of waiting.splice(0)) {
      sent++
      write(child.stdin, input.name, json)
    }
  }
  const hear = (stream: Readable, take: (line: LineReader) => void): void => {
    const reader = new LineReader(stream)
    reader.onReadable = () => {
      while (reader.next()) {
        if (!isHeard) continue
        if (reader.fault) listener.onFault(reader.fault)
        else take(reader)
      }
    }
  }

  hear(child.stdout, ({ buf, start, end }) => {
    received++
    hold(() => {
      const envelope = isEnveloped ? splitEnvelope(buf, start, end) : undefined
      if (!envelope) listener.onOutput(buf.toString('utf8', start, end), program.outputs[0]?.name ?? 'output')
      else if (!envelope.ok) listener.onFault(envelope.error)
      else output(listener, envelope.value.port, buf.toString('utf8', envelope.value.start, envelope.value.end))
    })
    judge()
  })
  hear(child.stderr, ({ buf, start, end }) => {
    const parsed = parseJson(buf, start, end)
    if (parsed.ok && isFault(parsed.value)) listener.onFault(parsed.value)
    else listener.onLine(buf.toString('utf8', start, end))
  })
  const listen = (fd: number, take: (message: unknown) => void): void => {
    const stream = child.fds.get(fd) as Readable | undefined
    if (stream) readControl(stream, (message) => isHeard && take(message), listener.onFault, ignore)
  }
  listen(FDS.ctrl_out, (message) => reply(listener, message))
  listen(FDS.telemetry, (message) => {
    const event = message as Telemetry & { readonly agent: string }
    if (event?.kind === 'settled') {
      settled = event
      if (!isAgent) release(event.outputs)
      flush()
    } else listener.onTold(event as Told)
    if (event?.kind === 'output' && isAgent) release(told + 1)
    judge()
  })
  const over = child.exited.then((exit) => {
    release(received)
    if (isHeard) listener.onExit(exit)
  })

  return {
    send: (json) => {
      waiting.push(json)
      flush()
    },
    control: (message) => {
      if (!program.hasControl) return false
      if (ctrlIn) {
        controls++
        ctrlIn.write(`${JSON.stringify(message)}\n`)
      } else {
        sent++
        write(child.stdin, 'ctrl_in', JSON.stringify(message))
      }
      return true
    },
    heardControl: () =>
      new Promise((resolve) => {
        waiters.push({ until: isAgent ? controls : sent, resolve })
      }),
    get isQuiet() {
      return isQuiet()
    },
    close: async (graceMs) => {
      child.stdin.end()
      ctrlIn?.end()
      const timer = setTimeout(() => void child.terminate(KILL_MS), graceMs)
      await over
      clearTimeout(timer)
    },
    abandon: async () => {
      isHeard = false
      await child.terminate(KILL_MS)
    },
  }
}

const output = (listener: Listener, port: string, json: string): void => {
  if (port === 'ctrl_out') reply(listener, JSON.parse(json))
  else if (port !== 'telemetry') listener.onOutput(json, port)
}

const reply = ({ onReply }: Listener, message: unknown): void => {
  if (typeof message === 'object' && message !== null && 'kind' in message) onReply(message as Reply)
}

// Everything that was there to be read by now has been read.
const afterPolls = (act: () => void): void => void setImmediate(() => setImmediate(act))

const ignore = (): void => {}
