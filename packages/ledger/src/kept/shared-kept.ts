// The kept answers of a process in a run by workers: all is asked of the worker, and kept there.

import { randomUUID } from 'node:crypto'
import { type Fault, fault } from '@plumb/wire'
import { placeName } from './entry.js'
import type { AnswerRequest, HashedRequest, KeptAnswers, KeptOptions, SharedPlace } from './interface.js'
import { joinAnswers } from './shared-answers.js'

/** `count`: how often this was counted in the processes of the worker, this time included. */
export const makeSharedKept = (
  fd: number,
  { isOnly, approvals }: KeptOptions,
  { path, isCached, isRecorded, hasRequests }: SharedPlace,
  count: (key: string) => number,
): KeptAnswers => {
  const service = joinAnswers(path)
  // What no message asks for is another request in each process.
  const own = randomUUID()
  let keeping: Promise<unknown> = Promise.resolve()
  let failed: Fault | undefined
  const begin = (request: HashedRequest, at: string, { onlyRecorded = false, delivery = own }: AnswerRequest) => {
    const { hash } = request
    const place = placeName(at)
    const k = count(`${hash} ${place} ${delivery}`)
    /** `nth`: 0: it is not for the cache. */
    const keep = (answer: unknown, nth = 0): undefined => {
      const isForCache = nth > 0 && !onlyRecorded
      if (!isForCache && !isRecorded) return
      const entry = { nth, answer, isCached: isForCache, isRecorded, ...(hasRequests && isForCache ? { request: request.value() } : {}) }
      const kept = service.keep({ hash, place, delivery, k }, entry)
      keeping = Promise.all([keeping, kept.then((fault) => (failed ??= fault))])
    }
    return { shared: { hash, place, delivery, k }, key: { hash, place, nth: k }, keep }
  }
  return {
    fd,
    isOnly,
    approvals,
    hasRecord: isRecorded,
    batchDirectory: '.',
    ask: (request, at, options = {}) => {
      const { key, keep } = begin(request, at, options)
      return { key, found: undefined, miss: undefined, keep: (answer) => keep(answer) }
    },
    askShared: async (request, at, options = {}) => {
      const { shared, key, keep } = begin(request, at, options)
      const nothing = { key, found: undefined, miss: undefined, keep: (answer: unknown) => keep(answer) }
      if (!isCached) return nothing
      const reply = await service.ask(shared)
      if (!reply.ok) return { ...nothing, miss: reply.error }
      const { nth, answer, miss } = reply.value
      if (answer !== undefined) {
        keep(answer)
        return { ...nothing, found: { answer, source: 'cache' } }
      }
      return { ...nothing, miss: miss ? missFault(shared.hash) : undefined, keep: (answer) => keep(answer, nth) }
    },
    flush: async () => {
      await keeping
      const first = failed
      failed = undefined
      return first
    },
  }
}

const missFault = (hash: string): Fault =>
  fault('cache_miss', 'no answer to this request is kept in the cache of the run, and --cache-only makes no request', { request: hash })
