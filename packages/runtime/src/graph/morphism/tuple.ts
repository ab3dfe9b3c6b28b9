// What both kinds of barriers write and report: tuples, and messages that found no partner.

import type { Sink } from '@plumb/lang'
import { fault, isTooDeep } from '@plumb/wire'
import type { Outlet } from '../channel.js'
import { rangesOf } from '../input-context.js'
import { Origin } from '../origin.js'
import type { RunContext } from '../run-context.js'

/** The brackets and the comma of a tuple. */
export const MARKS = Buffer.from('[,]')

type Reporting = Pick<RunContext, 'current' | 'report'>
type Sending = Pick<RunContext, 'report' | 'maxLine'>

/** Sends what was committed to the sink. False: it was too large to be written, or is nested too deep, which is reported. */
export const sendTuple = (
  sink: Sink,
  isTooLarge: boolean,
  outlet: Outlet | undefined,
  name: string,
  { report, maxLine }: Sending,
): boolean => {
  if (isTooLarge) {
    const detail = `a tuple of '${name}' would be larger than ${maxLine.toLocaleString('en')} bytes: take less of each part, as in map(field)`
    report(fault('too_large', detail, { process: name }))
    return false
  }
  if (isTooDeep(sink.buf, sink.start, sink.end)) {
    report(fault('too_deep', `a tuple of '${name}' would be nested more than 512 deep`, { process: name }))
    return false
  }
  outlet?.send(sink.buf, sink.start, sink.end)
  return true
}

export interface Unpaired {
  /** By branch. */
  readonly left: readonly number[]
  readonly branches: readonly string[]
  /** The inputs that they stem from. */
  readonly seqs: ReadonlySet<number>
}

/** `when`: `ended with`, or `has`. */
export const reportUnpaired = (name: string, when: string, { left, branches, seqs }: Unpaired, { current, report }: Reporting): void => {
  const shown = left.flatMap((n, i) => (n > 0 ? [`${n} of '${branches[i] || `branch ${i + 1}`}'`] : [])).join(', ')
  const ranges = rangesOf([...seqs].sort((a, b) => a - b))
  const inputs = ranges.length === 0 ? {} : { seqs: ranges }
  const before = current.enter(Origin.unknown())
  report(fault('unpaired', `'${name}' ${when} messages that found no partner: ${shown}`, { process: name, left, ...inputs }))
  current.leave(before)
}

/** The inputs that a message stems from. */
export const seqsOf = ({ seq, seqs }: Origin): readonly number[] => (seqs.length > 0 ? seqs : seq > 0 ? [seq] : [])
