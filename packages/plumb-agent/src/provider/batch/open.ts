// Opens the batch lane of a provider, at the first request that uses it.

import { type ApiCallsOptions, openApiCalls } from '../http/api-calls.js'
import type { Protocol } from '../protocol.js'
import { type BatchLane, openLane } from './lane.js'
import { NO_NOTES, openNotes } from './notes.js'

export interface BatchLaneOptions {
  readonly protocol: Pick<Protocol, 'openBatches' | 'pathOf'>
  readonly endpoint: URL
  /** The headers of a request without a body. */
  readonly headers: Readonly<Record<string, string>>
  readonly calls: ApiCallsOptions
  readonly maxRetries: number
  /** The directory of notes. Undefined: none. */
  readonly directory: string | undefined
}

export const openBatchLane = async ({
  protocol,
  endpoint,
  headers,
  calls,
  maxRetries,
  directory,
}: BatchLaneOptions): Promise<BatchLane> => {
  const api = await protocol.openBatches(openApiCalls(calls), endpoint, headers)
  const at = `${endpoint.origin}${protocol.pathOf(endpoint)}`
  return openLane({ api, timing: calls.timing, maxRetries, notes: directory === undefined ? NO_NOTES : openNotes(directory, at) })
}
