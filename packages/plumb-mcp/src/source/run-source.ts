// Runs a checked source: a `plumb` of its own, in the docroot, with the effects that clients are granted and no more.

import { constants, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { narrow } from '@plumb/policy'
import { deepenNesting } from '@plumb/tool/internal'
import {
  type Bundle,
  bundledFiles,
  childEnv,
  type Fault,
  fail,
  fault,
  LineReader,
  type PlumbChild,
  parseJson,
  type Reported,
  type Result,
  readReported,
  spawnPlumb,
  succeed,
  withAround,
} from '@plumb/wire'
import type { ServerAuthority } from '../grant.js'
import { MAX_HEAP_MIB, watchMemory } from './memory.js'

export interface SourceRun {
  readonly bundle: Bundle
  readonly inputs: readonly string[]
  /** It is ended at its first output. */
  readonly isFirstEnough: boolean
  readonly docroot: string
  readonly authority: ServerAuthority
  /** Options of `plumb run`. */
  readonly args: readonly string[]
  /** Files that it must not change, absolute. */
  readonly around: readonly string[]
  /** Ends it, as when the time is up. */
  readonly signal: AbortSignal
  /** The span of the request, for what it asks. */
  readonly traceparent: string | undefined
  /** Reports what it does without, such as a server that is unavailable. */
  readonly warn: (warning: Fault) => void
  /** Called with the number of outputs so far. */
  readonly onOutput: (count: number) => void
}

export interface SourceOutcome {
  /** JSON texts. */
  readonly outputs: readonly string[]
  readonly faults: readonly Fault[]
}

const GRACE_MS = 2000
/** Maximum bytes of all outputs. */
const MAX_OUTPUT = 8 * 1024 * 1024
const MAX_FAULTS = 20

/** The child has exited when it resolves. */
export const runSource = async (run: SourceRun): Promise<Result<SourceOutcome>> => {
  const { isFirstEnough, inputs, signal, warn, onOutput } = run
  if (signal.aborted) return fail('cancelled', 'the run was cancelled before it began')
  const started = start(run)
  if (!started.ok) return started
  const { child } = started.value
  const outputs: string[] = []
  const faults: Fault[] = []
  let bytes = 0
  let warnings = 0
  let isCut = false
  const end = (): void => {
    isCut = true
    void child.terminate(GRACE_MS)
  }
  const take = (): void => {
    while (lines.next()) {
      if (isCut || lines.fault) continue
      bytes += lines.end - lines.start
      if (bytes > MAX_OUTPUT) {
        faults.push(fault('overflow', `the program gave more than ${MAX_OUTPUT} bytes of output, and was stopped`))
        end()
        continue
      }
      outputs.push(lines.buf.toString('utf8', lines.start, lines.end))
      onOutput(outputs.length)
      if (isFirstEnough) end()
    }
  }
  const lines = new LineReader(child.stdout, { onReadable: take })
  readErrors(child.stderr, ({ severity, fault: reported }) => {
    if (severity === 'warning') {
      if (warnings++ < MAX_FAULTS) warn(reported)
    } else if (!isCut && faults.length < MAX_FAULTS) faults.push(reported)
  })
  let isTooLarge = false
  const refuseSize = (limit: number): void => {
    isTooLarge = true
    isCut = true
    faults.push(tooLarge(limit))
    child.kill('SIGKILL')
  }
  const forget = watchMemory({ pid: child.pid, end: refuseSize })
  yieldTo(child.pid)
  signal.addEventListener('abort', end, { once: true })
  child.stdin.end(inputs.map((input) => `${input}\n`).join(''))
  const { status, signal: killed } = await child.exited
  signal.removeEventListener('abort', end)
  forget()
  if (signal.aborted) return fail('cancelled', 'the run was cancelled')
  if (!isCut && !isTooLarge && killed !== null && OUT_OF_MEMORY.includes(killed)) faults.push(tooLarge(MAX_HEAP_MIB * 2 ** 20))
  if (!isCut && status !== 0 && faults.length === 0) {
    faults.push(fault('child_failed', `the program ended ${killed === null ? `with status ${status}` : `by ${killed}`} and said nothing`))
  }
  return succeed({ outputs, faults })
}

const start = ({ bundle, docroot, authority, args, around, traceparent }: SourceRun): Result<PlumbChild> => {
  const depth = deepenNesting()
  if (!depth.ok) return depth
  return spawnPlumb({
    program: 'plumb',
    args: ['run', '--no-envelopes', '--docroot', docroot, ...args],
    files: withAround(bundledFiles(bundle), { paths: around }),
    entry: bundle.entry,
    authority: narrow(authority, { minutes: MINUTES, now: Date.now() }),
    cwd: docroot,
    // Nothing is looked up by name outside the docroot.
    env: {
      ...{ ...childEnv('ours'), ...depth.value, PLUMB_ERRORS: 'json', PLUMB_PATH: '', PLUMB_RESOURCES: '', NODE_OPTIONS },
      ...(traceparent === undefined ? {} : { PLUMB_TRACEPARENT: traceparent }),
    },
  })
}

const NODE_OPTIONS = `--max-old-space-size=${MAX_HEAP_MIB}`
/** How Node ends when its heap is full. */
const OUT_OF_MEMORY: readonly NodeJS.Signals[] = ['SIGABRT', 'SIGTRAP', 'SIGILL']

const tooLarge = (limit: number): Fault =>
  fault('too_large', `the program took more memory than the programs of clients may, ${limit / 2 ** 20} MiB, and was stopped`)

// A program that only computes leaves the processor to the server and its other calls.
const yieldTo = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended.
  }
}

/** Longer than any call may take (ms). */
const MINUTES = 60

const readErrors = (stderr: Readable, take: (reported: Reported) => void): void => {
  const read = (): void => {
    while (reader.next()) {
      const parsed = reader.fault ? undefined : parseJson(reader.buf, reader.start, reader.end)
      const reported = parsed?.ok ? readReported(parsed.value) : undefined
      if (reported) take(reported)
    }
  }
  const reader = new LineReader(stderr, { onReadable: read })
}
