// Reads requests from one stream and writes answers to another: for the command `serve`, and for `plumb` at the other end of an agent's fds
// 4 and 5.

import {
  type Dispatcher,
  errorAnswer,
  type Fault,
  LineReader,
  type LineSink,
  type LineSource,
  LineWriter,
  readRequest,
  writeAnswer,
} from '@plumb/wire'

export interface LinesOptions {
  readonly dispatcher: Dispatcher
  readonly requests: LineSource
  readonly answers: LineSink
  readonly maxLineBytes?: number
  /** Reports lines that are not requests, and answers that cannot be written. */
  readonly report: (error: Fault) => void
}

export interface Lines {
  /** Resolves at the end of the requests, when all are answered and written, or cannot be. */
  readonly finished: Promise<void>
  /** Writes one line of JSON after all earlier answers. */
  say(json: string): void
  /** Accepts no more requests, and stops running calls, which are answered as `cancelled`. */
  stop(): void
}

/** Requests that are read before earlier ones are answered; the others wait in the pipe. */
const MAX_WAITING = 64

export const serveLines = ({ dispatcher, requests, answers, maxLineBytes, report }: LinesOptions): Lines => {
  let waiting = 0
  let isOver = false
  let finish: () => void = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })

  const advance = (): void => {
    while (waiting < MAX_WAITING && !writer.isFull && reader.next()) take()
    if (!reader.hasEnded || waiting > 0 || isOver) return
    isOver = true
    void writer.end().then(finish)
  }
  const take = (): void => {
    const inbound = readRequest(reader)
    if (inbound.kind === 'invalid') {
      const { fault, id } = inbound
      report(fault)
      if (id !== undefined) writer.writeText(writeAnswer(errorAnswer(id, fault)))
      return
    }
    waiting++
    void dispatcher.answer(inbound.request).then((answer) => {
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

  const reader = new LineReader(requests, { ...(maxLineBytes === undefined ? {} : { maxLine: maxLineBytes }), onReadable: advance })
  const writer = new LineWriter(answers, {
    onDrain: advance,
    // Without a reader the answers are of no use.
    onClosed: stop,
    onFault: (error) => {
      report(error)
      stop()
    },
  })
  return { finished, say: (json) => writer.writeText(json), stop }
}
