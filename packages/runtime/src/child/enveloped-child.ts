// Adapts a child that uses envelopes on one stream to the interface of one with a descriptor for each port (plumb-wire(5), Envelopes).

import { Readable, Writable } from 'node:stream'
import {
  type Child,
  DIRECTIONS,
  enclose,
  encloseEof,
  type Fault,
  FDS,
  type FdName,
  fail,
  LineReader,
  LineWriter,
  preview,
  splitEnvelope,
  unreadableIn,
} from '@plumb/wire'
import type { UnreadableLines } from './output.js'

export interface EnvelopedChildOptions {
  readonly child: Child
  /** The ports to provide, by their descriptors; input and output always. */
  readonly fds: Readonly<Record<number, 'in' | 'out'>>
  readonly maxLine: number
  /** Its stdin stays open when its ports have ended, until `letGo`. */
  readonly isHeldOpen?: boolean
  /** Reports a line that is not an envelope. */
  readonly report: (fault: Fault) => void
}

/** Beside the ports: a line in an envelope of its own. */
export interface EnvelopedChild {
  readonly child: Child
  readonly unreadable: UnreadableLines
  send(port: string, json: string): void
  /** Nothing more is sent beside the ports. */
  letGo(): void
}

/** Data may wait, control may not: so much of one port is buffered before the stream waits as a whole. */
const HELD_BYTES = 16 * 1024 * 1024
const LF = 10

export const envelopedChild = ({ child, fds, maxLine, isHeldOpen = false, report }: EnvelopedChildOptions): EnvelopedChild => {
  const names = (Object.keys(FDS) as FdName[]).filter((name) => FDS[name] < 2 || fds[FDS[name]] !== undefined)
  const writer = new LineWriter(child.stdin, {
    onDrain: () => inputs.forEach((input) => void input.goOn()),
    onClosed: () => inputs.forEach((input) => void input.stream.destroy()),
  })
  const inputs: ReadonlyMap<string, PortInput> = new Map(
    names.filter((name) => DIRECTIONS[name] === 'in').map((name) => [name, portInput(name, writer)]),
  )
  let open = inputs.size + (isHeldOpen ? 1 : 0)
  const closeOne = () => {
    if (--open === 0) void writer.end()
  }
  for (const { stream } of inputs.values()) {
    stream.on('error', () => {})
    stream.on('finish', closeOne)
  }

  const pump = () => pass(reader, outputs, report)
  const reader = new LineReader(child.stdout, { maxLine, onReadable: pump })
  const outputs = new Map<string, PortOutput>(names.filter((name) => DIRECTIONS[name] === 'out').map((name) => [name, portOutput(pump)]))
  // Nothing reads the ports any more: a further write of the child fails.
  const hangUp = () => [...outputs.values()].every((output) => output.isOver()) && reader.stop()
  for (const { stream } of outputs.values()) stream.on('close', hangUp)

  const streams = [...inputs, ...outputs].map(([name, { stream }]) => [FDS[name as FdName], stream] as const)
  return {
    child: {
      ...child,
      stdin: inputs.get('input')?.stream as Writable,
      stdout: outputs.get('output')?.stream as Readable,
      fds: new Map(streams.filter(([fd]) => fd > 2)),
    },
    unreadable: { take: (line) => outputs.get('output')?.takeFault(line) },
    send: (port, json) => {
      writer.writeText(`{"__port":${JSON.stringify(port)},"msg":${json}}`)
      writer.flush()
    },
    letGo: closeOne,
  }
}

interface PortInput {
  readonly stream: Writable
  /** The writer has space again. */
  goOn(): void
}

// Gets whole lines, as line writers write them. Not a class that extends a stream: naming one loads streams in every start.
const portInput = (port: string, writer: LineWriter): PortInput => {
  let waiting: (() => void) | undefined
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      for (let start = 0; start < chunk.length; ) {
        const end = chunk.indexOf(LF, start)
        const line = enclose(port, chunk, start, end)
        writer.write(line, 0, line.length)
        start = end + 1
      }
      writer.flush()
      if (writer.isFull) waiting = done
      else done()
    },
    final: (done) => {
      const line = encloseEof(port)
      writer.write(line, 0, line.length)
      done()
    },
  })
  const goOn = (): void => {
    const done = waiting
    waiting = undefined
    done?.()
  }
  return { stream, goOn }
}

interface PortOutput {
  readonly stream: Readable
  /** It was closed, on either side. */
  isOver(): boolean
  isHeld(): boolean
  send(buf: Buffer, start: number, end: number): void
  /** In the place of a line that could not be read; its text is what is shown of it. */
  sendFault(fault: Fault): void
  /** What is wrong with the line of this number. */
  takeFault(line: number): Fault | undefined
  end(): void
}

const portOutput = (whenRoom: () => void): PortOutput => {
  let isOver = false
  let lines = 0
  const faults = new Map<number, Fault>()
  const stream = new Readable({ read: whenRoom })
  stream.on('close', () => {
    isOver = true
  })
  const push = (line: Buffer): void => {
    lines++
    stream.push(line)
  }
  return {
    stream,
    isOver: () => isOver,
    isHeld: () => !isOver && stream.readableLength > HELD_BYTES,
    send: (buf, start, end) => {
      if (isOver) return
      const line = Buffer.allocUnsafe(end - start + 1)
      buf.copy(line, 0, start, end)
      line[end - start] = LF
      push(line)
    },
    sendFault: (fault) => {
      if (isOver) return
      faults.set(lines + 1, fault)
      // A blank line would be passed over.
      push(Buffer.from(`${String(fault.text ?? '').trim() || '?'}\n`))
    },
    takeFault: (line) => {
      const fault = faults.get(line)
      faults.delete(line)
      return fault
    },
    end: () => {
      if (!isOver) stream.push(null)
      isOver = true
    },
  }
}

const pass = (reader: LineReader, outputs: ReadonlyMap<string, PortOutput>, report: (fault: Fault) => void): void => {
  const all = [...outputs.values()]
  while (!all.some((output) => output.isHeld()) && reader.next()) {
    const fault = reader.fault ?? passLine(reader, outputs)
    if (fault) report(fault)
  }
  if (reader.hasEnded) for (const output of all) output.end()
}

const passLine = ({ buf, start, end, isLast }: LineReader, outputs: ReadonlyMap<string, PortOutput>): Fault | undefined => {
  // What writes envelopes ends each line: this one was cut off.
  if (isLast) return fail('truncated_line', 'the last line has no end', { text: preview(buf.toString('utf8', start, end)) }).error
  const split = splitEnvelope(buf, start, end, isLast)
  const unreadable = split.ok ? undefined : unreadableIn(buf, start, end)
  if (unreadable?.port === 'output') {
    outputs.get('output')?.sendFault(unreadable.fault)
    return undefined
  }
  if (unreadable) return unreadable.fault
  if (!split.ok) return { ...split.error, text: preview(buf.toString('utf8', start, end)) }
  const { port, isEof, start: from, end: to } = split.value
  const output = outputs.get(port)
  // Messages for unwanted ports are dropped.
  if (!output) return Object.hasOwn(FDS, port) ? undefined : fail('unknown_port', `there is no port '${preview(port)}'`).error
  if (isEof) output.end()
  else output.send(buf, from, to)
  return undefined
}
