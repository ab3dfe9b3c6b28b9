// How the calls that wait for approval are shown, and which decisions are valid: for a record, and for a run by workers.

import { type Decision, fitInput, isItself, type ListedCall, stateNow } from '@plumb/ledger/approval'
import {
  escapeControls,
  escapeLines,
  fail,
  fault,
  nearest,
  parseJson,
  preview,
  type Result,
  stdoutColumns,
  stdoutIsStyled,
  succeed,
  wrappedTable,
} from '@plumb/wire'

export interface ApproveOptions {
  readonly deny: boolean
  readonly why: string | undefined
  readonly until: string | undefined
  /** Another input for the one call, as JSON text. */
  readonly edit: string | undefined
}

export interface ShownAs {
  /** How the record or the run is named on a command line. */
  readonly of: string
  readonly isJson: boolean
  /** Of all calls, decided or not. */
  readonly isAll: boolean
}

/** For a person a table, and the commands that decide; else a line of JSON for each. What a terminal obeys or hides is escaped. */
export const showCalls = (calls: readonly ListedCall[], as: ShownAs, columns = stdoutColumns()): string =>
  as.isJson || columns === undefined ? calls.map((call) => `${escapeLines(showCall(call))}\n`).join('') : tableOf(calls, as, columns)

const tableOf = (calls: readonly ListedCall[], { of, isAll }: ShownAs, width: number): string => {
  if (calls.length === 0) return isAll ? 'no call has waited for a person\n' : 'no call waits for a person\n'
  const now = Date.now()
  const isAnyOpen = calls.some((call) => ['waits', 'in_doubt'].includes(stateNow(call, now)))
  const table = wrappedTable(
    [
      ['id', 'tool', 'arguments', 'asked by', 'since', 'state'],
      ...calls.map((call) => {
        const { id, tool, input, edited = input, process, since } = call
        const state = stateNow(call, now)
        return [id, tool, shownJson(edited), process, minuteOf(since), state === 'waits' ? '' : state.replace('_', ' ')]
      }),
    ],
    { width, isStyled: stdoutIsStyled() },
  )
  const named = escapeControls(of)
  const commands = [`plumb approve ${named} ID`, `plumb approve --deny --why TEXT ${named} ID`]
  return [...table, ...(isAnyOpen ? ['', `${commands[0]}   allows one`, `${commands[1]}   refuses it`] : []), ''].join('\n')
}

/** `2026-11-29 06:03Z`. */
export const minuteOf = (time: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(time) ? `${time.slice(0, 16).replace('T', ' ')}Z` : time

/** One line of JSON. */
const showCall = (call: ListedCall): string => {
  const { id, tool, input, edited, digest, process, why, since, said, untilMs } = call
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
  const changed = edited === undefined ? '' : `"edited":${shownJson(edited)},`
  return `${head},"input":${shownJson(input)},${changed}${tail.slice(1)}`
}

/**
 * A value within a line that a person decides by: as it came, with all digits of its numbers, but on that one line. What is not a value, as
 * somebody has put it there, is a text.
 */
export const shownJson = (json: string): string => {
  const bytes = Buffer.from(json)
  return parseJson(bytes, 0, bytes.length).ok ? json.replace(/[\r\n\t]+/g, ' ') : JSON.stringify(json)
}

const refusalOf = (id: string, calls: ReadonlyMap<string, ListedCall>): Result<void> => {
  const call = calls.get(id)
  if (call?.kind === 'person') return fail('usage', `'${preview(id)}' is a question, which 'plumb answer' answers`)
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

/** The decision on all of these calls. */
export const decisionOn = (
  ids: readonly string[],
  { deny, why, until, edit }: ApproveOptions,
  calls: ReadonlyMap<string, ListedCall>,
): Result<Decision> => {
  for (const id of ids) {
    const refused = refusalOf(id, calls)
    if (!refused.ok) return refused
  }
  const untilMs = until === undefined ? succeed(undefined) : readDeadline(until)
  if (!untilMs.ok) return untilMs
  if (edit !== undefined && ids.length > 1) return fail('usage', '--edit is the input of one call: approve the others by themselves')
  const edited = edit === undefined ? succeed(undefined) : fitInput(edit, calls.get(ids[0] ?? '')?.schema)
  if (!edited.ok) return edited
  return succeed({
    isApproved: deny !== true,
    ...(edited.value === undefined ? {} : { edited: edited.value }),
    ...(why === undefined ? {} : { why }),
    ...(untilMs.value === undefined ? {} : { untilMs: untilMs.value }),
  })
}

// With a zone, or a day: a time without one would depend on the machine.
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** Milliseconds since 1970. */
const readDeadline = (text: string): Result<number> => {
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) return fail('usage', `--until takes a time such as 2030-01-31T18:00Z, not '${preview(text)}'`)
  return ms > Date.now() ? succeed(ms) : { ok: false, error: fault('usage', `--until ${preview(text)} is over`) }
}
