// The calls of one mapped tool that need a person's consent, in a recorded run: each waits for the decision, and is made once.

import type { CallSteps } from '@plumb/ledger/approval'
import { currentKept, type Result, succeed } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import { keptPlaceOf } from '../record/kept-answers.js'

interface Request {
  /** Of the call, as `idOfCall` gives it. */
  readonly id: string
  readonly tool: string
  /** The input as JSON. */
  readonly text: string
  readonly schema: () => unknown
}

export interface MapApprovals {
  /** The id of the next call for the message with this seq. */
  idOf(seq: number, input: string): string
  /** Counts a call for the message that is not made, since its result is already kept. */
  pass(seq: number, input: string): void
  call(request: Request, steps: Omit<CallSteps<Result<string>>, 'isLost'>): Promise<Result<string>>
}

/** Undefined: this run does not park calls. */
export const openMapApprovals = async (
  place: string,
  { options, deliveries }: Pick<SpawnSettings, 'options' | 'deliveries'>,
): Promise<Result<MapApprovals | undefined>> => {
  const kept = currentKept()
  const process = keptPlaceOf(place, options.kept.place)
  if (!kept || process === undefined) return succeed(undefined)
  const { approvalsOf } = await import('@plumb/ledger/kept')
  const path = approvalsOf(kept.fd)
  if (!path.ok || path.value === undefined) return path.ok ? succeed(undefined) : path
  const { digestOf, openHeldCalls } = await import('@plumb/ledger/approval')
  const opened = openHeldCalls(path.value)
  if (!opened.ok) return opened
  let made = 0
  const counts = new Map<string, number>()
  const keys = new Map<string, { readonly call: string; readonly nth: number }>()
  const count = (seq: number, input: string) => {
    const call = `${deliveries?.of(seq) ?? seq} ${digestOf(input)}`
    const nth = (counts.get(call) ?? 0) + 1
    counts.set(call, nth)
    return { call, nth }
  }
  return succeed({
    idOf: (seq, input) => {
      const id = `${place}-${++made}`
      keys.set(id, count(seq, input))
      return id
    },
    pass: count,
    call: async ({ id, tool, text, schema }, steps) => {
      const key = keys.get(id) ?? { call: id, nth: 1 }
      keys.delete(id)
      const why = 'the tool or a rule of the policy asks for consent'
      const settled = await opened.value.of({ tool, input: text, schema, process, why, ...key }).settle({ ...steps, isLost })
      return settled.ok ? settled.value : settled
    },
  })
}

const isLost = (result: Result<string>): boolean =>
  !result.ok && (result.error.error === 'cancelled' || result.error.error === 'child_failed')
