// Who is asked in a run: a person at its terminal, or, where calls wait for a person, whoever answers what is written down for that.

import { isRemote } from '@plumb/lang'
import { type HeldCalls, openHeldCalls, questionText } from '@plumb/ledger/approval'
import { approvalsOf } from '@plumb/ledger/kept'
import type { AskAnswer } from '@plumb/policy'
import { currentKept, fail, joinDeliveries, openDeliveryLog, type Result, sha256Of, succeed } from '@plumb/wire'
import { ENVELOPE_BYTES, type SpawnSettings } from '../child/agent-start.js'
import type { StartHere } from '../child/spawn.js'
import { type AskPerson, startPerson } from '../person/person-agent.js'
import { keptPlaceOf } from '../record/kept-answers.js'
import { startA2a } from '../remote/a2a-agent.js'

type Settings = Pick<SpawnSettings, 'options' | 'deliveries' | 'withoutLiveLines'>

/** `terminal`: undefined where nobody is there to be asked. */
export const openPeople = (settings: Settings, terminal: AskAnswer | undefined): Result<StartHere> => {
  const held = openJournal()
  if (!held.ok) return held
  return succeed(({ name, bound, place }) => {
    const { lines, kept } = settings.options
    const deliveries = settings.deliveries && openDeliveryLog()
    const known = deliveries && joinDeliveries(deliveries.fd)
    const process = keptPlaceOf(place, kept.place) ?? place
    const ask = held.value ? askingLater(held.value, process, (n) => known?.of(n)) : askingNow(terminal, settings)
    const maxLine = lines.maxLine + ENVELOPE_BYTES
    if (isRemote(bound)) return startA2a({ name, bound, maxLine, ask: held.value ? undefined : ask })
    const started = startPerson({ name, bound, ask, maxLine, deliveries })
    if (deliveries) void started.child.exited.then(deliveries.close)
    return started
  })
}

/** Undefined: nothing waits in this run. */
const openJournal = (): Result<HeldCalls | undefined> => {
  const kept = currentKept()
  const path = kept ? approvalsOf(kept.fd) : succeed(undefined)
  if (!path.ok) return path
  return path.value === undefined ? succeed(undefined) : openHeldCalls(path.value)
}

// The k-th of several equal questions has the k-th answer, also when the run is resumed.
const askingLater = (held: HeldCalls, place: string, deliveryOf: (n: number) => string | undefined): AskPerson => {
  const counts = new Map<string, number>()
  return async (question) => {
    const input = questionText(question)
    const delivery = deliveryOf(question.n)
    const call = `${delivery ?? place} ${sha256Of(input)}`
    const nth = (counts.get(call) ?? 0) + 1
    counts.set(call, nth)
    const process = delivery === undefined ? place : `${place}@${delivery}`
    return held.of({ kind: 'person', tool: question.agent, input, process, why: 'a person answers', call, nth }).answer()
  }
}

const askingNow =
  (terminal: AskAnswer | undefined, { withoutLiveLines = (work) => work() }: Settings): AskPerson =>
  async (question, signal) =>
    (await withoutLiveLines(async () => terminal?.(question, signal))) ??
    fail(
      'approval_required',
      `'${question.agent}' asks a person, and there is none at a terminal: serve the spec with plumb-serve, or run it with --record DIR --park`,
    )
