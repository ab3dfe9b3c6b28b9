// The body of an answer as a stream with a limit, since a server might never end it.

import { type ReadableStream, TransformStream } from 'node:stream/web'
import { fault, MAX_LINE } from '@plumb/wire'
import { LinkError } from './link.js'

export interface BodyEnd {
  /** An event with an id was seen, from which the stream can be resumed. */
  readonly isResumable: boolean
}

const ID = /[\r\n]id: ?[^\r\n]/
/** As long as the longest of the searched patterns. */
const TAIL = 8

/**
 * A whole JSON text, or an event, is at most the length of a line. `ended` is called at the end, good or not; not for a cancelled stream.
 */
export const bounded = (
  body: ReadableStream<Uint8Array>,
  { host, isEvents, ended }: { readonly host: string; readonly isEvents: boolean; readonly ended?: (end: BodyEnd) => void },
): ReadableStream<Uint8Array> => {
  let bytes = 0
  let isResumable = false
  let hasId = false
  let tail = '\n'
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (isEvents) {
        // A blank line ends an event; it may lie across two chunks.
        const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
        const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\n\r\n'), text.lastIndexOf('\r\r'))
        // The id of a cut event is unknown.
        isResumable ||= end >= 0 && (hasId || ID.test(text.slice(0, end)))
        hasId = (end < 0 && hasId) || ID.test(text.slice(Math.max(end, 0)))
        if (end >= 0) bytes = text.length - end
        tail = text.slice(-TAIL)
      }
      if (bytes > MAX_LINE)
        throw new LinkError(fault('bad_reply', `${host} sent a message that is longer than ${MAX_LINE} bytes`, { host }))
      controller.enqueue(chunk)
    },
  })
  const through = body.pipeTo(transform.writable)
  through.then(
    () => ended?.({ isResumable }),
    () => ended?.({ isResumable }),
  )
  return transform.readable
}
