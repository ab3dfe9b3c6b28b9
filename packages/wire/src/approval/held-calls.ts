// The calls of one process that a person has to allow, in a run that is kept: each is made at most once, whatever stops the run.

import { type Fault, fault } from '../error.js'
import { preview } from '../preview.js'
import { type Result, succeed } from '../result.js'
import {
  appendLine,
  apply,
  askedLine,
  type CallToAsk,
  decisionLine,
  digestOf,
  idOf,
  type ListedCall,
  readCalls,
  stateNow,
} from './journal.js'

export interface HeldCalls {
  /** What is to become of a call. To be asked for once a call. */
  of(call: CallToAsk): HeldCall
}

export interface CallSteps<T> {
  /** Asks a person who is there now; undefined: nobody is. */
  readonly ask: () => Promise<boolean | undefined>
  readonly run: () => Promise<T>
  /** What it did is not known: it counts as begun, and not as done. */
  readonly isLost: (result: T) => boolean
}

export interface HeldCall {
  /**
   * Makes the call, or gives what came of it when it was made before. A fault: it is not made now; `parked`: it waits for a person;
   * `in_doubt`: it may have been made, and a person has to look; `approval_required`: a person said no.
   */
  settle<T>(steps: CallSteps<T>): Promise<Result<T>>
}

/** `path`: of the file that all processes of the run share. */
export const openHeldCalls = (path: string): Result<HeldCalls> => {
  const read = readCalls(path)
  if (!read.ok) return read
  const calls = read.value
  const taken = new Set<string>()
  const write = (line: object): Fault | undefined => {
    const failed = appendLine(path, line)
    if (!failed) apply(calls, JSON.parse(JSON.stringify(line)))
    return failed
  }
  // The same call of the same conversation, else a decision that is left for this tool with these arguments.
  const find = (call: CallToAsk): ListedCall | undefined => {
    const digest = digestOf(call.input)
    const own = [...calls.values()].filter(({ id, process, tool }) => process === call.process && tool === call.tool && !taken.has(id))
    return (
      own.find((one) => one.call === call.call && one.nth === call.nth) ??
      own.find((one) => one.digest === digest && ['approved', 'denied'].includes(stateNow(one, Date.now())))
    )
  }
  return succeed({
    of: (call) => {
      const found = find(call)
      const id = found?.id ?? freeId(idOf(call), calls)
      taken.add(id)
      return { settle: (steps) => settle({ id, call, known: () => calls.get(id), write }, steps) }
    },
  })
}

interface Held {
  readonly id: string
  readonly call: CallToAsk
  readonly known: () => ListedCall | undefined
  readonly write: (line: object) => Fault | undefined
}

const settle = async <T>(held: Held, steps: CallSteps<T>): Promise<Result<T>> => {
  const { id, call, known, write } = held
  const before = known()
  switch (before && stateNow(before, Date.now())) {
    case 'done':
      return succeed(before?.result as T)
    case 'denied':
      return refuse('approval_required', held, `was denied${before?.said === undefined ? '' : `: ${preview(before.said)}`}`)
    case 'in_doubt':
      return refuse(
        'in_doubt',
        held,
        'had begun when the run stopped, and may have been made: look, then approve it to make it again, or deny it',
      )
    case 'approved':
      return make(held, steps)
    default: {
      const isAllowed = await steps.ask()
      if (isAllowed === false) return refuse('approval_required', held, 'was denied')
      const asked = before ? undefined : write(askedLine(id, call))
      if (asked) return { ok: false, error: asked }
      if (isAllowed === undefined) return refuse('parked', held, 'waits for a person to allow it')
      const approved = write(decisionLine(id, { isApproved: true }))
      return approved ? { ok: false, error: approved } : make(held, steps)
    }
  }
}

const make = async <T>({ id, call, write }: Held, { run, isLost }: CallSteps<T>): Promise<Result<T>> => {
  const failed = write({ kind: 'begun', id, call: call.call, nth: call.nth, at: new Date().toISOString() })
  if (failed) return { ok: false, error: failed }
  const result = await run()
  // Where this cannot be written the call is in doubt when the run is gone on with; the one at hand has its result.
  if (!isLost(result)) write({ kind: 'done', id, at: new Date().toISOString(), result })
  return succeed(result)
}

const refuse = (code: 'approval_required' | 'parked' | 'in_doubt', { id, call }: Held, what: string): { ok: false; error: Fault } => ({
  ok: false,
  error: fault(code, `the call of '${preview(call.tool)}' ${what}`, { tool: call.tool, approval: id }),
})

// Two calls with one beginning of their hashes.
const freeId = (id: string, calls: ReadonlyMap<string, ListedCall>): string => {
  for (let n = 2, free = id; ; free = `${id}-${n++}`) if (!calls.has(free)) return free
}
