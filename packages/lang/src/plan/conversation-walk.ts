// A conversation as it goes: each message is held against the state in which it comes, and moves it on.

import { preview } from '@plumb/wire/preview'
import { type FirstDirections, firstDirections, type ProtocolState } from '@plumb/wire/protocol'
import type { Sink } from '../expression/run/sink.js'
import { compileCheck, type Stage, Verdict } from '../expression/stage/stage.js'
import type { Protocol, Text } from '../names/names.js'
import { chosenType } from '../protocol/chosen-type.js'
import { findOverlap } from '../types/disjoint.js'
import type { Type } from '../types/type.js'

/** 0: the side as written; 1: the other. */
export type Side = 0 | 1

export type Taken =
  /** `PASS`: as it came; `WROTE`: with defaults, in the sink. `isChoice`: it only says which branch follows. */
  | { readonly verdict: Verdict.PASS | Verdict.WROTE; readonly isChoice: boolean }
  /** The other side had ended before it could come. */
  | { readonly verdict: 'cut' }
  | { readonly verdict: 'refused'; readonly came: string }

/** One message that may come. */
interface Way {
  readonly side: Side
  readonly stage: Stage
  readonly label: string
  /** Of the branch that begins with it, where that is not told before. */
  readonly branch?: string
  readonly to: number
}

interface WalkState {
  /** Who chooses. */
  readonly chooser: Side
  readonly labels: ReadonlyMap<string, number>
  readonly ways: readonly Way[]
  readonly mayEnd: boolean
  readonly isOver: boolean
  /** By side: it may come to its end without a further word of that one. */
  readonly isQuiet: readonly [boolean, boolean]
}

/** Of the labels so far, so many are told. */
const MAX_LABELS = 20
/** A longer line is not read as a choice. */
const MAX_CHOICE = 4096

export class ConversationWalk {
  readonly #states: readonly WalkState[]
  #state: number
  readonly #labels: string[] = []
  #count = 0
  readonly #hasClosed: [boolean, boolean] = [false, false]

  constructor(protocol: Protocol) {
    this.#states = statesOf(protocol)
    this.#state = protocol.automaton?.start ?? 0
  }

  /** Nothing more may come. */
  get isOver(): boolean {
    return this.#now.isOver
  }

  /** What may come now, by side; empty where it may only end. */
  get expected(): readonly { readonly side: Side; readonly label: string }[] {
    const { labels, ways, chooser } = this.#now
    const plain = ways.filter(({ branch }) => branch === undefined).map(({ side, label }) => ({ side, label }))
    return [...[...labels.keys()].map((label) => ({ side: chooser, label: JSON.stringify({ choose: label }) })), ...plain]
  }

  /** Somebody has to say something before it may end. */
  get isOwed(): boolean {
    return !this.#now.mayEnd
  }

  /** The labels of all that came, as the side as written has them; the last of many. */
  get labels(): readonly string[] {
    return this.#count > this.#labels.length ? ['…', ...this.#labels] : this.#labels
  }

  take(side: Side, { buf, start, end }: Text, sink: Sink): Taken {
    const now = this.#now
    const label = now.labels.size > 0 && side === now.chooser ? choiceIn(buf, start, end) : undefined
    const to = label === undefined ? undefined : now.labels.get(label)
    if (label !== undefined && to !== undefined) return this.#go(to, [label], { verdict: Verdict.PASS, isChoice: true }, side)
    for (const way of now.ways) {
      if (way.side !== side) continue
      const verdict = way.stage.run(buf, start, end, sink)
      if (verdict !== Verdict.PASS && verdict !== Verdict.WROTE) continue
      const said = `${side === 0 ? 'send' : 'recv'} ${way.label}`
      return this.#go(way.to, way.branch === undefined ? [said] : [way.branch, said], { verdict, isChoice: false }, side)
    }
    return { verdict: 'refused', came: preview(buf.toString('utf8', start, Math.min(end, start + MAX_CHOICE)), 120) }
  }

  /** A side says nothing more. `cut`: it had to; `over`: the conversation is; else the other may go on, or end too. */
  close(side: Side): 'over' | 'cut' | 'open' {
    const { mayEnd, isOver, chooser, isQuiet } = this.#now
    const wasLeft = this.#hasClosed[1 - side]
    this.#hasClosed[side] = true
    if (isOver) return 'over'
    if (!isQuiet[side] || (wasLeft && !mayEnd)) return 'cut'
    return mayEnd && (side === chooser || wasLeft) ? 'over' : 'open'
  }

  #go(to: number, labels: readonly string[], taken: Taken, side: Side): Taken {
    const other = side === 0 ? 1 : 0
    if (this.#hasClosed[other] && !this.#states[to]?.isQuiet[other]) return { verdict: 'cut' }
    this.#state = to
    this.#count += labels.length
    this.#labels.push(...labels)
    if (this.#labels.length > MAX_LABELS) this.#labels.splice(0, this.#labels.length - MAX_LABELS)
    return taken
  }

  get #now(): WalkState {
    return this.#states[this.#state] ?? OVER
  }
}

const OVER: WalkState = { chooser: 0, labels: new Map(), ways: [], mayEnd: true, isOver: true, isQuiet: [true, true] }

const statesOf = ({ automaton, messages }: Protocol): readonly WalkState[] => {
  const states = automaton?.states ?? []
  const firsts = firstDirections(states)
  const stages = messages.map((type) => compileCheck(type))
  const quiet = [quietStates(states, firsts, 0), quietStates(states, firsts, 1)] as const
  const wayOf = (state: number, i: number): Way | undefined => {
    const edge = states[state]?.edges[i]
    const stage = edge?.message === undefined ? undefined : stages[edge.message]
    return edge && stage && { side: edge.kind === 'send' ? 0 : 1, stage, label: edge.label, to: edge.to }
  }
  return states.map(({ edges, mayEnd }, state): WalkState => {
    const labelled = edges.filter(({ kind }) => kind === 'choose')
    const plain = edges.flatMap((_, i) => wayOf(state, i) ?? [])
    // A branch that begins with one message, and no choice of its own.
    const branches = labelled.map(({ label, to }) => {
      const way = states[to]?.edges.length === 1 && !states[to]?.mayEnd ? wayOf(to, 0) : undefined
      return way && { way: { ...way, branch: label }, message: states[to]?.edges[0]?.message }
    })
    const types = [...edges.flatMap(({ message }) => message ?? []), ...branches.flatMap((branch) => branch?.message ?? [])]
    const isTold =
      labelled.length > 0 &&
      branches.every((branch) => branch !== undefined) &&
      !findOverlap([...types.map((i) => messages[i] as Type), chosenType(labelled.map(({ label }) => label))])
    return {
      chooser: firsts[state]?.recv ? 1 : 0,
      labels: new Map(labelled.map(({ label, to }) => [label, to])),
      ways: isTold ? [...plain, ...branches.flatMap((branch) => branch?.way ?? [])] : plain,
      mayEnd,
      isOver: mayEnd && edges.length === 0,
      isQuiet: [quiet[0].has(state), quiet[1].has(state)],
    }
  })
}

/** From where an end is reached by what the other side says alone. */
const quietStates = (states: readonly ProtocolState[], firsts: readonly FirstDirections[], side: Side): ReadonlySet<number> => {
  const before = states.map((): number[] => [])
  for (const [from, { edges }] of states.entries()) {
    for (const { kind, to } of edges) {
      const speaker: Side = kind === 'recv' || (kind === 'choose' && firsts[from]?.recv) ? 1 : 0
      if (speaker !== side) before[to]?.push(from)
    }
  }
  const quiet = new Set(states.flatMap(({ mayEnd }, state) => (mayEnd ? [state] : [])))
  // A set iterates over members that are added meanwhile.
  for (const state of quiet) for (const from of before[state] ?? []) quiet.add(from)
  return quiet
}

/** `{"choose": label}` */
const choiceIn = (buf: Buffer, start: number, end: number): string | undefined => {
  if (end - start > MAX_CHOICE) return undefined
  try {
    const value: unknown = JSON.parse(buf.toString('utf8', start, end))
    if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return undefined
    const { choose } = value as { readonly choose?: unknown }
    return typeof choose === 'string' ? choose : undefined
  } catch {
    return undefined
  }
}
