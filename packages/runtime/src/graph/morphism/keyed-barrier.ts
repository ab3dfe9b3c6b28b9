// barrier(by: …): joins messages of its branches whose keys are equal, the k-th of a key with the k-th, whatever they stem from. What waits
// for a partner is held here, up to a limit; what has waited too long leaves, and so does its late partner.

import { type Identity, type KeyReader, put, Sink } from '@plumb/lang'
import { fault } from '@plumb/wire'
import { Backpressure } from '../backpressure.js'
import type { Holding } from '../holding.js'
import { Origin } from '../origin.js'
import type { RunContext } from '../run-context.js'
import type { ScheduledSource } from '../schedule.js'
import { LatePartners } from './late-partners.js'
import { Morphism } from './morphism.js'
import { MARKS, reportUnpaired, sendTuple, seqsOf } from './tuple.js'

export interface KeyedBarrierOptions {
  readonly name: string
  /** By branch. */
  readonly keys: readonly KeyReader[]
  readonly branches: readonly string[]
  readonly withinMs: number | undefined
  /** What finds no partner goes without a word. */
  readonly drops: boolean
  readonly maxWaiting: number
  /** Called with the origin of a message that is dropped without having been in a tuple, or went into one that stems from `kept`. */
  readonly lost: (origin: Origin, kept?: Origin) => void
}

interface Held {
  readonly buf: Buffer
  readonly start: number
  readonly end: number
  readonly origin: Origin
  readonly since: number
}

/** The messages of one key that wait, by branch: the first of each belong together. */
interface Group {
  readonly queues: readonly Held[][]
}

export class KeyedBarrier extends Morphism implements ScheduledSource {
  /** The receivers of what leaves by timeout. */
  readonly backpressure = new Backpressure()
  readonly #sink = new Sink()
  /** Copies of waiting messages: the originals would keep their whole chunks in memory. */
  readonly #copies = new Sink()
  readonly #groups = new Map<Identity, Group>()
  readonly #waiting: number[]
  readonly #late: LatePartners
  #timer: NodeJS.Timeout | undefined
  #isDue = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current' | 'report' | 'maxLine' | 'fail' | 'schedule'>,
    private readonly o: KeyedBarrierOptions,
  ) {
    super(feeds, 1)
    this.#waiting = feeds.map(() => 0)
    this.#late = new LatePartners(feeds.length)
  }

  get hasTimer(): boolean {
    return this.o.withinMs !== undefined
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    const { keys, lost, name } = this.o
    const { report, current } = this.context
    const reader = keys[input] as KeyReader
    const key = reader.read(buf, start, end)
    if (key === undefined) {
      if (reader.fault) report({ ...reader.fault, process: name })
      return lost(current.origin)
    }
    if (this.#late.take(key, input)) return this.#leave([{ input, origin: current.origin }])
    const group = this.#groupOf(key)
    if (group.queues.every((queue, i) => i === input || queue.length > 0) && group.queues[input]?.length === 0) {
      this.#join(group, input, buf, start, end)
      this.#forget(key, group)
    } else this.#hold(group, input, buf, start, end)
  }

  canRun(): boolean {
    return this.#isDue && this.backpressure.isOpen()
  }

  step(): number {
    this.#isDue = false
    const { withinMs = 0 } = this.o
    const limit = performance.now() - withinMs
    const left: { input: number; origin: Origin }[] = []
    let next: number | undefined
    for (const [key, group] of this.#groups) {
      for (;;) {
        const since = Math.min(...group.queues.flatMap((queue) => queue[0]?.since ?? []))
        if (since > limit) {
          if (Number.isFinite(since)) next = Math.min(next ?? since, since)
          break
        }
        left.push(...this.#takeFirst(key, group))
      }
      this.#forget(key, group)
    }
    if (next !== undefined) this.#startTimer(next - limit)
    if (left.length > 0) this.#leave(left)
    for (const { origin } of left) origin.release()
    return left.length > 0 ? 1 : 0
  }

  override holding(name: string): Holding {
    return { of: 'barrier', name, waiting: [...this.#waiting] }
  }

  protected override finish(): void {
    const left: { input: number; origin: Origin }[] = []
    for (const [key, group] of this.#groups)
      while (group.queues.some((queue) => queue.length > 0)) left.push(...this.#takeFirst(key, group))
    this.#groups.clear()
    clearTimeout(this.#timer)
    if (left.length > 0) this.#leave(left)
    for (const { origin } of left) origin.release()
    super.finish()
  }

  /** The first of each branch, which have waited; those that have not come are late. */
  #takeFirst(key: Identity, group: Group): { input: number; origin: Origin }[] {
    return group.queues.flatMap((queue, input) => {
      const held = queue.shift()
      if (!held) {
        this.#late.add(key, input)
        return []
      }
      this.#waiting[input] = (this.#waiting[input] as number) - 1
      return [{ input, origin: held.origin }]
    })
  }

  #groupOf(key: Identity): Group {
    const known = this.#groups.get(key)
    if (known) return known
    const group = { queues: this.#waiting.map(() => []) }
    this.#groups.set(key, group)
    return group
  }

  #forget(key: Identity, { queues }: Group): void {
    if (queues.every(({ length }) => length === 0)) this.#groups.delete(key)
  }

  #hold(group: Group, input: number, buf: Buffer, start: number, end: number): void {
    const { name, branches, maxWaiting, withinMs } = this.o
    const { current, fail } = this.context
    const copies = this.#copies
    copies.commit(put(copies, copies.at, buf, start, end))
    current.origin.retain()
    group.queues[input]?.push({ buf: copies.buf, start: copies.start, end: copies.end, origin: current.origin, since: performance.now() })
    if (withinMs !== undefined && !this.#timer) this.#startTimer(withinMs)
    const length = (this.#waiting[input] as number) + 1
    this.#waiting[input] = length
    if (length <= maxWaiting) return
    const detail = `more than ${maxWaiting} messages of branch '${branches[input] || input + 1}' wait in '${name}' for a partner`
    fail(fault('overflow', detail, { process: name }))
  }

  #startTimer(ms: number): void {
    const due = () => {
      this.#timer = undefined
      this.#isDue = true
      this.context.schedule.wake()
    }
    // Keeps no process alive: at the end of input all leave anyway.
    this.#timer = setTimeout(due, Math.max(1, Math.ceil(ms))).unref()
  }

  // The last message has not waited: the tuple stems from it, and from the others.
  #join(group: Group, own: number, buf: Buffer, start: number, end: number): void {
    const { name, lost } = this.o
    const { current } = this.context
    const parts = group.queues.map((queue, i) => (i === own ? { buf, start, end, origin: current.origin } : (queue.shift() as Held)))
    for (const i of parts.keys()) if (i !== own) this.#waiting[i] = (this.#waiting[i] as number) - 1
    const others = parts.flatMap(({ origin }, i) => (i === own ? [] : [origin]))
    const origin = Origin.ofJoined(current.origin, others)
    const before = current.enter(origin)
    const bytes = parts.reduce((sum, part) => sum + part.end - part.start + 1, 1)
    const sink = this.#sink
    const isTooLarge = bytes > this.context.maxLine
    if (!isTooLarge) {
      let p = sink.at
      for (const [i, part] of parts.entries())
        p = put(sink, put(sink, p, MARKS, i === 0 ? 0 : 1, i === 0 ? 1 : 2), part.buf, part.start, part.end)
      sink.commit(put(sink, p, MARKS, 2, 3))
    }
    if (!sendTuple(sink, isTooLarge, this.outlets[0], name, this.context)) lost(origin)
    current.leave(before)
    for (const other of others) lost(other, origin)
    origin.release()
    for (const other of others) other.release()
  }

  #leave(messages: readonly { readonly input: number; readonly origin: Origin }[]): void {
    const { name, branches, drops, lost } = this.o
    if (!drops) {
      const left = this.#waiting.map((_, i) => messages.filter(({ input }) => input === i).length)
      const seqs = new Set(messages.flatMap(({ origin }) => seqsOf(origin)))
      reportUnpaired(name, 'has', { left, branches, seqs }, this.context)
    }
    for (const { origin } of messages) lost(origin)
  }
}
