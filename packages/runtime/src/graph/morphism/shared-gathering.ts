// batch and barrier(by: …) of a served binding that all requests share (`@shared`): what waits outlives the request that sent it, which has no
// outcome then, and a list or a tuple is the outcome of the message that makes it whole.

import { type Identity, type KeyReader, put, Sink } from '@plumb/lang'
import { fault, isTooDeep } from '@plumb/wire'
import type { Holding } from '../holding.js'
import type { Origin } from '../origin.js'
import type { RunContext } from '../run-context.js'
import { Morphism } from './morphism.js'
import { MARKS, sendTuple } from './tuple.js'

/** Of one node, for all requests. */
export interface SharedList {
  items: Buffer[]
  bytes: number
}

interface SharedOptions {
  readonly name: string
  /** Called with the origin of a message that waits, or failed: it has no outcome. */
  readonly lost: (origin: Origin) => void
}

export interface SharedBatchOptions extends SharedOptions {
  readonly list: SharedList
  readonly size: number
}

type Context = Pick<RunContext, 'current' | 'report' | 'maxLine'>

export class SharedBatch extends Morphism {
  readonly #sink = new Sink(Number.POSITIVE_INFINITY)

  constructor(
    feeds: readonly number[],
    private readonly context: Context,
    private readonly o: SharedBatchOptions,
  ) {
    super(feeds, 1)
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const { list, size, name, lost } = this.o
    const { current, report, maxLine } = this.context
    const bytes = end - start + 2
    const isTooLarge = bytes > maxLine
    if (isTooLarge || isTooDeep(buf, start, end, 1)) {
      const detail = isTooLarge ? `larger than ${maxLine.toLocaleString('en')} bytes with this message` : 'nested more than 512 deep'
      report(fault(isTooLarge ? 'too_large' : 'too_deep', `a list of '${name}' would be ${detail}`, { process: name }))
      return lost(current.origin)
    }
    // No message might ever fit into what is left of it, and there is no end at which it would leave.
    const isFull = list.items.length > 0 && list.bytes + bytes > maxLine
    const full = isFull ? this.#take() : undefined
    list.items.push(Buffer.from(buf.subarray(start, end)))
    list.bytes += end - start + 1
    const whole = list.items.length < size ? full : this.#take()
    if (whole) this.#send(whole)
    else lost(current.origin)
  }

  #take(): readonly Buffer[] {
    const { list } = this.o
    const { items } = list
    list.items = []
    list.bytes = 0
    return items
  }

  #send(items: readonly Buffer[]): void {
    const sink = this.#sink
    sink.commit(putAll(sink, items))
    this.outlets[0]?.send(sink.buf, sink.start, sink.end)
  }

  override holding(name: string): Holding {
    return { of: 'batch', name, waiting: 0, bytes: 0, is_due: false }
  }
}

/** What waits, by key and branch, and how many of each branch. */
export interface SharedPartners {
  readonly groups: Map<Identity, Buffer[][]>
  readonly waiting: number[]
}

export interface SharedJoinOptions extends SharedOptions {
  readonly partners: SharedPartners
  /** By branch. */
  readonly keys: readonly KeyReader[]
  readonly maxWaiting: number
}

export class SharedJoin extends Morphism {
  readonly #sink = new Sink()

  constructor(
    feeds: readonly number[],
    private readonly context: Context,
    private readonly o: SharedJoinOptions,
  ) {
    super(feeds, 1)
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    const { partners, keys, name, lost, maxWaiting } = this.o
    const { report, current } = this.context
    const { groups, waiting } = partners
    const reader = keys[input] as KeyReader
    const key = reader.read(buf, start, end)
    if (key === undefined) {
      if (reader.fault) report({ ...reader.fault, process: name })
      return lost(current.origin)
    }
    const group = groups.get(key) ?? keys.map((): Buffer[] => [])
    const own = Buffer.from(buf.subarray(start, end))
    const isWhole = group.every((queue, i) => (i === input ? queue.length === 0 : queue.length > 0))
    if (!isWhole) {
      const count = waiting[input] ?? 0
      if (count >= maxWaiting)
        report(fault('overflow', `more than ${maxWaiting} messages wait in '${name}' for a partner`, { process: name }))
      else {
        group[input]?.push(own)
        groups.set(key, group)
        waiting[input] = count + 1
      }
      return lost(current.origin)
    }
    const parts = group.map((queue, i) => (i === input ? own : (queue.shift() as Buffer)))
    for (const i of parts.keys()) if (i !== input) waiting[i] = (waiting[i] ?? 0) - 1
    if (group.every(({ length }) => length === 0)) groups.delete(key)
    const isTooLarge = parts.reduce((sum, { length }) => sum + length + 1, 1) > this.context.maxLine
    const sink = this.#sink
    if (!isTooLarge) sink.commit(putAll(sink, parts))
    if (!sendTuple(sink, isTooLarge, this.outlets[0], name, this.context)) lost(current.origin)
  }

  override holding(name: string): Holding {
    return { of: 'barrier', name, waiting: [] }
  }
}

const putAll = (sink: Sink, parts: readonly Buffer[]): number => {
  let at = sink.at
  for (const [i, part] of parts.entries()) at = put(sink, put(sink, at, MARKS, i === 0 ? 0 : 1, i === 0 ? 1 : 2), part, 0, part.length)
  return put(sink, at, MARKS, 2, 3)
}
