// Runs a spec of an embedding program: one message at once, or a run that is sent to and received from.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openSpec, PlumbError, type SpecOptions, wordsOf } from '@plumb/client/pipe'
import { PipeProcess } from '@plumb/client/pipe-process'
import { Queue } from '@plumb/client/queue'
import type { Json } from '@plumb/lang'
import { type Fault, fail, type Result, succeed } from '@plumb/wire'
import { isCompiled, type Spec } from './spec.js'

export interface RunOptions {
  /** The process that is run; default: `main`. */
  readonly binding?: string
  /** Further options of `plumb run`, as words. */
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The executable; default: the one of this package, else `plumb` on PATH. */
  readonly plumb?: string
}

export interface CallOptions extends RunOptions {
  readonly signal?: AbortSignal
}

/** The output for one input; where there may be several, their list. Throws only where `signal` ends it, with its reason. */
export const call = async (spec: Spec, input: Json, options: CallOptions = {}): Promise<Result<Json>> => {
  const { binding = 'main', signal } = options
  try {
    const connection = await openSpec(specOptions(spec, options))
    try {
      return succeed(await connection.call<Json>(binding, input, { signal }))
    } finally {
      await connection.close()
    }
  } catch (error) {
    if (error instanceof PlumbError) return { ok: false, error: error.toJSON() as Fault }
    throw error
  }
}

export interface Run {
  /** Resolves when there is room for more. */
  send(input: Json): Promise<void>
  /** The next output, or the error of an input; undefined once all have come. */
  receive(): Promise<Result<Json> | undefined>
  /** No more is sent: what is in hand still comes, and `receive` then ends. */
  end(): void
  /** Ends it, with what is in hand. */
  close(): Promise<void>
  /** Telemetry of its agents, from now on. */
  readonly events: AsyncIterable<Readonly<Record<string, unknown>>>
}

export const run = async (spec: Spec, options: RunOptions = {}): Promise<Result<Run>> => {
  const { spec: of, plumb = 'plumb', args = [], cwd, env = process.env } = specOptions(spec, options)
  const words = ['run', '--numbered', '--no-envelopes', '--no-progress', '--telemetry', ...args]
  const started = new PipeProcess({
    words: [plumb, ...words, '--binding', options.binding ?? 'main', ...wordsOf(of)],
    cwd,
    env: { ...env, PLUMB_ERRORS: 'json' },
  })
  const outputs = new Queue((isFull) => started.hold(isFull))
  // Telemetry that nobody reads is dropped.
  let events: Queue | undefined
  let hasFailed = false
  started.begin({
    item: (item) => {
      if (item.event !== undefined) events?.push(item)
      else {
        hasFailed ||= item.error !== undefined
        outputs.push(item)
      }
    },
    done: () => {},
    ended: (error) => {
      // Status 1 is of what was told.
      outputs.end(hasFailed && error?.category === 'internal' ? undefined : error)
      events?.end()
    },
  })
  const reading = outputs.read()
  const receive = async (): Promise<Result<Json> | undefined> => {
    try {
      const { value: item, done } = await reading.next()
      if (done) return undefined
      return item.error ? { ok: false, error: item.error.toJSON() as Fault } : succeed(item.value as Json)
    } catch (error) {
      return error instanceof PlumbError ? { ok: false, error: error.toJSON() as Fault } : fail('internal', String(error))
    }
  }
  return succeed({
    send: (input) => started.send(JSON.stringify(input)),
    receive,
    end: () => started.endInput(),
    close: () => started.close(),
    events: {
      [Symbol.asyncIterator]: async function* () {
        events = new Queue(() => {})
        for await (const { event } of events.read()) if (event) yield event
      },
    },
  })
}

const specOptions = (spec: Spec, { args, cwd, env, plumb }: RunOptions): SpecOptions => ({
  spec: isCompiled(spec) ? spec.spec : spec,
  plumb: plumb ?? ownExecutable(),
  ...(args ? { args } : {}),
  ...(cwd === undefined ? {} : { cwd }),
  ...(env ? { env } : {}),
})

const ownExecutable = (): string => {
  const beside = fileURLToPath(new URL('../bin/plumb', import.meta.url))
  return existsSync(beside) ? beside : 'plumb'
}
