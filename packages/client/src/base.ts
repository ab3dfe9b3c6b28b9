// What both ways of calling have in common.

import {
  type CallOptions,
  type Connection,
  type Fault,
  type Inputs,
  type Outcome,
  PlumbError,
  type Question,
  type StreamItem,
  type StreamOptions,
} from './types.js'

export abstract class BaseConnection implements Connection {
  abstract call<O>(name: string, input: unknown, options?: CallOptions): Promise<O>
  abstract stream<O>(name: string, inputs: Inputs<unknown>, options?: StreamOptions): AsyncIterable<StreamItem<O>>
  abstract conversation(id: string): Connection
  abstract pending(): Promise<readonly Question[]>
  abstract close(): Promise<void>

  async tryCall<O>(name: string, input: unknown, options?: CallOptions): Promise<Outcome<O>> {
    try {
      return { ok: true, value: await this.call<O>(name, input, options) }
    } catch (error) {
      if (error instanceof PlumbError) return { ok: false, error }
      throw error
    }
  }
}

export const failure = (error: string, category: string, detail: string, more: object = {}): PlumbError =>
  new PlumbError({ error, category, detail, ...more })

export const CLOSED = (): PlumbError => failure('cancelled', 'unavailable', 'this connection is closed')

/** An error object of plumb, whatever came in its place. */
export const asFault = (value: unknown, otherwise: string): Fault => {
  const { error, category, detail } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Fault>
  if (typeof error !== 'string') return { error: 'child_failed', category: 'internal', detail: otherwise }
  return { ...(value as object), error, category: String(category ?? 'internal'), detail: String(detail ?? error) }
}

/** JSON on one line. Throws for what is none, such as undefined, a BigInt or NaN. */
export const lineOf = (input: unknown): string => {
  const text = JSON.stringify(input, refuseInfinite) as string | undefined
  if (text === undefined) throw new TypeError(`an input is a JSON value, and this is ${typeof input}`)
  return text
}

// JSON.stringify would silently write null for NaN and Infinity.
const refuseInfinite = (_key: string, value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
  return value
}
