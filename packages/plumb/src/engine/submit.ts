// plumb run --on: what the command line says of it, and its end.

import { randomBytes } from 'node:crypto'
import {
  dieOf,
  type Fault,
  fault,
  LineReader,
  LineWriter,
  onStop,
  openLineInput,
  openLineOutput,
  openOutput,
  Reporter,
  type Result,
  readPrices,
  type StopSignal,
  succeed,
  writeStdout,
} from '@plumb/wire'
import { openLineFile } from '../record/line-file.js'
import { Rejects } from '../record/rejects.js'
import type { RunOptions } from '../run/run-options.js'
import type { LendingLimits } from './lending.js'
import { loadRun } from './loaded-run.js'
import { openOutputFile } from './output-file.js'
import { type SubmitOptions, Submitter } from './submitter.js'

export interface SubmitFlags {
  readonly url: string
  readonly isInsecure: boolean
  readonly patienceSeconds: number
  readonly name: string | undefined
  readonly isDetached: boolean
  readonly isOrdered: boolean
  readonly unservedSeconds: number
  /** A file in place of stdout. */
  readonly output: string | undefined
}

/** Resolves to the exit status; a submission that was stopped by a signal dies of it. */
export const submit = async (path: string | undefined, options: RunOptions, flags: SubmitFlags): Promise<number> => {
  const reporter = new Reporter('plumb')
  let stoppedBy: StopSignal | undefined
  const { name = `run-${randomBytes(5).toString('hex')}`, isDetached } = flags
  const limits = limitsOf(options)
  if (!limits.ok) reporter.report(limits.error)
  const run = limits.ok && NAME.test(name) ? await loadRun(path, options, reporter) : undefined
  if (!NAME.test(name)) reporter.report(fault('usage', "the name of a run is 1 to 63 small letters, digits and '-'"))
  const output = run && flags.output !== undefined ? openOutputFile(flags.output) : succeed(undefined)
  if (!output.ok) reporter.report(output.error)
  if (run && limits.ok && output.ok) {
    const wake = (): void => submitter.wake()
    const reader = new LineReader(openLineInput(0), {
      maxLine: options.maxLine,
      raw: options.rawInput,
      onReadable: wake,
      onOversize: (piece, isEnd) => submitter.rejectPiece(piece, isEnd),
    })
    const writer = new LineWriter(output.value ? openLineOutput(output.value.fd) : openOutput(1), {
      raw: options.rawOutput,
      onDrain: wake,
      onClosed: () => submitter.stop(),
      onFault: (error) => submitter.failWith(error),
    })
    const submitter: Submitter = new Submitter({
      ...flags,
      name,
      plan: run.plan,
      limits: limits.value,
      deadlineMs: options.limits.deadlineMs,
      isFailFast: options.isFailFast,
      isNumbered: options.isNumbered,
      openRejects: rejectsOf(options, (error) => reporter.report(error)),
      reader,
      writer,
      output: output.value,
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
    if (isDetached && !failed) await writeStdout(`${name}\n`)
    forget()
  }
  await reporter.end()
  if (stoppedBy) dieOf(stoppedBy)
  return reporter.status
}

const rejectsOf = ({ recording, rawInput }: RunOptions, report: (error: Fault) => void): SubmitOptions['openRejects'] => {
  const { rejects: path } = recording
  if (path === undefined) return undefined
  return (isAppended) => {
    const file = openLineFile({ path, isAppended, delayMs: 0, fail: report })
    return file.ok ? succeed(new Rejects({ file: file.value, isRaw: rawInput })) : file
  }
}

/** As the run keeps them; undefined: none are given, and those that it has stay. */
const limitsOf = ({ limits, display }: RunOptions): Result<string | undefined> => {
  const { maxCost, maxCalls, maxTotalTokens } = limits
  if ([maxCost, maxCalls, maxTotalTokens].every((limit) => limit === undefined)) return succeed(undefined)
  const prices = display.prices === undefined ? succeed(undefined) : readPrices(display.prices)
  if (!prices.ok) return prices
  const kept: LendingLimits = { calls: maxCalls ?? null, tokens: maxTotalTokens ?? null, cost: maxCost ?? null, prices: prices.value }
  return succeed(JSON.stringify(kept))
}

const NAME = /^[a-z0-9-]{1,63}$/
