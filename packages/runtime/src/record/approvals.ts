// plumb approvals and plumb approve, plumb pending and plumb answer: lists what waits for a person in a recorded run, and records decisions.

import { join } from 'node:path'
import { appendLine, decisionLine, isOpen, type ListedCall, readCalls } from '@plumb/ledger/approval'
import { endWith, fail, isAbsent, preview, type Result, succeed, writeStdout } from '@plumb/wire'
import { noRecord, RUN_FILE } from './directory.js'
import { APPROVALS_FILE } from './kept-answers.js'
import { type ApproveOptions, decisionOn, showCalls } from './listed-calls.js'
import { type AnswerOptions, decisionBy, showPending } from './pending.js'

/** Resolves to the exit status. */
export const approvals = async (
  directory: string,
  { all = false, json = false }: { readonly all?: boolean; readonly json?: boolean },
): Promise<number> => {
  const calls = callsIn(directory)
  if (!calls.ok) return endWith('plumb', calls.error)
  const shown = [...calls.value.calls.values()].filter((call) => call.kind === undefined && (all || isOpen(call)))
  const text = showCalls(shown, { of: directory, isJson: json, isAll: all })
  return endWith('plumb', text === '' ? undefined : await writeStdout(text))
}

/** Questions of agents as well as calls. Resolves to the exit status. */
export const pending = async (
  directory: string,
  { all = false, json = false }: { readonly all?: boolean; readonly json?: boolean },
): Promise<number> => {
  const calls = callsIn(directory)
  if (!calls.ok) return endWith('plumb', calls.error)
  const shown = [...calls.value.calls.values()].filter((call) => all || isOpen(call))
  const text = showPending(shown, directory, { of: directory, isJson: json, isAll: all })
  return endWith('plumb', text === '' ? undefined : await writeStdout(text))
}

/** Resolves to the exit status. */
export const answer = async (directory: string, id: string, text: string | undefined, options: AnswerOptions): Promise<number> => {
  const found = callsIn(directory)
  if (!found.ok) return endWith('plumb', found.error)
  const decision = decisionBy(id, text, options, found.value.calls)
  return endWith('plumb', decision.ok ? appendLine(found.value.path, decisionLine(id, decision.value)) : decision.error)
}

/** Decides all of the calls, or none. Resolves to the exit status. */
export const approve = async (directory: string, ids: readonly string[], options: ApproveOptions): Promise<number> => {
  const found = callsIn(directory)
  if (!found.ok) return endWith('plumb', found.error)
  const { path, calls } = found.value
  const decision = decisionOn(ids, options, calls)
  if (!decision.ok) return endWith('plumb', decision.error)
  for (const id of new Set(ids)) {
    const failed = appendLine(path, decisionLine(id, decision.value))
    if (failed) return endWith('plumb', failed)
  }
  return endWith('plumb', undefined)
}

interface Calls {
  readonly path: string
  readonly calls: ReadonlyMap<string, ListedCall>
}

const callsIn = (directory: string): Result<Calls> => {
  const path = join(directory, APPROVALS_FILE)
  if (isAbsent(join(directory, '.')))
    return fail('file_not_found', `there is no directory '${preview(directory)}'; name the record of a run, the directory after --record`)
  if (isAbsent(path) && isAbsent(join(directory, RUN_FILE))) return fail('record_invalid', noRecord(directory))
  if (isAbsent(path))
    return fail('record_invalid', `nothing of the run in '${preview(directory)}' waits for a person: it was run without --park`)
  const calls = readCalls(path)
  return calls.ok ? succeed({ path, calls: calls.value }) : calls
}
