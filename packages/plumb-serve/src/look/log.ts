// The log: a line of JSON for each request, on stdout. It has no keys, no tokens and no bodies.

import { openDataOutput, scrub } from '@plumb/wire'
import { pino } from 'pino'

export type RequestLog = (fields: Readonly<Record<string, unknown>>) => void

/** A reader of stdout that goes away ends the log, and not the server. */
export const openRequestLog = (): RequestLog => {
  const stdout = openDataOutput(1)
  let isGone = false
  stdout.on('error', () => {
    isGone = true
  })
  const write = (line: string): void => {
    if (!isGone && stdout.writableLength < MAX_WAITING_BYTES) stdout.write(scrub(line))
  }
  const logger = pino({ base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` }, { write })
  return (fields) => logger.info(fields)
}

const MAX_WAITING_BYTES = 16 * 1024 * 1024
