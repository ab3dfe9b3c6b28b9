// What a connection is, whichever way it goes, and what comes over it.

/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** An error of plumb: `plumb explain CODE` says more of its `error`. */
export interface Fault {
  readonly error: string
  readonly category: string
  readonly detail: string
  /** The number of the input, from 1. */
  readonly seq?: number
  readonly [extra: string]: unknown
}

/** An error of plumb, with the fields of its object. */
export class PlumbError extends Error implements Fault {
  override readonly name = 'PlumbError'
  readonly error: string
  readonly category: string
  readonly detail: string
  declare readonly seq?: number
  readonly [extra: string]: unknown

  constructor(fault: Fault) {
    super(`${fault.error}: ${fault.detail}`)
    const { name: _, message: __, stack: ___, cause: ____, ...fields } = fault
    Object.assign(this, fields)
    this.error = fault.error
    this.category = fault.category
    this.detail = fault.detail
  }

  /** The fields alone, as plumb wrote them. */
  toJSON(): Fault {
    const { name: _, ...fields } = this
    return { ...fields, error: this.error, category: this.category, detail: this.detail }
  }
}

export interface CallOptions {
  /** Ends the request; the call fails with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** In dollars, for this request. Of plumb-serve. */
  readonly maxCost?: number | undefined
  /** The same key and input are the same request, for a day. Of plumb-serve. */
  readonly idempotencyKey?: string | undefined
}

export interface StreamOptions extends CallOptions {
  /** Kinds of telemetry that come among the outputs, such as `text`, `thinking`, `tool_call` and `usage`. */
  readonly events?: readonly string[] | undefined
}

export type Outcome<O> = { readonly ok: true; readonly value: O } | { readonly ok: false; readonly error: PlumbError }

/** `seq` is the number of the input that it is about, from 1; 0 if none is known. */
export type StreamItem<O> =
  | { readonly seq: number; readonly value: O; readonly error?: undefined; readonly event?: undefined }
  | { readonly seq: number; readonly error: PlumbError; readonly value?: undefined; readonly event?: undefined }
  | { readonly seq: number; readonly event: Event; readonly value?: undefined; readonly error?: undefined }

/** Telemetry of an agent (plumb-agent(1), Telemetry). */
export interface Event {
  readonly kind: string
  readonly agent?: string
  readonly [more: string]: unknown
}

export type Inputs<I> = Iterable<I> | AsyncIterable<I>

/** A question for a person: of an agent that is one, or about a call of a tool. */
export interface Question {
  readonly id: string
  readonly kind: 'person' | 'approval'
  readonly prompt?: string
  readonly input?: unknown
  /** JSON Schema of the answer. */
  readonly schema?: unknown
  readonly [more: string]: unknown
  answer(value: unknown): Promise<void>
  skip(why?: string): Promise<void>
  /** Of an approval: it is asked about again, with this input of the call. */
  edit(input: unknown): Promise<void>
}

export interface Connection {
  /** The output; where an input may have several, their list. Rejects with a `PlumbError`. */
  call<O = Json>(name: string, input: unknown, options?: CallOptions): Promise<O>
  /** As `call`, with the error as a value. */
  tryCall<O = Json>(name: string, input: unknown, options?: CallOptions): Promise<Outcome<O>>
  /** Sends each input as it comes, and yields outputs and errors as they come. */
  stream<O = Json>(name: string, inputs: Inputs<unknown>, options?: StreamOptions): AsyncIterable<StreamItem<O>>
  /** The same within that conversation: its agents remember. */
  conversation(id: string): Connection
  /** The questions that wait for a person. */
  pending(): Promise<readonly Question[]>
  /** Ends what it has started. A call after it fails. */
  close(): Promise<void>
}

/** A binding as a method: `O` is each output, `R` what a call resolves to. */
export interface Method<I, O, R = O> {
  (input: I, options?: CallOptions): Promise<R>
  try(input: I, options?: CallOptions): Promise<Outcome<R>>
  stream(inputs: Inputs<I>, options?: StreamOptions): AsyncIterable<StreamItem<O>>
}

/** For generated code. */
export const method = <I, O, R = O>(connection: Connection, name: string): Method<I, O, R> =>
  Object.assign((input: I, options?: CallOptions) => connection.call<R>(name, input, options), {
    try: (input: I, options?: CallOptions) => connection.tryCall<R>(name, input, options),
    stream: (inputs: Inputs<I>, options?: StreamOptions) => connection.stream<O>(name, inputs, options),
  })
