// What came of each input of a run, over all its processes, in order.

import type { CallModel, Interval, Lane, Note, RequestModel, RunMessage, RunModel, ShownCost, TurnModel, WireModel } from './run-model.js'
import { addCosts, NOTHING_SPENT } from './spent.js'

export type InputState = 'failed' | 'waiting' | 'done' | 'unfinished'

export interface InputModel {
  /** 0: what belongs to no input that is known. */
  readonly seq: number
  readonly state: InputState
  /** When the first and the last of it happened. */
  readonly start: number
  readonly end: number
  /** How long processes worked on it; without any, how long it was on its way. */
  readonly took: number
  readonly given: readonly Sent[]
  readonly outputs: readonly Sent[]
  /** On wires that lead neither in nor out, nor to or from a child, which says what it was asked itself. */
  readonly between: readonly Sent[]
  readonly turns: readonly Turn[]
  readonly faults: readonly Note[]
  /** Tokens. */
  readonly read: number
  readonly written: number
  readonly cost: ShownCost
  readonly failedCalls: number
}

export interface Sent {
  readonly wire: WireModel
  readonly message: RunMessage
}

/** A message of one child, and all that happened until its answer. */
export interface Turn {
  /** The place on the page. */
  readonly id: string
  readonly lane: Lane
  readonly laneIndex: number
  readonly turn: TurnModel | undefined
  readonly steps: readonly Step[]
}

export type Step =
  | { readonly kind: 'request'; readonly at: number; readonly id: string; readonly request: RequestModel }
  | { readonly kind: 'call'; readonly at: number; readonly id: string; readonly call: CallModel }
  | { readonly kind: 'note'; readonly at: number; readonly note: Note }

/** Places on the page. */
export const turnId = (lane: number, i: number): string => `w${lane}-${i}`
export const requestId = (lane: number, i: number): string => `q${lane}-${i}`
export const callId = (lane: number, i: number): string => `t${lane}-${i}`
export const processId = (lane: number): string => `a${lane}`

interface OpenInput {
  readonly given: Sent[]
  readonly outputs: Sent[]
  readonly between: Sent[]
  readonly turns: OpenTurn[]
  readonly faults: Note[]
}

interface OpenTurn extends Turn {
  readonly steps: Step[]
}

/** In the order of their numbers; what has none comes last. */
export const inputsOf = (run: RunModel): readonly InputModel[] => {
  const inputs = new Map<number, OpenInput>()
  const of = (seq: number): OpenInput => {
    const known = inputs.get(seq)
    if (known) return known
    const input = { given: [], outputs: [], between: [], turns: [], faults: [] }
    inputs.set(seq, input)
    return input
  }
  const children = new Set(run.lanes.flatMap(({ runs, name }) => (runs === 'stage' ? [] : [name])))
  const kinds = new Map(run.nodes.map(({ name, kind }) => [name, kind]))
  for (const wire of run.wires) {
    const { from, to } = wire.wire
    const [isIn, isOut] = [kinds.get(from) === 'input', kinds.get(to) === 'output']
    for (const message of wire.messages) {
      const input = of(message.seq)
      const isFirst = isIn && !input.given.some((sent) => sent.wire !== wire && sent.wire.wire.from === from)
      if (isOut) input.outputs.push({ wire, message })
      if (isFirst) input.given.push({ wire, message })
      else if (!isIn && !isOut && !children.has(from) && !children.has(to)) input.between.push({ wire, message })
    }
  }
  for (const [i, lane] of run.lanes.entries()) if (lane.runs !== 'stage') addTurns(lane, i, of)
  for (const fault of run.faults) for (const seq of seqsOf(fault)) of(seq).faults.push(fault)
  const all = [...inputs].filter(([seq, input]) => seq > 0 || hasAny(input)).map(([seq, input]) => inputOf(seq, input, run))
  return all.sort((a, b) => (a.seq || Number.MAX_VALUE) - (b.seq || Number.MAX_VALUE))
}

/** A report about more inputs names the first of them. */
const MAX_SEQS = 100_000

export const seqsOf = ({ seq, seqs }: Note): readonly number[] => {
  const all: number[] = []
  for (const [first, last] of seqs ?? []) for (let n = first; n <= last && all.length < MAX_SEQS; n++) all.push(n)
  return all.length > 0 ? all : [seq]
}

const hasAny = ({ given, outputs, between, turns }: OpenInput): boolean => [given, outputs, between, turns].some((list) => list.length > 0)

const addTurns = (lane: Lane, index: number, of: (seq: number) => OpenInput): void => {
  const bySeq = new Map<number, OpenTurn[]>()
  for (const [i, turn] of lane.work.entries()) {
    const open: OpenTurn = { id: turnId(index, i), lane, laneIndex: index, turn, steps: [] }
    of(turn.seq).turns.push(open)
    bySeq.set(turn.seq, [...(bySeq.get(turn.seq) ?? []), open])
  }
  // An input may come round several times, and telemetry late.
  const turnOf = (seq: number, at: number): OpenTurn => {
    const all = bySeq.get(seq) ?? []
    const found = all.find(({ turn }) => turn !== undefined && turn.end >= at) ?? all.at(-1)
    if (found) return found
    const open: OpenTurn = { id: `${turnId(index, lane.work.length)}-${seq}`, lane, laneIndex: index, turn: undefined, steps: [] }
    of(seq).turns.push(open)
    bySeq.set(seq, [open])
    return open
  }
  const add = ({ seq, at }: { readonly seq: number; readonly at: number }, step: Step) => void turnOf(seq, at).steps.push(step)
  for (const [i, request] of lane.requests.entries())
    add({ seq: request.seq, at: request.end }, { kind: 'request', at: request.end, id: requestId(index, i), request })
  for (const [i, call] of lane.calls.entries())
    add({ seq: call.seq, at: call.end }, { kind: 'call', at: call.end, id: callId(index, i), call })
  for (const note of lane.notes) add(note, { kind: 'note', at: note.at, note })
  for (const all of bySeq.values()) for (const { steps } of all) steps.sort((a, b) => a.at - b.at)
}

const inputOf = (seq: number, input: OpenInput, run: RunModel): InputModel => {
  const { given, outputs, between, turns, faults } = input
  inOrder(turns)
  const requests = turns.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === 'request' ? [step.request] : [])))
  const calls = turns.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === 'call' ? [step.call] : [])))
  const times: Pick<Interval, 'start' | 'end'>[] = [
    ...[...given, ...outputs, ...between].map(({ message: { at } }) => ({ start: at, end: at })),
    ...turns.flatMap(({ turn }) => turn ?? []),
    ...faults.filter(({ seqs }) => seqs === undefined).map(({ at }) => ({ start: at, end: at })),
  ]
  const [start, end] = [
    times.reduce((least, one) => Math.min(least, one.start), times[0]?.start ?? 0),
    times.reduce((most, one) => Math.max(most, one.end), 0),
  ]
  const work = turns.flatMap(({ turn }) => (turn?.isBegun ? [turn] : []))
  const costs = requests.map(({ cost, model }) => (cost === undefined ? { known: 0, unpriced: [model] } : { known: cost, unpriced: [] }))
  return {
    ...{ seq, given, outputs, between, turns, faults, state: stateOf(input, run) },
    ...{ start, end, took: work.length > 0 ? coveredBy(work) : end - start },
    read: requests.reduce((sum, { read }) => sum + read, 0),
    written: requests.reduce((sum, { written }) => sum + written, 0),
    cost: costs.reduce(addCosts, NOTHING_SPENT),
    failedCalls: calls.filter(({ isOk, isWaiting }) => !isOk && !isWaiting).length,
  }
}

/** Of intervals that may overlap, in the order of their beginnings. */
const coveredBy = (intervals: readonly Pick<Interval, 'start' | 'end'>[]): number => {
  let [sum, until] = [0, 0]
  for (const { start, end } of intervals) {
    sum += Math.max(0, end - Math.max(start, until))
    until = Math.max(until, end)
  }
  return sum
}

// What is inside a nested plumb follows it: their clocks are not the same to the millisecond.
const inOrder = (turns: Turn[]): void => {
  const outermost = ({ lane }: Turn): string => lane.place.split('~', 1)[0] ?? ''
  const starts = new Map<string, number>()
  for (const turn of turns)
    if (turn.lane.place === outermost(turn))
      starts.set(outermost(turn), Math.min(startOf(turn), starts.get(outermost(turn)) ?? startOf(turn)))
  const key = (turn: Turn): number => starts.get(outermost(turn)) ?? startOf(turn)
  const isInside = ({ lane }: Turn): number => (lane.place.includes('~') ? 1 : 0)
  turns.sort((a, b) => key(a) - key(b) || isInside(a) - isInside(b) || startOf(a) - startOf(b))
}

const startOf = ({ turn, steps }: Turn): number => turn?.start ?? steps[0]?.at ?? 0

const WAITING = /^(parked|in_doubt)$/

export const isWaiting = ({ title }: Note): boolean => WAITING.test(title)

/** A turn that waits for a person, or for what a run may spend, has not failed. */
export const isParked = ({ error }: TurnModel): boolean => error !== undefined && WAITING.test(error.split(':')[0] ?? '')

export const hasFailed = (turn: TurnModel): boolean => turn.error !== undefined && !isParked(turn)

const stateOf = ({ faults, turns, outputs }: OpenInput, { status }: RunModel): InputState => {
  if (faults.some((fault) => !isWaiting(fault))) return 'failed'
  if (faults.length > 0 || turns.some(({ turn }) => turn !== undefined && isParked(turn))) return 'waiting'
  const isOpen = turns.some(({ turn }) => turn !== undefined && turn.output === undefined && turn.error === undefined)
  // Of a run that goes on, or was killed, what has not come out may still be on its way.
  return status === undefined && (isOpen || outputs.length === 0) ? 'unfinished' : 'done'
}
