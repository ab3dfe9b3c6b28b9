// plumb run --on: its options, and its end.

import { randomBytes } from 'node:crypto'
import { readPrices } from '@plumb/ledger'
import { RunDisplay } from '@plumb/runtime/display'
import type { RunEvent } from '@plumb/runtime/event'
import type { RunOptions } from '@plumb/runtime/options'
import { openLineFile, Rejects, refuseElsewhere } from '@plumb/runtime/record'
import { beginOf } from '@plumb/runtime/run'
import {
  dieOf,
  type Fault,
  fail,
  fault,
  LineReader,
  LineWriter,
  onStop,
  openLineInput,
  openLineOutput,
  preview,
  Reporter,
  type Result,
  type StopSignal,
  succeed,
  writeStdout,
} from '@plumb/wire'
import { openKeptRun } from './kept-run.js'
import type { LendingLimits } from './lending.js'
import { type LoadedRun, loadRun } from './loaded-run.js'
import { openOutputFile } from './output-file.js'
import { RunCounts } from './run-counts.js'
import { partsText, type RunPlan } from './run-plan.js'
import { SharedCache } from './shared-cache.js'
import { type SubmitOptions, Submitter } from './submitter.js'

/** Resolves to the exit status; a submission that was stopped by a signal dies of it. */
export const submit = async (path: string | undefined, options: RunOptions, url: string): Promise<number> => {
  const display = new RunDisplay(options.display, { isChild: false })
  const reporter = new Reporter('plumb', () => display.openStderr())
  let stoppedBy: StopSignal | undefined
  const { workers, lines } = options
  const { name = `run-${randomBytes(5).toString('hex')}`, isDetached } = workers
  const limits = limitsOf(options)
  if (!limits.ok) reporter.report(limits.error)
  const run = limits.ok && NAME.test(name) ? await loadRun(path, options, reporter) : undefined
  if (!NAME.test(name)) reporter.report(fault('usage', "the name of a run is 1 to 63 small letters, digits and '-'"))
  const pins = run ? pinsOf(workers.pins, run.plan) : succeed(new Map<number, string>())
  if (!pins.ok) reporter.report(pins.error)
  const { record } = options.recording
  const isWritten = record !== undefined || options.display.trace !== undefined
  const cache = run && options.kept.cache !== undefined ? openCache(options.kept.cache, run, options, reporter) : succeed(undefined)
  if (!cache.ok) reporter.report(cache.error)
  const ofSpec = run && { loaded: run.loaded, bound: run.bound, graph: run.graph, spec: path ?? '' }
  const kept = ofSpec && pins.ok && isWritten ? await openKeptRun({ ...ofSpec, options, display, reporter }) : succeed(undefined)
  if (!kept.ok) reporter.report(kept.error)
  const output = run && workers.output !== undefined ? openOutputFile(workers.output) : succeed(undefined)
  if (!output.ok) reporter.report(output.error)
  if (run && limits.ok && output.ok && pins.ok && kept.ok && cache.ok) {
    const wake = (): void => submitter.wake()
    const reader = new LineReader(openLineInput(0), {
      maxLine: lines.maxLine,
      raw: lines.rawInput,
      onReadable: wake,
      onOversize: (piece, isEnd) => submitter.rejectPiece(piece, isEnd),
    })
    const writer = new LineWriter(output.value ? openLineOutput(output.value.fd) : display.openStdout(), {
      raw: lines.rawOutput,
      onDrain: wake,
      onClosed: () => submitter.stop(),
      onFault: (error) => submitter.failWith(error),
    })
    const { emit, shown } = openShown(display, run, beginOf(run.graph, path ?? '', options), reporter, isDetached)
    const submitter: Submitter = new Submitter({
      ...workers,
      url,
      isKept: workers.isKept || isWritten,
      pins: pins.value,
      kept: kept.value,
      cache: cache.value,
      name,
      plan: run.plan,
      limits: limits.value,
      deadlineMs: options.limits.deadlineMs,
      isFailFast: options.run.isFailFast,
      isNumbered: lines.hasSeq,
      openRejects: rejectsOf(options, (error) => reporter.report(error)),
      reader,
      writer,
      output: output.value,
      shown,
      reporter,
    })
    const forget = onStop(
      (signal) => {
        stoppedBy = signal
        submitter.stop()
      },
      () => process.exit(1),
    )
    const failed = await submitter.run()
    if (failed && !stoppedBy) reporter.report(failed)
    reader.stop()
    await writer.end()
    emit({ ms: 0, kind: 'end', status: reporter.status, stoppedBy: stoppedBy ?? null })
    await kept.value?.end(reporter.status, stoppedBy ?? null)
    if (isDetached && !failed) await writeStdout(`${name}\n`)
    forget()
  }
  await reporter.end()
  if (stoppedBy) dieOf(stoppedBy)
  return reporter.status
}

// Counts are shown while a submission waits for its outcomes.
const openShown = (
  display: RunDisplay,
  { plan }: LoadedRun,
  begin: ReturnType<typeof beginOf>,
  reporter: Reporter,
  isDetached: boolean,
): { emit: (event: RunEvent) => void; shown: SubmitOptions['shown'] } => {
  if (isDetached || !display.isCounting) return { emit: () => {}, shown: undefined }
  const counts = new RunCounts(plan)
  const listeners = display.openCounts(reporter, counts)
  const emit = (event: RunEvent): void => {
    for (const listener of listeners) listener.on(event)
  }
  return { emit, shown: { counts, onBegun: (ms) => emit({ ms, ...begin }) } }
}

const openCache = (path: string, { graph }: LoadedRun, { kept: { isCacheOnly: isOnly } }: RunOptions, reporter: Reporter) => {
  const refused = isOnly ? refuseElsewhere(graph) : undefined
  return refused ? fail(refused.error, refused.detail) : SharedCache.open({ path, isOnly, warn: (warning) => reporter.warn(warning) })
}

const rejectsOf = ({ recording, lines }: RunOptions, report: (error: Fault) => void): SubmitOptions['openRejects'] => {
  const { rejects: path } = recording
  if (path === undefined) return undefined
  return (isAppended) => {
    const file = openLineFile({ path, isAppended, delayMs: 0, fail: report })
    return file.ok ? succeed(new Rejects({ file: file.value, isRaw: lines.rawInput })) : file
  }
}

/** As the run stores them. Undefined: none are given, and its present ones stay. */
const limitsOf = ({ limits, display }: RunOptions): Result<string | undefined> => {
  const { maxCost, maxCalls, maxTotalTokens } = limits
  if ([maxCost, maxCalls, maxTotalTokens].every((limit) => limit === undefined)) return succeed(undefined)
  const prices = display.prices === undefined ? succeed(undefined) : readPrices(display.prices)
  if (!prices.ok) return prices
  const kept: LendingLimits = { calls: maxCalls ?? null, tokens: maxTotalTokens ?? null, cost: maxCost ?? null, prices: prices.value }
  return succeed(JSON.stringify(kept))
}

/** By the numbers of parts. */
const pinsOf = (given: readonly string[], plan: RunPlan): Result<ReadonlyMap<number, string>> => {
  const pins = new Map<number, string>()
  for (const pin of given) {
    const [, name = '', label = ''] = /^(.+)=([^=]+)$/.exec(pin) ?? []
    if (label === '') return fail('usage', `--pin takes PART=LABEL, not '${preview(pin)}'`)
    const part = plan.parts.find((one) => name === one.name || name === String(one.id))
    if (!part) return fail('usage', `--pin ${preview(name)}: ${partsText(plan)}`)
    pins.set(part.id, label)
  }
  const free = plan.parts.find(({ id, isFixed }) => isFixed && !pins.has(id))
  const refusal = free && plan.refusals.get(free.id)
  return refusal ? { ok: false, error: refusal } : succeed(pins)
}

const NAME = /^[a-z0-9-]{1,63}$/
