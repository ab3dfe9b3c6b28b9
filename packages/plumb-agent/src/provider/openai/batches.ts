// OpenAI's Batch API, and compatible ones: a file of requests is uploaded, and one or two of results are downloaded.

import type { Batch, BatchCreateParams, BatchError } from 'openai/resources/batches'
import { type BatchApi, type BatchRefusal, type BatchResult, type BatchState, type NewBatch, notRun, requestIdOf } from '../batch/api.js'
import type { ApiCalls } from '../http/api-calls.js'
import { apiFailure, replyFailures } from '../http/api-error.js'
import { type Attempt, failWith } from '../http/failure.js'
import { at, listAt, numberAt, textAt } from '../http/json-path.js'

type Url = Extract<BatchCreateParams['endpoint'], '/v1/chat/completions' | '/v1/responses'>

export interface FileBatchesOptions {
  readonly calls: ApiCalls
  /** Of the API, without a trailing slash. */
  readonly base: string
  /** The endpoint of its requests, in the API's own form, wherever it is. */
  readonly url: Url
  readonly headers: Readonly<Record<string, string>>
}

/** Of `metadata`. */
const MARK = 'plumb'

export const openFileBatches = ({ calls, base, url, headers }: FileBatchesOptions): BatchApi => {
  const { host } = calls
  const readState = (attempt: Attempt<unknown>): Attempt<BatchState> => {
    if (!attempt.ok) return attempt
    const state = stateOf(attempt.value, calls)
    return state ? { ok: true, value: state } : failWith('bad_reply', `${host} answered with what is not a batch`, false)
  }
  const upload = async (batch: NewBatch, signal: AbortSignal): Promise<Attempt<string>> => {
    const boundary = `plumb-${batch.mark}`
    const body = { [Symbol.iterator]: () => formOf(batch, { boundary, url }) }
    const type = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(lengthOf(body)) }
    const made = await calls.json({ path: `${base}/files`, headers: { ...batch.headers, ...type }, body }, signal)
    // A file alone runs nothing: it may be uploaded again, whatever happened to it.
    if (!made.ok) return { ok: false, failure: { ...made.failure, isUnbilled: true, isNotMade: true } }
    const id = textAt(made.value, 'id')
    return id === undefined ? failWith('bad_reply', `${host} answered with what is not a file`, false) : { ok: true, value: id }
  }
  return {
    host,
    isMarked: true,
    maxRequests: 50_000,
    maxBytes: 200_000_000,
    entryBytes: 160,
    create: async (batch, signal) => {
      const file = await upload(batch, signal)
      if (!file.ok) return file
      batch.noteFile(file.value)
      const wanted: BatchCreateParams = {
        input_file_id: file.value,
        endpoint: url,
        completion_window: '24h',
        metadata: { [MARK]: batch.mark },
      }
      const request = { path: `${base}/batches`, headers: batch.headers, body: JSON.stringify(wanted) }
      return readState(await calls.json(request, signal))
    },
    state: async (id, signal) => readState(await calls.json({ path: `${base}/batches/${encodeURIComponent(id)}`, headers }, signal)),
    list: async (after, signal) => {
      const more = after === undefined ? '' : `&after=${encodeURIComponent(after)}`
      const page = await calls.json({ path: `${base}/batches?limit=100${more}`, headers }, signal)
      if (!page.ok) return page
      const batches = listAt(page.value, 'data').flatMap((raw) => stateOf(raw, calls) ?? [])
      const next = at(page.value, 'has_more') === true ? (textAt(page.value, 'last_id') ?? batches.at(-1)?.id) : undefined
      return { ok: true, value: { batches, next } }
    },
    read: async (state, take, signal) => {
      // Errors are in a file of their own.
      for (const key of ['output_file_id', 'error_file_id'] as const satisfies readonly (keyof Batch)[]) {
        const file = textAt(state.raw, key)
        if (file === undefined) continue
        let hasEnough = false
        const takeLine = (line: unknown) => {
          const asked = take(resultOf(line, calls))
          hasEnough = asked === 'enough'
          return asked
        }
        const read = await calls.lines({ path: `${base}/files/${encodeURIComponent(file)}/content`, headers }, takeLine, signal)
        if (!read.ok || hasEnough) return read
      }
      return { ok: true, value: undefined }
    },
  }
}

function* formOf({ mark, bodies }: NewBatch, { boundary, url }: { readonly boundary: string; readonly url: Url }): Generator<string> {
  yield `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n`
  yield `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="plumb-${mark}.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n`
  for (const [place, body] of bodies.entries())
    yield `{"custom_id":"${requestIdOf(mark, place)}","method":"POST","url":"${url}","body":${body}}\n`
  yield `\r\n--${boundary}--\r\n`
}

const lengthOf = (pieces: Iterable<string>): number => {
  let bytes = 0
  for (const piece of pieces) bytes += Buffer.byteLength(piece)
  return bytes
}

const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled'] satisfies Batch['status'][])
const CUT_SHORT: ReadonlySet<string> = new Set(['expired', 'cancelled'] satisfies Batch['status'][])

const stateOf = (raw: unknown, calls: ApiCalls): BatchState | undefined => {
  const [id, status] = [textAt(raw, 'id'), textAt(raw, 'status' satisfies keyof Batch)]
  if (id === undefined || status === undefined) return undefined
  const count = (kind: keyof NonNullable<Batch['request_counts']>) => numberAt(raw, 'request_counts', kind)
  const refused = status === ('failed' satisfies Batch['status']) ? refusalOf(raw, calls) : undefined
  return {
    id,
    status,
    isOver: OVER.has(status),
    isCutShort: CUT_SHORT.has(status),
    // Zero until the file was validated.
    requests: count('total') || undefined,
    done: (count('completed') ?? 0) + (count('failed') ?? 0),
    createdMs: (numberAt(raw, 'created_at') ?? Number.NaN) * 1000,
    mark: textAt(raw, 'metadata', MARK),
    file: textAt(raw, 'input_file_id'),
    ...(refused ? { refused } : {}),
    raw,
  }
}

const refusalOf = (raw: unknown, { host, keyHint }: ApiCalls): BatchRefusal => {
  const errors = listAt(raw, 'errors', 'data')
  const [first] = errors
  const code = textAt(first, 'code' satisfies keyof BatchError)
  const event = { type: code, message: textAt(first, 'message') }
  const failure = { ...replyFailures(host, keyHint, 'refused a batch').ofError(event), isUnbilled: true }
  const isTooMuch = code === 'token_limit_exceeded'
  const isKnown = failure.fault.error !== 'overloaded'
  const refused = isKnown
    ? failure
    : { ...failWith('provider_refused', failure.fault.detail, false).failure, words: failure.text, isUnbilled: true }
  const places = errors.flatMap((error) => (numberAt(error, 'line' satisfies keyof BatchError) ?? 0) - 1).filter((place) => place >= 0)
  return { failure: { ok: false, failure: { ...refused, isRetryable: false, isShared: true } }, places, isTooMuch }
}

const resultOf = (line: unknown, { host, keyHint }: ApiCalls): BatchResult => {
  const id = textAt(line, 'custom_id') ?? ''
  const code = textAt(line, 'error', 'code')
  if (code === 'batch_expired') return { id, reply: notRun(`${host} did not come to it before its batch expired`) }
  if (code === 'batch_cancelled') return { id, reply: notRun(`its batch was cancelled at ${host}`) }
  const status = numberAt(line, 'response', 'status_code')
  const body = at(line, 'response', 'body')
  if (status !== undefined && status >= 200 && status < 300) return { id, reply: { ok: true, value: body } }
  if (status !== undefined && body !== undefined) {
    const text = JSON.stringify(body)
    return { id, reply: { ok: false, failure: apiFailure({ host, keyHint, status, headers: {}, text, wallMs: 0 }) } }
  }
  const error = at(line, 'error')
  if (!error) return { id, reply: failWith('bad_reply', `${host} wrote an invalid result of a batch`, false) }
  const event = { type: code, message: textAt(error, 'message') }
  return { id, reply: { ok: false, failure: { ...replyFailures(host, keyHint, 'answered in a batch').ofError(event), isUnbilled: true } } }
}
