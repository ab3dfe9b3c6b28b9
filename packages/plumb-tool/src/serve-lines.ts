// Requests off one stream, answers onto another: what the command `serve` does, and whoever has an agent's fds 4 and 5 at the other end.

import { type Fault, LineReader, type LineSink, type LineSource, LineWriter } from '@plumb/wire'
import type { Dispatcher } from './serve.js'
import { readRequest, writeAnswer } from './serve-request.js'

export interface LinesOptions {
  readonly dispatcher: Dispatcher
  readonly requests: LineSource
  readonly answers: LineSink
  readonly maxLineBytes?: number
  /** Of lines that are no requests, and of answers that cannot be written. */
  readonly report: (error: Fault) => void
}

export interface Lines {
  /** Resolves at the end of the requests, when all are answered and written, or cannot be. */
  readonly finished: Promise<void>
  /** One line of JSON among the answers, behind those that were given before. */
  say(json: string): void
  /** Takes no more requests; what runs is stopped and answered so. */
  stop(): void
}

/** Requests that were read and not answered yet; the others wait in the pipe. */
const MOST_WAITING = 64

export const serveLines = ({ dispatcher, requests, answers, maxLineBytes, report }: LinesOptions): Lines => {
  const reader = new LineReader(requests, maxLineBytes === undefined ? {} : { maxLine: maxLineBytes })
  const writer = new LineWriter(answers)
  let waiting = 0
  let isOver = false
  let finish: () => void = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })

  const advance = (): void => {
    while (waiting < MOST_WAITING && !writer.isFull && reader.next()) take()
    if (!reader.hasEnded || waiting > 0 || isOver) return
    isOver = true
    void writer.end().then(finish)
  }
  const take = (): void => {
    const arrival = readRequest(reader)
    if (arrival.kind === 'stray') {
      const { fault, id } = arrival
      report(fault)
      if (id !== undefined) writer.writeText(writeAnswer({ id, content: JSON.stringify(fault), is_error: true }))
      return
    }
    waiting++
    void dispatcher.answer(arrival.request).then((answer) => {
      writer.writeText(writeAnswer(answer))
      waiting--
      advance()
    })
  }
  const stop = (): void => {
    reader.stop()
    void dispatcher.close()
    advance()
  }

  reader.onReadable = advance
  writer.onDrain = advance
  // Whoever asked has gone: work for nobody is given up.
  writer.onClosed = stop
  writer.onFault = (error) => {
    report(error)
    stop()
  }
  return { finished, say: (json) => writer.writeText(json), stop }
}
