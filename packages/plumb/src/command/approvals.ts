// plumb approvals and plumb approve: the calls of a recorded run that wait for a person, and what a person decides.

import { join } from 'node:path'
import { endWith, fail, fault, isAbsent, nearest, preview, type Result, succeed, writeStdout } from '@plumb/wire'
import { appendLine, decisionLine, type ListedCall, readCalls, stateNow } from '@plumb/wire/approval'
import { APPROVALS_FILE } from '../record/kept-answers.js'

/** Resolves to the exit status. */
export const approvals = async (folder: string, { all = false }: { readonly all?: boolean }): Promise<number> => {
  const calls = callsIn(folder)
  if (!calls.ok) return endWith('plumb', calls.error)
  const shown = [...calls.value.calls.values()].filter((call) => all || isOpen(call))
  return endWith('plumb', shown.length === 0 ? undefined : await writeStdout(`${shown.map(showCall).join('\n')}\n`))
}

export interface ApproveOptions {
  readonly deny?: boolean
  readonly why?: string
  readonly until?: string
}

/** All of the calls, or none. Resolves to the exit status. */
export const approve = async (folder: string, ids: readonly string[], { deny, why, until }: ApproveOptions): Promise<number> => {
  const found = callsIn(folder)
  if (!found.ok) return endWith('plumb', found.error)
  const { path, calls } = found.value
  const untilMs = until === undefined ? succeed(undefined) : readTime(until)
  if (!untilMs.ok) return endWith('plumb', untilMs.error)
  for (const id of ids) {
    const refused = refusalOf(id, calls)
    if (refused.ok === false) return endWith('plumb', refused.error)
  }
  const decision = {
    isApproved: deny !== true,
    ...(why === undefined ? {} : { why }),
    ...(untilMs.value === undefined ? {} : { untilMs: untilMs.value }),
  }
  for (const id of new Set(ids)) {
    const failed = appendLine(path, decisionLine(id, decision))
    if (failed) return endWith('plumb', failed)
  }
  return endWith('plumb', undefined)
}

interface Calls {
  readonly path: string
  readonly calls: ReadonlyMap<string, ListedCall>
}

const callsIn = (folder: string): Result<Calls> => {
  const path = join(folder, APPROVALS_FILE)
  if (isAbsent(join(folder, '.')))
    return fail('file_not_found', `there is no folder '${preview(folder)}'; name the record of a run, the folder after --record`)
  if (isAbsent(path))
    return fail(
      'record_invalid',
      `no call of the run in '${preview(folder)}' waits for a person: it was run without --park, or none had to`,
    )
  const calls = readCalls(path)
  return calls.ok ? succeed({ path, calls: calls.value }) : calls
}

const isOpen = (call: ListedCall): boolean => ['waits', 'in_doubt'].includes(stateNow(call, Date.now()))

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
  // The input as it came, with all digits of its numbers.
  return `${head},"input":${input},${tail.slice(1)}`
}

export const refusalOf = (id: string, calls: ReadonlyMap<string, ListedCall>): Result<void> => {
  const call = calls.get(id)
  if (call?.state === 'done') return fail('usage', `the call '${preview(id)}' is made: nothing is left to decide`)
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
export const readTime = (text: string): Result<number> => {
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) return fail('usage', `--until takes a time such as 2030-01-31T18:00Z, not '${preview(text)}'`)
  return ms > Date.now() ? succeed(ms) : { ok: false, error: fault('usage', `--until ${preview(text)} is over`) }
}
