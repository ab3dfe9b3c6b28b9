// Calls of one process that need a person's consent, in a recorded run: each is made at most once, whatever stops the run.

import { type Fault, fault, preview, type Result, succeed } from '@plumb/wire'
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
import { skippedFault } from './person-question.js'
import { type Consent, whyText } from './question.js'

export interface HeldCalls {
  /** Decides what happens to a call. Call it once for each call. */
  of(call: AskingCall): HeldCall
}

/** The schema is made where the call is written down. */
type AskingCall = Omit<CallToAsk, 'schema'> & { readonly schema?: () => unknown }

export interface CallSteps<T> {
  /** Asks a person at the terminal. Undefined: there is none. */
  readonly ask: () => Promise<Consent | undefined>
  /** `edited`: the input that a person put in the place of the model's. */
  readonly run: (edited?: string) => Promise<T>
  /** Marks a call whose effect is unknown: it counts as begun, but not as done. */
  readonly isLost: (result: T) => boolean
}

export interface HeldCall {
  /**
   * Makes the call, or returns its result if it was made before. A fault says why it is not made now. `parked`: it waits for a person.
   * `in_doubt`: it may have been made, and a person has to check. `approval_required`: a person refused it.
   */
  settle<T>(steps: CallSteps<T>): Promise<Result<T>>
  /** A question of an agent whose model is a person: its answer as JSON text. `parked`: it waits; `answer_refused`: it was skipped. */
  answer(): Result<string>
}

/** `path`: the file that all processes of the run share. */
export const openHeldCalls = (path: string): Result<HeldCalls> => {
  const read = readCalls(path)
  if (!read.ok) return read
  const calls = read.value
  const left = indexOf(calls.values())
  const write = (line: object): Fault | undefined => {
    const failed = appendLine(path, line)
    if (!failed) apply(calls, JSON.parse(JSON.stringify(line)))
    return failed
  }
  return succeed({
    of: (call) => {
      const id = left.take(call)?.id ?? freeId(idOf(call), calls)
      const held = { id, call, known: () => calls.get(id), write }
      return { settle: (steps) => settle(held, steps), answer: () => answerOf(held) }
    },
  })
}

interface LeftCalls {
  /** Finds the same call of the same conversation, else a decision that is left for this tool with these arguments. Each is taken once. */
  take(call: Omit<CallToAsk, 'schema'>): ListedCall | undefined
}

// Indexed, so that a run of 10,000 calls does not search all of them for each.
const indexOf = (calls: Iterable<ListedCall>): LeftCalls => {
  const byPlace = new Map<string, ListedCall>()
  const byInput = new Map<string, ListedCall[]>()
  const taken = new Set<ListedCall>()
  for (const call of calls) {
    // By what is shown to the person who decides, whatever is said of it.
    const digest = digestOf(call.input)
    const place = placeKey(call, digest)
    if (!byPlace.has(place)) byPlace.set(place, call)
    const key = inputKey(call, digest)
    const equals = byInput.get(key)
    if (equals) equals.push(call)
    else byInput.set(key, [call])
  }
  for (const equals of byInput.values()) equals.reverse()
  // Calls that were taken without a valid decision stay undecided for the rest of this run.
  const nextDecided = (equals: ListedCall[]): ListedCall | undefined => {
    for (let one = equals.pop(); one; one = equals.pop())
      if (!taken.has(one) && ['approved', 'denied'].includes(stateNow(one, Date.now()))) return one
    return undefined
  }
  return {
    take: (call) => {
      const digest = digestOf(call.input)
      const same = byPlace.get(placeKey(call, digest))
      const found = same && !taken.has(same) ? same : nextDecided(byInput.get(inputKey(call, digest)) ?? [])
      if (found) taken.add(found)
      return found
    },
  }
}

// Another input at the same place is another question.
const placeKey = ({ process, tool, call, nth }: Omit<CallToAsk, 'schema'>, digest: string): string =>
  JSON.stringify([process, tool, call, nth, digest])
const inputKey = ({ process, tool }: Pick<CallToAsk, 'process' | 'tool'>, digest: string): string => JSON.stringify([process, tool, digest])

interface Held {
  readonly id: string
  readonly call: AskingCall
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
      return refuse('approval_required', held, `was denied${whyText(before?.said)}`)
    case 'in_doubt':
      return refuse(
        'in_doubt',
        held,
        'had begun when the run stopped, and may have been made: look, then approve it to make it again, or deny it',
      )
    case 'approved':
      return make(held, steps, before?.edited)
    default: {
      const isAllowed = await steps.ask()
      if (isAllowed === false) return refuse('approval_required', held, 'was denied')
      if (typeof isAllowed === 'object' && 'denied' in isAllowed)
        return refuse('approval_required', held, `was denied${whyText(isAllowed.denied)}`)
      const asked = before ? undefined : write(askedLine(id, { ...call, schema: call.schema?.() }))
      if (asked) return { ok: false, error: asked }
      if (isAllowed === undefined) return refuse('parked', held, 'waits for a person to allow it')
      const edited = typeof isAllowed === 'object' ? isAllowed.edited : undefined
      const approved = write(decisionLine(id, { isApproved: true, ...(edited === undefined ? {} : { edited }) }))
      return approved ? { ok: false, error: approved } : make(held, steps, edited)
    }
  }
}

const answerOf = (held: Held): Result<string> => {
  const { id, call, known, write } = held
  const before = known()
  const state = before && stateNow(before, Date.now())
  if (before?.answer !== undefined && state === 'approved') return succeed(before.answer)
  if (state === 'denied') return { ok: false, error: skippedFault(before?.said) }
  const asked = before ? undefined : write(askedLine(id, { ...call, schema: undefined }))
  if (asked) return { ok: false, error: asked }
  return { ok: false, error: fault('parked', `the question of '${preview(call.tool)}' waits for a person to answer it`, { approval: id }) }
}

const make = async <T>({ id, call, write }: Held, { run, isLost }: CallSteps<T>, edited: string | undefined): Promise<Result<T>> => {
  const failed = write({ kind: 'begun', id, call: call.call, nth: call.nth, at: new Date().toISOString() })
  if (failed) return { ok: false, error: failed }
  const result = await run(edited)
  // If this cannot be written, the call is in doubt when the run is resumed; the current run has its result.
  if (!isLost(result)) write({ kind: 'done', id, at: new Date().toISOString(), result })
  return succeed(result)
}

const refuse = (code: 'approval_required' | 'parked' | 'in_doubt', { id, call }: Held, what: string): { ok: false; error: Fault } => ({
  ok: false,
  error: fault(code, `the call of '${preview(call.tool)}' ${what}`, { tool: call.tool, approval: id }),
})

// Two calls whose hashes have the same beginning.
const freeId = (id: string, calls: ReadonlyMap<string, ListedCall>): string => {
  for (let n = 2, free = id; ; free = `${id}-${n++}`) if (!calls.has(free)) return free
}
