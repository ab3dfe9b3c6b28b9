// The body of an answer as a stream that ends where a server would never end.

import { type ReadableStream, TransformStream } from 'node:stream/web'
import { fault, MAX_LINE } from '@plumb/wire'
import { LinkError } from './link.js'

export interface BodyEnd {
  /** An event with an id was seen, from which the stream can go on. */
  readonly isResumable: boolean
}

const ID = /[\r\n]id: ?[^\r\n]/
/** As long as any of what is looked for. */
const TAIL = 8

/** A whole JSON text, or an event, is a line's length at most. `ended` hears of the end, be it good or not; a cancelled stream has none. */
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
        // The id of an event that was cut is not known.
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
