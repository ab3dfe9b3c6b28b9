// Anthropic's Message Batches: they carry no metadata of a client, so that only the results show whose a batch is.

import type { BatchCreateParams, MessageBatch, MessageBatchIndividualResponse } from '@anthropic-ai/sdk/resources/messages/batches'
import { type BatchApi, type BatchResult, type BatchState, type NewBatch, notRun, requestIdOf } from '../batch/api.js'
import type { ApiCalls } from '../http/api-calls.js'
import { replyFailures } from '../http/api-error.js'
import { type Attempt, failWith } from '../http/failure.js'
import { at, listAt, numberAt, textAt } from '../http/json-path.js'

/** `path`: of the Messages API. */
export const openMessageBatches = (calls: ApiCalls, endpoint: URL, path: string, headers: Readonly<Record<string, string>>): BatchApi => {
  const { host } = calls
  const base = `${path}/batches`
  const readState = (attempt: Attempt<unknown>): Attempt<BatchState> => {
    if (!attempt.ok) return attempt
    const state = stateOf(attempt.value)
    return state ? { ok: true, value: state } : failWith('bad_reply', `${host} answered with what is not a batch`, false)
  }
  return {
    host,
    isMarked: false,
    maxRequests: 100_000,
    maxBytes: 256_000_000,
    entryBytes: 120,
    create: async (batch, signal) => {
      const sized = { ...batch.headers, 'content-length': String(lengthOf(batch)) }
      return readState(await calls.json({ path: base, headers: sized, body: piecesOf(batch) }, signal))
    },
    state: async (id, signal) => readState(await calls.json({ path: `${base}/${encodeURIComponent(id)}`, headers }, signal)),
    list: async (after, signal) => {
      const more = after === undefined ? '' : `&after_id=${encodeURIComponent(after)}`
      const page = await calls.json({ path: `${base}?limit=100${more}`, headers }, signal)
      if (!page.ok) return page
      const next = at(page.value, 'has_more') === true ? textAt(page.value, 'last_id') : undefined
      return { ok: true, value: { batches: listAt(page.value, 'data').flatMap((raw) => stateOf(raw) ?? []), next } }
    },
    read: (state, take, signal) =>
      calls.lines({ path: resultsPath(state, endpoint, base), headers }, (line) => take(resultOf(line, calls)), signal),
  }
}

function* piecesOf({ mark, bodies }: Pick<NewBatch, 'mark' | 'bodies'>): Generator<string> {
  yield '{"requests":['
  for (const [place, body] of bodies.entries()) {
    const id: BatchCreateParams.Request['custom_id'] = requestIdOf(mark, place)
    yield `${place === 0 ? '' : ','}{"custom_id":"${id}","params":${body}}`
  }
  yield ']}'
}

const lengthOf = (batch: Pick<NewBatch, 'mark' | 'bodies'>): number => {
  let bytes = 0
  for (const piece of piecesOf(batch)) bytes += Buffer.byteLength(piece)
  return bytes
}

// The address in the reply is used only if it is on the same origin: the key is sent to it.
const resultsPath = ({ id, raw }: BatchState, { origin }: URL, base: string): string => {
  const address = textAt(raw, 'results_url' satisfies keyof MessageBatch) ?? ''
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.origin === origin ? `${url.pathname}${url.search}` : `${base}/${encodeURIComponent(id)}/results`
}

const stateOf = (raw: unknown): BatchState | undefined => {
  const id = textAt(raw, 'id')
  const status = textAt(raw, 'processing_status' satisfies keyof MessageBatch)
  if (id === undefined || status === undefined) return undefined
  const count = (kind: keyof MessageBatch['request_counts']) => numberAt(raw, 'request_counts', kind)
  const counts = [count('processing'), count('succeeded'), count('errored'), count('canceled'), count('expired')]
  const isCounted = counts.every((one) => one !== undefined)
  const requests = isCounted ? counts.reduce((sum, one) => sum + (one ?? 0), 0) : undefined
  return {
    id,
    status,
    isOver: status === ('ended' satisfies MessageBatch['processing_status']),
    isCutShort: false,
    requests,
    done: (requests ?? 0) - (count('processing') ?? 0),
    createdMs: Date.parse(textAt(raw, 'created_at') ?? ''),
    mark: undefined,
    file: undefined,
    raw,
  }
}

const resultOf = (line: unknown, { host, keyHint }: ApiCalls): BatchResult => {
  const id = textAt(line, 'custom_id' satisfies keyof MessageBatchIndividualResponse) ?? ''
  const result = at(line, 'result')
  switch (textAt(result, 'type')) {
    case 'succeeded':
      return { id, reply: { ok: true, value: at(result, 'message') } }
    case 'errored': {
      const error = at(result, 'error', 'error') ?? at(result, 'error')
      const failure = replyFailures(host, keyHint, 'answered in a batch').ofError(error)
      return { id, reply: { ok: false, failure: { ...failure, isUnbilled: true } } }
    }
    case 'expired':
      return { id, reply: notRun(`${host} did not come to it before its batch expired`) }
    case 'canceled':
      return { id, reply: notRun(`its batch was cancelled at ${host}`) }
    default:
      return { id, reply: failWith('bad_reply', `${host} wrote an invalid result of a batch`, false) }
  }
}
