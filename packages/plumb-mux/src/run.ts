// Runs the executable once its options are known: opens files and descriptors, passes signals on, and ends as the command ended.

import type { Readable } from 'node:stream'
import {
  dieOf,
  type Fault,
  FDS,
  type FdName,
  fault,
  inheritedFds,
  onStop,
  openLineInput,
  openLineOutput,
  parseFds,
  preview,
  Reporter,
  type Result,
  type StopSignal,
  succeed,
} from '@plumb/wire'
import type { MuxArguments } from './options.js'
import { playBack, splitPorts } from './play-back.js'
import { ALL_FDS, fdPortsOf } from './port.js'
import { openRecord, replay } from './replay.js'
import type { MuxSession } from './session.js'
import { openTee, type Tee } from './tee.js'
import { unwrap } from './unwrap.js'
import { wrap } from './wrap.js'

type Report = (fault: Fault) => void

/** How this process ends: with an exit status, or by a signal. */
type End = number | StopSignal

/** Resolves to the exit status when everything has been written. When a signal ended the command, this process dies of the same signal. */
export const runMux = async (options: MuxArguments, program: string): Promise<number> => {
  const reporter = new Reporter(program)
  const report: Report = (error) => {
    reporter.report(error)
    reporter.flush()
  }
  const end = await runSession(options, report)
  await reporter.end()
  if (typeof end === 'number') return Math.max(end, reporter.status)
  dieOf(end)
  return 1
}

// Reports everything that is wrong before it starts anything.
const runSession = async (options: MuxArguments, report: Report): Promise<End> => {
  const { command, isUnwrapped, maxLine } = options
  const fds = selectFds(options)
  const record = options.replay === undefined ? succeed(undefined) : openRecord(options.replay)
  const tee = options.tee === undefined ? succeed(undefined) : openTee(options.tee, report)
  const wrong = [fds, record, tee].flatMap((result) => (result.ok ? [] : [result.error]))
  for (const error of wrong) report(error)
  if (!fds.ok || !record.ok || !tee.ok) return 2

  if (command.length === 0 && record.value) {
    await playBack(replay(record.value, 'out', maxLine, report), isUnwrapped ? fds.value : undefined, maxLine, report)
    return 0
  }
  const session = startSession(options, { fds: fds.value, maxLine, record: record.value, tee: tee.value, report })
  const end = session.ok ? await waitForEnd(session.value, command, report) : 2
  if (!session.ok) report(session.error)
  await tee.value?.end()
  return end
}

// Always calls inheritedFds: it also removes the launcher's findings from the environment, which is not for the command.
const selectFds = ({ isUnwrapped, fds }: MuxArguments): Result<ReadonlySet<number>> => {
  const inherited = inheritedFds(isUnwrapped ? fds : undefined)
  if (isUnwrapped) return inherited
  return fds === undefined ? succeed(ALL_FDS) : parseFds(fds)
}

interface SessionParts {
  readonly fds: ReadonlySet<number>
  readonly maxLine: number
  readonly record: Readable | undefined
  readonly tee: Tee | undefined
  readonly report: Report
}

const startSession = (
  { command, isUnwrapped, tellsUnreadable }: MuxArguments,
  { fds, maxLine, record, tee, report }: SessionParts,
): Result<MuxSession> => {
  const common = { command, maxLine, onFault: report, ...(tee ? { tee } : {}) }
  const recorded = record && replay(record, 'in', maxLine, report)
  if (!isUnwrapped)
    return wrap({ ...common, fds, tellsUnreadable, input: recorded ?? openLineInput(FDS.input), output: openLineOutput(FDS.output) })
  const open = (port: FdName) => [port, openLineInput(FDS[port])] as const
  const inputs = recorded ? splitPorts(recorded, maxLine, report) : new Map(fdPortsOf('in', fds).map(open))
  return unwrap({ ...common, inputs, outputs: new Map(fdPortsOf('out', fds).map((port) => [port, openLineOutput(FDS[port])])) })
}

// The command may handle the first signal; the second one kills it.
const waitForEnd = async (session: MuxSession, command: readonly string[], report: Report): Promise<End> => {
  let stoppedBy: StopSignal | undefined
  let isForced = false
  const forget = onStop(
    (signal) => {
      stoppedBy = signal
      session.kill(signal)
    },
    (signal) => {
      stoppedBy = signal
      isForced = true
      session.kill('SIGKILL')
      session.hangUp()
    },
    { mayStay: true },
  )
  const { status, signal, isHungUp } = await session.ended
  forget()
  if (stoppedBy && (signal || isForced || isHungUp)) return stoppedBy
  if (isHungUp) return 0
  if (signal) report(fault('child_failed', `'${preview(command[0] ?? '')}' was ended by ${signal}; what it had written was passed on`))
  return status ?? 1
}
