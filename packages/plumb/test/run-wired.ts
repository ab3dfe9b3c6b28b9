// Runs a program that is all in this process, as plumb does, on input that comes in pieces.

import { PassThrough, Writable } from 'node:stream'
import { type Fault, LineReader, LineWriter, Reporter } from '@plumb/wire'
import type { RunEmitter } from '../../runtime/src/event/emitter.js'
import { Schedule } from '../../runtime/src/graph/schedule.js'
import type { LineFile } from '../../runtime/src/record/line-file.js'
import { Rejects } from '../../runtime/src/record/rejects.js'
import { wireUp } from '../../runtime/src/run/wiring.js'
import { scaled } from '../../wire/test/patience.js'
import { bareWiring, graphOf } from './bare-wiring.js'

export interface WiredRun {
  readonly text: string
  readonly input: Buffer
  /** Lengths of the pieces in which it comes, again and again. */
  readonly pieces: readonly number[]
  /** Each piece is read before the next one comes. */
  readonly isSlow?: boolean
  readonly maxLine?: number
  /** The writer is full when it holds more. */
  readonly fullBytes?: number
  readonly emitter?: RunEmitter | undefined
  readonly isNumbered?: boolean
  readonly hasRejects?: boolean
}

export interface WiredResult {
  readonly out: string
  readonly faults: readonly Fault[]
  /** Inputs that were taken. */
  readonly taken: number
  /** Lines and bytes that the writer has counted. */
  readonly written: readonly [number, number]
  readonly rejected: readonly string[]
  /** The first input that is not done with at the end; Infinity: all are. */
  readonly oldest: number
}

const DEADLINE_MS = scaled(60_000)

export const runWired = async ({ text, input, pieces, ...options }: WiredRun): Promise<WiredResult> => {
  const { isSlow = false, maxLine = 1024, fullBytes = 256 * 1024, emitter, isNumbered = false, hasRejects = false } = options
  const stdin = new PassThrough()
  const written: Buffer[] = []
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(chunk)
      setImmediate(done)
    },
  })
  const schedule: Schedule = new Schedule(
    () => closeQuiet(),
    () => {},
  )
  let hasStarted = false
  let closeQuiet = () => {}
  const wake = () => hasStarted && schedule.wake()
  const reader = new LineReader(stdin, { maxLine, onReadable: wake })
  const writer = new LineWriter(stdout, { fullBytes, onDrain: wake })
  const faults: Fault[] = []
  const rejected: string[] = []
  const file = { add: (line: Buffer | string) => void rejected.push(String(line)), addPiece: () => {}, flush: () => {} }
  const rejects = hasRejects ? new Rejects({ file: file as unknown as LineFile, isRaw: false }) : undefined
  const report = (fault: Fault) => {
    faults.push(fault)
    rejects?.reject(fault)
  }
  const graph = graphOf(text)
  let open = graph.nodes.filter(({ work }) => work.kind === 'output').length
  let close = () => {}
  let refuse = (_: Error) => {}
  const ended = new Promise<void>((resolve, reject) => {
    close = () => --open === 0 && resolve()
    refuse = reject
  })
  const bare = bareWiring({ maxLine, report })
  const wired = wireUp({
    graph,
    reader,
    writer,
    schedule,
    reporter: new Reporter('plumb', () => new Writable({ write: (_chunk, _encoding, done) => done() })),
    ...bare,
    emitter,
    hasSeq: isNumbered,
    rejects,
    handled: () => {},
    outputClosed: () => close(),
    fail: (fault) => refuse(new Error(fault.detail)),
  })
  if (!wired.ok) throw new Error(wired.error.detail)
  const { cycles, start } = wired.value
  closeQuiet = () => {
    if (cycles.filter((cycle) => cycle.closeIfQuiet()).length > 0) schedule.wake()
  }
  hasStarted = true
  start()
  schedule.wake()
  for (let from = 0, i = 0; from < input.length; i++) {
    const to = from + (pieces[i % pieces.length] as number)
    stdin.write(input.subarray(from, to))
    if (isSlow || i % 3 === 0) await new Promise(setImmediate)
    from = to
  }
  stdin.end()
  await withDeadline(ended, text)
  schedule.stop()
  await writer.end()
  const out = Buffer.concat(written).toString('latin1')
  const { taken } = wired.value.input
  return { out, faults, taken, written: [writer.lines, writer.bytes], rejected, oldest: bare.current.oldest }
}

const withDeadline = async (promise: Promise<void>, text: string): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${DEADLINE_MS} ms: ${text}`)), DEADLINE_MS)
  })
  await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
