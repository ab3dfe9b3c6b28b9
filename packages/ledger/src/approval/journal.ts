// The calls of a recorded run that wait for a person, one file for all processes of the run, and for the person who decides: a line for each
// thing that happens to a call, written to the disk before what follows it is done. The lines of a call are, in this order:
//
//   asked     a call was to be made, and there was no person to ask
//   approved  a person allows it, until a time or for ever; or denied
//   begun     it is being made
//   done      what came of it
//
// A line that was cut by a crash counts as never written.

import { closeSync, constants, fdatasyncSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Fault, fail, fault, isAbsent, isRecord, type Result, scrub, sha256Of, succeed, systemReason } from '@plumb/wire'
import { inOwnDirectory, openOwnFile } from '@plumb/wire/output'

export type CallState = 'waits' | 'approved' | 'denied' | 'in_doubt' | 'done'

/** A call in the file, or a question of an agent whose model is a person. */
export interface ListedCall {
  readonly id: string
  /** Undefined: a call of a tool. */
  readonly kind?: 'person'
  /** The agent, where it is a question. */
  readonly tool: string
  /** One JSON value as text, so that numbers keep their digits. */
  readonly input: string
  /** SHA-256 of that text. */
  readonly digest: string
  /** JSON Schema of the input of a tool, for another one that a person gives it. */
  readonly schema?: unknown
  /** The process that asks, as a path of names through nested plumbs. */
  readonly process: string
  /** Why a person is needed. */
  readonly why: string
  /** Wall clock, ISO 8601. */
  readonly since: string
  /** The position of the call in the conversation, and its number among equal calls there. */
  readonly call: string
  readonly nth: number
  readonly state: CallState
  /** What the person said with the decision. */
  readonly said?: string
  /** To a question that is approved: one JSON value as text. */
  readonly answer?: string
  /** The input that who approved it put in the place of the model's: one JSON value as text. */
  readonly edited?: string
  /** The decision expires at this time: milliseconds since 1970. */
  readonly untilMs?: number
  /** Only for a call that is done. */
  readonly result?: unknown
}

export type CallToAsk = Omit<ListedCall, 'id' | 'digest' | 'state' | 'said' | 'answer' | 'edited' | 'untilMs' | 'result' | 'since'>

export interface Decision {
  readonly isApproved: boolean
  readonly answer?: string
  readonly edited?: string
  /** Who has decided, where that is known. */
  readonly by?: string
  readonly why?: string
  readonly untilMs?: number
}

/** All lines are read. */
const MAX_FILE_BYTES = 256 * 1024 * 1024
const FILE_MODE = 0o600
const ID_DIGITS = 12
const LF = 10
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT

/** Of the text as it is written down and shown: without keys. */
export const digestOf = (input: string): string => sha256Of(scrub(input))

/** Whether the call is the one that its id and digest name. A call that has begun may have been made at another place of the run. */
export const isItself = (listed: ListedCall): boolean => {
  const { id, input, digest, state } = listed
  return digestOf(input) === digest && (state !== 'waits' || id.replace(/-\d+$/, '') === idOf(listed))
}

/** The current state of the file; a missing file has no calls. */
export const readCalls = (path: string): Result<Map<string, ListedCall>> => {
  const calls = new Map<string, ListedCall>()
  let fd: number | undefined
  try {
    if (isAbsent(path)) return succeed(calls)
    fd = openOwnFile(path, constants.O_RDONLY)
    if (fstatSync(fd).size > MAX_FILE_BYTES) return fail('record_invalid', `'${path}' is larger than 256 MiB`)
    for (const line of readFileSync(fd, 'utf8').split('\n')) apply(calls, parse(line))
  } catch (error) {
    return fail('record_invalid', `cannot read '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
  return succeed(calls)
}

/** A call whose decision has expired waits again. */
export const stateNow = ({ state, untilMs }: ListedCall, nowMs: number): CallState =>
  (state === 'approved' || state === 'denied') && untilMs !== undefined && untilMs <= nowMs ? 'waits' : state

/** A person has to decide on it now. */
export const isOpen = (call: ListedCall): boolean => ['waits', 'in_doubt'].includes(stateNow(call, Date.now()))

export const askedLine = (id: string, { kind: of, ...call }: CallToAsk): object => ({
  kind: 'asked',
  id,
  ...(of === undefined ? {} : { of }),
  ...call,
  digest: digestOf(call.input),
  since: new Date().toISOString(),
})

export const decisionLine = (id: string, { isApproved, answer, edited, by, why, untilMs }: Decision): object => ({
  kind: isApproved ? 'approved' : 'denied',
  id,
  at: new Date().toISOString(),
  ...(by === undefined ? {} : { by }),
  ...(answer === undefined ? {} : { answer }),
  ...(edited === undefined ? {} : { edited }),
  ...(why === undefined ? {} : { why }),
  ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
})

/** The id of a new call: the same call of the same run always gets the same one. */
export const idOf = ({ process, call, nth }: Pick<CallToAsk, 'process' | 'call' | 'nth'>): string =>
  digestOf(JSON.stringify([process, call, nth])).slice(0, ID_DIGITS)

/** Creates an empty journal, on the disk when it returns; does nothing if there is one. A resumed run sees by it that calls may wait. */
export const makeJournal = (path: string): Fault | undefined => {
  try {
    if (!isAbsent(path)) return undefined
    closeSync(openOwnFile(path, APPENDING, FILE_MODE))
    syncDirectory(dirname(path))
    return undefined
  } catch (error) {
    return cannotWrite(path, error)
  }
}

/** The line is on the disk when it returns. On a fault it may not be, and what it allows must not be done. */
export const appendLine = (path: string, line: object): Fault | undefined => {
  let fd: number | undefined
  try {
    const isNew = isAbsent(path)
    fd = openOwnFile(path, APPENDING, FILE_MODE)
    const text = Buffer.from(`${isTorn(fd) ? '\n' : ''}${scrub(JSON.stringify(line))}\n`)
    if (writeSync(fd, text) < text.length) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    fdatasyncSync(fd)
    if (isNew) syncDirectory(dirname(path))
    return undefined
  } catch (error) {
    return cannotWrite(path, error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const cannotWrite = (path: string, error: unknown): Fault =>
  fault('write_failed', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`, { path })

/** Applies one more line. */
export const apply = (calls: Map<string, ListedCall>, line: unknown): void => {
  if (!isRecord(line) || typeof line.id !== 'string') return
  const { kind, id } = line
  const known = calls.get(id)
  if (kind === 'asked') {
    const { kind: _, of, ...call } = line as unknown as ListedCall & { kind: string; of?: string }
    if (!known && isCall(call)) calls.set(id, { ...call, ...(of === 'person' ? { kind: of } : {}), state: 'waits' })
    return
  }
  if (!known) return
  if (kind === 'approved' || kind === 'denied') calls.set(id, decided(known, kind, line))
  else if (kind === 'begun') calls.set(id, { ...known, ...keyOf(line), state: 'in_doubt' })
  else if (kind === 'done') calls.set(id, { ...known, state: 'done', result: line.result })
}

// Also for a call in doubt: a person has checked, and says whether to make it again.
const decided = (
  call: ListedCall,
  state: 'approved' | 'denied',
  { answer, edited, why, until }: Readonly<Record<string, unknown>>,
): ListedCall => {
  const { said: _, untilMs: __, answer: ___, ...rest } = call
  if (call.state === 'done') return call
  const time = typeof until === 'string' ? Date.parse(until) : Number.NaN
  return {
    ...rest,
    state,
    ...(typeof answer === 'string' ? { answer } : {}),
    // Who allows a call in doubt once more allows it as it may have been made.
    ...(typeof edited === 'string' ? { edited } : {}),
    ...(typeof why === 'string' ? { said: why } : {}),
    ...(Number.isNaN(time) ? {} : { untilMs: time }),
  }
}

const isCall = ({ tool, input, digest, process, call, nth }: ListedCall): boolean =>
  [tool, input, digest, process, call].every((text) => typeof text === 'string') && Number.isSafeInteger(nth)

const keyOf = ({ call, nth }: Readonly<Record<string, unknown>>): Pick<ListedCall, 'call' | 'nth'> | undefined =>
  typeof call === 'string' && typeof nth === 'number' ? { call, nth } : undefined

const parse = (line: string): unknown => {
  try {
    return line === '' ? undefined : JSON.parse(line)
  } catch {
    return undefined
  }
}

const isTorn = (fd: number): boolean => {
  const last = Buffer.alloc(1)
  const { size } = fstatSync(fd)
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== LF
}

// So that the name of a new file is on the disk too.
const syncDirectory = (directory: string): void => {
  const fd = inOwnDirectory(directory, (at) => openSync(`${at}/.`, 'r'))
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
