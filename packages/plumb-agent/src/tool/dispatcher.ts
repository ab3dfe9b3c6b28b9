// Who runs tools, as a call sees it (plumb-wire(5), Tools): one request out, its one answer back.

export interface ToolRequest {
  /** Made once in the life of this process. */
  readonly id: string
  readonly name: string
  /** One JSON value on one line. */
  readonly input: string
}

export interface ToolAnswer {
  /** JSON text: the result, or an error object. */
  readonly content: string
  readonly isError: boolean
}

export interface Dispatcher {
  /** Whatever goes wrong is an answer too. Once `signal` has fired nobody waits for it. */
  ask(request: ToolRequest, timeoutMs: number, signal: AbortSignal): Promise<ToolAnswer>
}

/** Answers that come in envelopes on stdin. */
export interface EnvelopedAnswers {
  receive(message: unknown): void
  /** No more come. */
  end(): unknown
  /** Those to the calls that are open now stand behind more data than may be held. */
  starve(): unknown
}
