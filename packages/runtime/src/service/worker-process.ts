// `plumb work` as a process of a server: it serves the runs of one binding, and is started again if it ends.

import { childEnv, fault, LineReader, optionWords, parseJson, type Reporter, readReported, type SourceFiles, spawnPlumb } from '@plumb/wire'
import { RUN_GROUPS, type RunOptions } from '../options/run-options.js'
import { ORPHAN_SECONDS } from './recorded-run.js'

export interface WorkerProcessOptions {
  readonly spec: string
  readonly binding: string
  readonly files: SourceFiles
  readonly options: RunOptions
  readonly database: { readonly url: string; readonly isInsecure: boolean }
  readonly reporter: Reporter
}

const AGAIN_MS = 1000
const LONGEST_AGAIN_MS = 60_000
const GRACE_MS = 5000

/** Resolves when it has ended for good. */
export const runWorker = async (o: WorkerProcessOptions, stop: AbortSignal): Promise<void> => {
  for (let pauseMs = AGAIN_MS; !stop.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_AGAIN_MS)) {
    const own = {
      program: 'plumb',
      args: wordsOf(o),
      files: o.files,
      entry: o.spec,
      readsSpec: true,
      hasNoBudget: true,
      graceSeconds: ORPHAN_SECONDS,
      env: envOf(o),
    } as const
    const started = spawnPlumb(own)
    if (!started.ok) return o.reporter.report(started.error)
    const { child } = started.value
    const end = (): void => void child.terminate(GRACE_MS)
    stop.addEventListener('abort', end, { once: true })
    if (stop.aborted) end()
    child.stdin.end(() => {})
    child.stdout.on('data', () => {})
    passStderr(child.stderr, o.reporter)
    const { status, signal } = await child.exited
    stop.removeEventListener('abort', end)
    if (stop.aborted) return
    o.reporter.warn(
      fault('child_failed', `the worker of '${o.binding}' has ended by ${signal ?? `status ${status}`}, and is started again`),
    )
    await pause(pauseMs, stop)
  }
}

const pause = (ms: number, stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    stop.addEventListener('abort', end, { once: true })
  })

const envOf = ({ database }: WorkerProcessOptions): Record<string, string> => {
  const more = Object.keys(process.env).filter((name) => /^(OTEL_|PG)/.test(name))
  return { ...childEnv('ours', more), PLUMB_ON: database.url }
}

const wordsOf = ({ binding, options, database }: WorkerProcessOptions): string[] => {
  const { spec, agents, permissions, programs, run, display, lines } = options
  return [
    ...['work', '--binding', binding, '--status-every', '0', '--retry-after', '1'],
    ...(database.isInsecure ? ['--insecure-database'] : []),
    ...['--max-line', String(lines.maxLine), '--max-in-flight', String(run.maxInFlight)],
    ...optionWords(RUN_GROUPS.spec, { ...spec, eval: undefined, sourcesFd: undefined }),
    ...optionWords(RUN_GROUPS.agents, agents),
    ...optionWords(RUN_GROUPS.permissions, permissions),
    ...optionWords(RUN_GROUPS.programs, programs),
    ...(display.prices === undefined ? [] : ['--prices', display.prices]),
  ]
}

/** What it says goes to the server's own stderr; its errors do not end the server. */
const passStderr = (stderr: ConstructorParameters<typeof LineReader>[0], reporter: Reporter): void => {
  const reader = new LineReader(stderr, {
    onReadable: () => {
      while (reader.next()) {
        const read = parseJson(reader.buf, reader.start, reader.end)
        const said = read.ok ? readReported(read.value) : undefined
        if (said) reporter.warn(said.fault)
      }
    },
  })
}
