// How the calls that wait for approval are shown, and which decisions are valid: for a record, and for a run by workers.

import { isItself, type ListedCall, stateNow } from '@plumb/ledger/approval'
import { fail, fault, nearest, parseJson, preview, type Result, succeed } from '@plumb/wire'

export interface ApproveOptions {
  readonly deny: boolean
  readonly why: string | undefined
  readonly until: string | undefined
}

/** One line of JSON. */
export const showCall = (call: ListedCall): string => {
  const { id, tool, input, digest, process, why, since, said, untilMs } = call
  const head = JSON.stringify({ id, tool }).slice(0, -1)
  const until = untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }
  const tail = JSON.stringify({
    digest,
    process,
    why,
    since,
    state: stateNow(call, Date.now()),
    ...(said === undefined ? {} : { said }),
    ...until,
  })
  return `${head},"input":${shownJson(input)},${tail.slice(1)}`
}

/**
 * A value within a line that a person decides by: as it came, with all digits of its numbers, but on that one line. What is not a value, as
 * somebody has put it there, is a text.
 */
export const shownJson = (json: string): string => {
  const bytes = Buffer.from(json)
  return parseJson(bytes, 0, bytes.length).ok ? json.replace(/[\r\n\t]+/g, ' ') : JSON.stringify(json)
}

export const refusalOf = (id: string, calls: ReadonlyMap<string, ListedCall>): Result<void> => {
  const call = calls.get(id)
  if (call?.state === 'done') return fail('usage', `the call '${preview(id)}' is made: nothing is left to decide`)
  if (call && !isItself(call))
    return fail(
      'record_invalid',
      `the call '${preview(id)}' does not fit its id and digest: somebody has changed it, and it is not decided`,
    )
  if (call) return succeed(undefined)
  const near = nearest(id, [...calls.keys()])
  return fail(
    'usage',
    `no call has the id '${preview(id)}'${near === undefined ? "; 'plumb approvals' lists them" : `; did you mean '${near}'?`}`,
  )
}

// With a zone, or a day: a time without one would depend on the machine.
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** Milliseconds since 1970. */
export const readDeadline = (text: string): Result<number> => {
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) return fail('usage', `--until takes a time such as 2030-01-31T18:00Z, not '${preview(text)}'`)
  return ms > Date.now() ? succeed(ms) : { ok: false, error: fault('usage', `--until ${preview(text)} is over`) }
}
