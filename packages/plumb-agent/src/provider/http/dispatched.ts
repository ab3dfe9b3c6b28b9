// A reply as undici dispatches it, without a stream in between: what a model says is many small pieces.

import { PassThrough } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type HttpReply, header, isPlain, readBody } from './reply-body.js'

/** After `onEnd` and `onError` nothing comes any more. What the first two throw comes back by `onError`. */
export interface ReplyListener {
  onHead(status: number, headers: HttpReply['headers']): void
  /** A piece of the body, decoded. */
  onData(chunk: Buffer): void
  onEnd(): void
  onError(error: unknown): void
}

export class Dispatched implements Dispatcher.DispatchHandler {
  #listener: ReplyListener
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  /** Of a body that the server compressed unasked. */
  #encoded: PassThrough | undefined

  constructor(listener: ReplyListener) {
    this.#listener = listener
  }

  /** `onError` is called with this, where the reply is not over. */
  abort(why: Error): void {
    this.#fail(why)
    this.#controller?.abort(why)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('given up'))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: HttpReply['headers']): void {
    // That there will be one.
    if (status < 200 || this.#isOver) return
    this.#listener.onHead(status, headers)
    if (isPlain(header(headers, 'content-encoding'))) return
    this.#encoded = new PassThrough().on('drain', () => controller.resume())
    void this.#decode({ status, headers, body: this.#encoded })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    if (!this.#encoded) this.#listener.onData(chunk)
    else if (!this.#encoded.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#encoded) this.#encoded.end()
    else this.#end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#encoded) this.#encoded.destroy(error)
    else this.#fail(error)
  }

  async #decode(reply: HttpReply): Promise<void> {
    try {
      for await (const chunk of readBody(reply, Number.POSITIVE_INFINITY)) {
        if (this.#isOver) return
        this.#listener.onData(chunk)
      }
      this.#end()
    } catch (error) {
      this.abort(error as Error)
    }
  }

  #end(): void {
    if (this.#isOver) return
    this.#leave().onEnd()
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#leave().onError(error)
  }

  // undici's request, which has this, may be kept by what is old and dead already: it is not to keep all of an answer as well.
  #leave(): ReplyListener {
    const listener = this.#listener
    this.#isOver = true
    this.#listener = SILENT
    return listener
  }
}

const SILENT: ReplyListener = { onHead: () => {}, onData: () => {}, onEnd: () => {}, onError: () => {} }
