// Progress of a request, for clients that gave a token for it: always more than before, as the protocol wants it.

import type { CallContext } from '../tools/served-tool.js'
import type { Extra } from './client.js'

/** A client that waits hears that the work goes on. */
const STILL_MS = 5000

export interface Progress {
  readonly tell: CallContext['progress']
  end(): void
}

export const openProgress = (token: string | number | undefined, send: Extra['sendNotification']): Progress => {
  if (token === undefined) return { tell: () => {}, end: () => {} }
  let progress = 0
  let isCounted = false
  const notify = (message: string, total?: number): void => {
    const params = { progressToken: token, progress, message, ...(total === undefined ? {} : { total }) }
    // Nobody hears it when the client is gone.
    send({ method: 'notifications/progress', params }).catch(() => {})
  }
  const tell: CallContext['progress'] = (message, done, total) => {
    isCounted ||= done !== undefined
    if (isCounted && (done === undefined || done <= progress)) return
    progress = done ?? progress + 1
    notify(message, total)
  }
  const timer = setInterval(() => tell('still at work'), STILL_MS).unref()
  return { tell, end: () => clearInterval(timer) }
}
