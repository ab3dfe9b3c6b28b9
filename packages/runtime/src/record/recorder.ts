// Records a run (--record DIR): the messages of each wire, the answers of agents, and all other events.

import { rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Fault, type Result, scrub, succeed } from '@plumb/wire'
import { atOwnPath } from '@plumb/wire/output'
import { version } from '../../package.json'
import { lineText, type RunEvent, type RunListener, type WireInfo } from '../event/run-event.js'
import { ANSWERS_FILE, EVENTS_FILE, INDEX_FILE, type RunFile, writeRunFile } from './directory.js'
import { openGrowing } from './growing-file.js'
import type { RunIdentity } from './identity.js'
import { type LineFile, type LineFileOptions, openLineFile } from './line-file.js'
import { keepAnswersOf } from './resume/read-answers.js'

export interface RecordDirectory {
  /** It exists, and holds nothing but the record. */
  readonly directory: string
  /** Files that are emptied if the disk is full, in this order: answers, which were paid for, matter more. */
  readonly spare: LineFile[]
}

export interface RecorderOptions extends RecordDirectory {
  readonly identity: RunIdentity
  readonly wires: readonly WireInfo[]
  /** Events are appended to those of the resumed run, and so are answers of those processes. Undefined: none is resumed. */
  readonly resumed: ReadonlySet<string> | undefined
  readonly spec: string
  readonly binding: string
  /** Called once for each file that cannot be written; the run continues without it. */
  readonly report: (fault: Fault) => void
}

const WIRE_DELAY_MS = 100

export const openRecorder = (options: RecorderOptions): Result<RunListener> => {
  const { directory, spare, identity, wires, resumed, spec, binding, report } = options
  const isAppended = resumed !== undefined
  const open = (name: string, delayMs: number, more: Partial<LineFileOptions> = {}): Result<LineFile> =>
    openLineFile({ path: join(directory, name), delayMs, fail: report, ...more })
  const began = new Date().toISOString()
  const run: RunFile = { format: 1, plumb: version, spec, binding, ...identity, wires, pid: process.pid, host: hostname(), began }
  // First of all: a directory without run.json does not count as a record.
  const failure = writeRunFile(directory, run)
  if (failure) return { ok: false, error: failure }
  if (resumed) removeIndex(directory)
  const lost = resumed && keepAnswersOf(directory, resumed)
  if (lost) return { ok: false, error: lost }
  const answers = open(ANSWERS_FILE, 0, { isAppended, spare })
  if (!answers.ok) return answers
  const events = open(EVENTS_FILE, WIRE_DELAY_MS, { isAppended })
  if (!events.ok) return events
  const files: LineFile[] = []
  for (const { name } of wires) {
    const file = open(`${name}.jsonl`, WIRE_DELAY_MS)
    if (!file.ok) return file
    files.push(file.value)
  }
  spare.push(...files, events.value)

  const growing = openGrowing(directory)
  const exchanges = openExchanges((line) => answers.value.add(scrub(JSON.stringify(line))))
  return succeed({
    on: (event) => {
      if (event.kind === 'message') {
        files[event.wire.index - 1]?.add(event.buf.subarray(event.start, event.end))
        return
      }
      exchanges(event)
      growing(event)
      const line = eventLine(event)
      if (line) events.value.add(scrub(JSON.stringify(line)))
      if (event.kind !== 'end') return
      for (const file of [answers.value, events.value, ...files]) file.flush()
      const end = { ended: new Date().toISOString(), status: event.status, ...(event.stoppedBy ? { stopped_by: event.stoppedBy } : {}) }
      const failure = writeRunFile(directory, { ...run, ...end })
      if (failure) report(failure)
    },
  })
}

// An earlier release wrote it, of lines that are not written again. Where it cannot be removed, its checksums do not fit.
const removeIndex = (directory: string): void => {
  try {
    atOwnPath(join(directory, INDEX_FILE), (at) => rmSync(at, { force: true }))
  } catch {}
}

/** What has come of a message that may have any number of outputs. */
interface Outcomes {
  readonly seq: number
  readonly all: readonly object[]
}

// Exchanges of agents, and calls of maps; nested plumbs keep their own.
const openExchanges = (write: (line: unknown) => void) => {
  const inputs = new Map<string, string>()
  const plumbs = new Set<string>()
  const numbered = new Map<string, Map<number, Outcomes>>()
  const takeInput = (process: string, n: number): string | undefined => {
    const key = `${n} ${process}`
    const input = inputs.get(key)
    inputs.delete(key)
    return input
  }
  return (event: RunEvent): void => {
    switch (event.kind) {
      case 'spawned':
        if (event.runs === 'plumb') plumbs.add(event.process)
        if (event.isNumbered) numbered.set(event.process, new Map())
        return
      case 'asked':
        if (!plumbs.has(event.process)) inputs.set(`${event.n} ${event.process}`, lineText(event))
        return
      case 'answered':
      case 'refused': {
        const { process, n, seq } = event
        const outcome = event.kind === 'answered' ? { output: lineText(event) } : { fault: event.fault }
        const whole = numbered.get(process)
        if (whole) return void whole.set(n, { seq, all: [...(whole.get(n)?.all ?? []), outcome] })
        const input = takeInput(process, n)
        if (input !== undefined) write({ process, seq, input, ...outcome })
        return
      }
      // An input that had no output or several is asked again, and so is one that was cut short.
      case 'whole': {
        const { process, n } = event
        const { seq = 0, all = [] } = numbered.get(process)?.get(n) ?? {}
        const [outcome, another] = all
        const input = takeInput(process, n)
        numbered.get(process)?.delete(n)
        if (input !== undefined && outcome && !another) write({ process, seq, input, ...outcome })
        return
      }
      case 'called': {
        const { process, seq, input, result, call } = event
        write({ process, seq, input, call, ...outcomeOf(result) })
        return
      }
      case 'called_part': {
        const { process, seq, of, call, tool, input, result } = event
        write({ process, seq, of, call, tool, input, ...outcomeOf(result) })
        return
      }
      case 'telemetry':
        if (event.telemetry.kind === 'remembered') write({ process: event.process, remembered: event.telemetry.messages })
        return
      default:
        return
    }
  }
}

const outcomeOf = (result: Result<string>) => (result.ok ? { output: result.value } : { fault: result.error })

const NOT_KEPT = new Set(['text', 'partial', 'thinking', 'output', 'remembered', 'exchange'])

// Without what is in other files.
const eventLine = (event: RunEvent): object | undefined => {
  switch (event.kind) {
    case 'message':
    case 'input':
    case 'called':
    case 'called_part':
    case 'whole':
      return undefined
    case 'begin': {
      const { dot: _, wires: __, ...rest } = event
      return rest
    }
    case 'asked':
    case 'answered': {
      const { buf: _, start: __, end: ___, ...rest } = event
      return rest
    }
    case 'telemetry':
      return NOT_KEPT.has(event.telemetry.kind) ? undefined : event
    default:
      return event
  }
}
