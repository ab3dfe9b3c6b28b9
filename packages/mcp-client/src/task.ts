// Tasks (io.modelcontextprotocol/tasks): what a server says of a call that goes on behind its answer.

import { isRecord, preview } from '@plumb/wire'
import { declining, type RpcParams } from './revision.js'

export type TaskState =
  /** To be asked after again, after this time. */
  | { readonly kind: 'goes on'; readonly pollMs: number; readonly responses: Readonly<Record<string, unknown>> }
  | { readonly kind: 'completed'; readonly result: RpcParams }
  | { readonly kind: 'failed'; readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly kind: 'wrong'; readonly why: string }

const POLL_MS = 1000
/** What a server wants is kept within these. */
const [MIN_POLL_MS, MAX_POLL_MS] = [100, 30_000]

export const readTask = ({ status, pollIntervalMs, inputRequests, result, error, statusMessage }: RpcParams): TaskState => {
  const wrong = (why: string): TaskState => ({ kind: 'wrong', why })
  const wanted = typeof pollIntervalMs === 'number' ? pollIntervalMs : POLL_MS
  const pollMs = Math.min(Math.max(wanted, MIN_POLL_MS), MAX_POLL_MS)
  if (status === 'working') return { kind: 'goes on', pollMs, responses: {} }
  if (status === 'completed')
    return isRecord(result) ? { kind: 'completed', result } : wrong('says that its task is completed, and has no result')
  if (status === 'cancelled') return wrong('says that its task was cancelled')
  if (status === 'failed') {
    const { code, message, data } = isRecord(error) ? error : {}
    return {
      kind: 'failed',
      error: {
        code: Number.isInteger(code) ? (code as number) : INTERNAL_ERROR,
        message: ([message, statusMessage].find((words) => typeof words === 'string') as string | undefined) ?? 'its task failed',
        ...(data === undefined ? {} : { data }),
      },
    }
  }
  if (status !== 'input_required')
    return wrong(`has a task with a 'status' that is not known: ${preview(JSON.stringify(status) ?? 'none')}`)
  const responses = declining(inputRequests)
  return typeof responses === 'string' ? wrong(responses) : { kind: 'goes on', pollMs, responses }
}

const INTERNAL_ERROR = -32_603
