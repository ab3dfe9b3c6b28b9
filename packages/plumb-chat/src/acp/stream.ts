// The messages of an editor: JSON-RPC, a line each, on stdin and stdout.

import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { type Fault, isRecord, LineReader, preview } from '@plumb/wire'

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

export interface Messages {
  readonly stream: Stream
  /** Aborted when no more messages come; the stream ends when all of them are answered. */
  readonly ended: AbortSignal
}

/** A malformed message is answered with a JSON-RPC error, and skipped. */
export const openMessages = (source: Readable, target: Writable): Messages => {
  const ended = new AbortController()
  const unanswered = new Set<unknown>()
  const unread: AnyMessage[] = []
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined
  const closeIfDone = (): void => {
    if (!ended.signal.aborted || unanswered.size + unread.length > 0) return
    controller?.close()
    controller = undefined
  }
  // The SDK looks for the handler of a message in several microtasks, more for some methods than for others: without a pause between messages
  // that come together, session/cancel would cancel the prompt after it.
  const giveNext = (): void => {
    const [message] = unread
    if (message === undefined) return
    controller?.enqueue(message)
    setImmediate(() => {
      unread.shift()
      giveNext()
      closeIfDone()
    })
  }
  const write = async (message: AnyMessage): Promise<void> => {
    await writeLine(target, message)
    if ('id' in message && !('method' in message)) unanswered.delete(message.id)
    closeIfDone()
  }
  const refuse = (code: number, message: string): void =>
    void writeLine(target, { jsonrpc: '2.0', id: null, error: { code, message } }).catch(() => {})
  const readable = new ReadableStream<AnyMessage>({
    start: (opened) => {
      controller = opened
      const read = (): void => {
        while (reader.next()) {
          const read = reader.fault ?? parse(reader.buf.toString('utf8', reader.start, reader.end))
          if ('message' in read) {
            if ('id' in read.message && 'method' in read.message) unanswered.add(read.message.id)
            if (unread.push(read.message) === 1) giveNext()
          } else refuse('error' in read ? PARSE_ERROR : INVALID_REQUEST, 'error' in read ? read.detail : read.why)
        }
      }
      // The end is noticed before the last line, which comes with it if it has no newline.
      const reader = new LineReader(source, { onReadable: read })
      const end = (): void => {
        ended.abort()
        closeIfDone()
      }
      source.on('end', end)
      source.on('close', end)
      source.on('error', end)
    },
    cancel: () => {
      controller = undefined
    },
  })
  return { stream: { readable, writable: new WritableStream<AnyMessage>({ write }) }, ended: ended.signal }
}

const writeLine = (target: Writable, message: object): Promise<void> =>
  new Promise((resolve, reject) => {
    target.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
  })

type Read = { readonly message: AnyMessage } | { readonly why: string } | Pick<Fault, 'error' | 'detail'>

const parse = (line: string): Read => {
  try {
    const value: unknown = JSON.parse(line)
    if (isRecord(value)) return { message: value as AnyMessage }
    return { why: `a line is not a message of JSON-RPC but ${preview(line, 80)}` }
  } catch {
    return { error: 'invalid_json', detail: `a line is not JSON: ${preview(line, 80)}` }
  }
}
