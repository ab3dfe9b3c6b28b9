// Connects to a database that may be away: for a worker, or a submitter.

import { fault, type Result } from '@plumb/wire'
import { type Connection, checkSchema, connect } from './connection.js'

export interface PatienceOptions {
  readonly url: string
  readonly isInsecure: boolean
  readonly patienceSeconds: number
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000

/** Retries until there is a server, or its time is up; a permanent error is reported at once. */
export const connectWithRetries = async (
  { url, isInsecure, patienceSeconds }: PatienceOptions,
  isStopped: () => boolean,
): Promise<Result<Connection>> => {
  const until = Date.now() + patienceSeconds * 1000
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const connection = await connect(url, isInsecure, true)
    if (connection.ok) {
      const schema = await checkSchema(connection.value)
      if (schema.ok) return connection
      await connection.value.close()
      return schema
    }
    if (connection.error.error !== 'engine_unavailable' || isStopped() || Date.now() + pauseMs > until) return connection
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

export const FULL = fault('engine_full', 'the database has no room on its disk: what is done here is kept, and settled when there is some')
