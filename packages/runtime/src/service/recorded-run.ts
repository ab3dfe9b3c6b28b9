// A run with a record of its own: `plumb run` as a process, which goes on with its record where it was stopped, and asks and does nothing twice.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Consent, consentText } from '@plumb/ledger'
import { skippedWhy } from '@plumb/ledger/approval'
import {
  childEnv,
  compileSchema,
  type Fault,
  fault,
  flawText,
  LineReader,
  type LineSink,
  NumberedLine,
  optionWords,
  parseJson,
  type Reporter,
  readReported,
  type SourceFiles,
  spawnPlumb,
} from '@plumb/wire'
import { memberText } from '@plumb/wire/json'
import type { AgentTelemetry } from '../event/run-event.js'
import { RUN_GROUPS, type RunOptions } from '../options/run-options.js'
import type { AskPerson } from '../person/person-agent.js'
import { RUN_FILE } from '../record/directory.js'
import type { TelemetryListener } from './request-events.js'
import type { AskedApproval } from './warm-process.js'

export interface RecordedRunOptions {
  readonly spec: string
  readonly binding: string
  readonly files: SourceFiles
  readonly options: RunOptions
  /** Of its record; it goes on with one that is there. */
  readonly directory: string
  readonly input: Buffer
  readonly signal: AbortSignal
  readonly reporter: Reporter
  /** The span that it is a part of. */
  readonly traceparent?: string | undefined
}

export interface RecordedRunPorts {
  readonly stdout: LineSink
  readonly telemetry: TelemetryListener | undefined
  /** Errors that belong to no input. */
  readonly report: (fault: Fault) => void
  readonly approve: (asked: AskedApproval & { readonly agent: string }) => Promise<Consent>
  readonly ask: AskPerson
}

/** A process of the server before may not have ended yet. */
const TRIES = 20
const RETRY_MS = 500
const STOP_MS = 2000
const ANSWERS_FD = 6
/** When the server is killed, what is asked of models already is kept before the process ends. */
export const ORPHAN_SECONDS = 10

export const runRecorded = async (options: RecordedRunOptions, ports: RecordedRunPorts): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const ended = await runOnce(options, ports)
    if (ended !== 'held' || options.signal.aborted) return
    if (tries === TRIES) return ports.report(fault('record_invalid', `the record of this run is held by another process`))
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

const runOnce = async (o: RecordedRunOptions, ports: RecordedRunPorts): Promise<'held' | 'over'> => {
  const { stdout, telemetry, report } = ports
  const own = { program: 'plumb', args: wordsOf(o), files: o.files, entry: o.spec, readsSpec: true, env: envOf(o) } as const
  const started = spawnPlumb({ ...own, fds: { [ANSWERS_FD]: 'in' }, graceSeconds: ORPHAN_SECONDS })
  if (!started.ok) {
    report(started.error)
    return 'over'
  }
  const { child } = started.value
  const stop = (): void => void child.terminate(STOP_MS)
  o.signal.addEventListener('abort', stop, { once: true })
  if (o.signal.aborted) stop()
  const faults = readFaults(child.stderr, o.reporter)
  const answers = child.fds.get(ANSWERS_FD) as LineSink
  answers.on('error', () => {})
  const read = passLines(child.stdout, { to: stdout, telemetry, asked: (json) => void answer(json, ports, o.signal, answers) })
  child.stdin.on('error', () => {})
  child.stdin.write(o.input, () => {})
  child.stdin.end(() => {})
  const { status, signal } = await child.exited
  answers.end(() => {})
  await read
  o.signal.removeEventListener('abort', stop)
  if (o.signal.aborted) return 'over'
  if (status === 2 && faults.some(({ error, pid }) => error === 'record_invalid' && pid !== undefined)) return 'held'
  for (const one of faults) report(one)
  if (signal !== null) report(fault('child_failed', `the process of this run was ended by ${signal}`))
  return 'over'
}

/** It sends its spans itself. */
const envOf = ({ traceparent }: RecordedRunOptions): Record<string, string> => {
  const collector = Object.keys(process.env).filter((name) => name.startsWith('OTEL_'))
  return { ...childEnv('ours', collector), ...(traceparent === undefined ? {} : { TRACEPARENT: traceparent }) }
}

const wordsOf = ({ binding, directory, options }: RecordedRunOptions): string[] => {
  const { spec, agents, permissions, programs, run, display } = options
  const goesOn = existsSync(join(directory, RUN_FILE))
  return [
    ...[
      'run',
      '--binding',
      binding,
      '--numbered',
      '--no-envelopes',
      '--telemetry',
      '--answers-fd',
      String(ANSWERS_FD),
      '--no-progress',
      goesOn ? '--resume' : '--record',
      directory,
    ],
    ...['--max-line', String(options.lines.maxLine), '--max-in-flight', String(run.maxInFlight)],
    ...optionWords(RUN_GROUPS.spec, { ...spec, eval: undefined, sourcesFd: undefined }),
    ...optionWords(RUN_GROUPS.agents, agents),
    ...optionWords(RUN_GROUPS.permissions, permissions),
    ...optionWords(RUN_GROUPS.programs, programs),
    ...(display.prices === undefined ? [] : ['--prices', display.prices]),
  ]
}

type Lines = ConstructorParameters<typeof LineReader>[0]

/** Errors without an input; what else it says goes to the server's own stderr. */
const readFaults = (stderr: Lines, reporter: Reporter): Fault[] => {
  const faults: Fault[] = []
  const reader = new LineReader(stderr, {
    onReadable: () => {
      while (reader.next()) {
        const read = parseJson(reader.buf, reader.start, reader.end)
        const said = read.ok ? readReported(read.value) : undefined
        if (said?.severity === 'error') faults.push(said.fault)
        else if (said) reporter.warn(said.fault)
      }
    },
  })
  return faults
}

interface PassedLines {
  readonly to: LineSink
  readonly telemetry: TelemetryListener | undefined
  /** A question for a person. */
  readonly asked: (json: string) => void
}

/** The process says by its own type whether an answer fits, and asks again where it does not. */
const answer = async (json: string, { approve, ask }: RecordedRunPorts, signal: AbortSignal, answers: LineSink): Promise<void> => {
  const said = JSON.parse(json) as Readonly<Record<string, unknown>>
  const { id, kind, schema } = said
  const agent = String(said.agent ?? said.tool)
  const input = memberText(Buffer.from(json), 'input') ?? 'null'
  const reply = (message: string): void => void answers.write(Buffer.from(`${message}\n`), () => {})
  if (kind === 'approval') {
    const wrong = typeof said.wrong === 'string' ? said.wrong : undefined
    return reply(consentText(String(id), await approve({ agent, tool: String(said.tool), input, wrong })))
  }
  const answered = await ask({ agent, prompt: String(said.prompt), input, schema, check: answerCheck(schema), n: 0 }, signal)
  if (answered.ok) reply(`{"answer":${JSON.stringify(id)},"value":${answered.value}}`)
  else reply(JSON.stringify({ skip: id, why: skippedWhy(answered.error) }))
}

/** What is wrong with an answer, as JSON text. */
export const answerCheck = (schema: unknown): ((json: string) => Fault | undefined) => {
  const compiled = compileSchema(schema)
  return (text) => {
    const [flaw] = compiled.ok ? compiled.value(JSON.parse(text)) : []
    return flaw && fault('output_type_mismatch', `the answer does not fit: ${flawText(flaw)}`)
  }
}

/** Outcomes go on as they come, telemetry to its listener. */
const passLines = (from: Lines, { to, telemetry, asked }: PassedLines): Promise<void> =>
  new Promise((resolve) => {
    const line = new NumberedLine(true)
    const reader = new LineReader(from, {
      maxLine: Number.MAX_SAFE_INTEGER,
      onReadable: () => {
        while (reader.next()) {
          if (line.read(reader.buf, reader.start, reader.end) && line.kind === 'telemetry') {
            const read = parseJson(reader.buf, line.start, line.end)
            if (read.ok) telemetry?.(read.value as AgentTelemetry)
          } else if (line.kind === 'value' && line.seq === 0 && line.port === 'ctrl_out')
            asked(reader.buf.toString('utf8', line.start, line.end))
          else to.write(Buffer.concat([reader.buf.subarray(reader.start, reader.end), NEWLINE]), () => {})
        }
        if (reader.hasEnded) resolve()
      },
    })
  })

const NEWLINE = Buffer.from('\n')
