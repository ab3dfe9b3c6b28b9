// The requests of one agent whose answers are kept, in a cache or in the record of a run: answered requests are not made again.

import { resolve } from 'node:path'
import { type HeldCalls, openHeldCalls } from '@plumb/ledger/approval'
import { type AnswerSource, type Asked, joinKept, type KeptAnswers, openKept } from '@plumb/ledger/kept'
import { type Fault, isFault, isRecord, type Result, succeed } from '@plumb/wire'
import type { AgentConfig } from '../config/config.js'
import type { AgentOptions } from '../options.js'
import type { Answered, ModelAnswer, ModelRequest, ToolResult, ToolUse } from '../provider/provider.js'
import { ANSWERS_END } from '../tool/client.js'
import type { KeptAnswer, KeptCalls } from '../tool/kept-calls.js'
import { type CanonicalRequest, CanonicalRequests } from './canonical-request.js'

export interface KeptQuestions {
  /** Call it when the request is about to be made: the order of these calls counts. A promise only where answers are shared. */
  ask(question: ModelRequest, delivery?: string): KeptQuestion | Promise<KeptQuestion>
  /** Resolves when everything so far is kept, where answers are shared. Undefined: it is at once. */
  readonly flush: (() => Promise<void>) | undefined
  /** The run is recorded. */
  readonly isRecorded: boolean
}

export interface KeptQuestion {
  /** Equal for the same request of a resumed run. */
  readonly key: string
  /** Where a resumed run finds requests that were sent and not answered. */
  readonly directory: string
  /** The kept answer, and its source. Undefined: it has to be requested. */
  readonly found: { readonly answered: Answered; readonly source: AnswerSource } | undefined
  /** It is not kept, and must not be requested. */
  readonly miss: Fault | undefined
  /** Keeps an answer that is complete and was not cancelled. */
  keep(answered: Answered): void
  /** The calls of an answer. Undefined: each is made, whatever happened to it before. */
  callsOf(): KeptCalls | undefined
}

export interface KeptSurroundings {
  readonly config: AgentConfig
  readonly options: AgentOptions['kept']
  /** Of its spec: its answers may hold one, and are not kept. A parent knows better. */
  readonly hasSecrets: boolean
  readonly warn: (warning: Fault) => void
}

export const openKeptQuestions = ({ config, options, hasSecrets, warn }: KeptSurroundings): Result<KeptQuestions> => {
  const { cache = '.', isCacheOnly, keptFd, place = config.agent } = options
  const opened =
    keptFd === undefined
      ? openKept({ stores: [{ path: resolve(cache) }], isOnly: isCacheOnly, places: [place], unrecorded: hasSecrets ? [place] : [] })
      : joinKept(keptFd)
  if (!opened.ok) return opened
  const kept = opened.value
  const held = kept.approvals === undefined ? undefined : openHeldCalls(kept.approvals)
  if (held?.ok === false) return held
  let hasWarned = false
  const warnOnce = (failed: Fault | undefined): void => {
    if (failed && !hasWarned) warn({ ...failed, agent: config.agent })
    hasWarned ||= failed !== undefined
  }
  const requests = new CanonicalRequests(config)
  const beforeAsking = (asked: Asked, request: CanonicalRequest, delivery: string | undefined): KeptQuestion => {
    const answered = asked.found && readAnswered(asked.found.answer)
    return {
      key: nameOf(asked.key),
      directory: kept.batchDirectory,
      found: answered && asked.found && { answered, source: asked.found.source },
      miss: asked.miss,
      keep: (answered) => {
        if (answered.ok) warnOnce(asked.keep({ answer: withoutFacts(answered.value) }))
        else if (kept.hasRecord && isFinal(answered)) warnOnce(asked.keep({ fault: answered.error }))
      },
      callsOf: () => (kept.hasRecord || held ? callsOf({ kept, held: held?.value, place, delivery, request, warnOnce }) : undefined),
    }
  }
  return succeed({
    ask: (question, delivery) => {
      const request = requests.of(question)
      if (!kept.askShared) return beforeAsking(kept.ask(request, place, { delivery }), request, delivery)
      return kept.askShared(request, place, { delivery }).then((asked) => beforeAsking(asked, request, delivery))
    },
    isRecorded: kept.hasRecord,
    flush: kept.flush && (async () => warnOnce(await kept.flush?.())),
  })
}

// They are of the request that was made, and an answer that is given again has none.
const withoutFacts = ({ reply: _, ...answer }: ModelAnswer): ModelAnswer => answer

const nameOf = ({ hash, nth, place }: Asked['key']): string => `${hash} ${nth} ${place}`

interface CallsParts {
  readonly kept: KeptAnswers
  readonly held: HeldCalls | undefined
  readonly place: string
  readonly delivery: string | undefined
  readonly request: CanonicalRequest
  readonly warnOnce: (failed: Fault | undefined) => void
}

// A call is identified by its conversation and its content.
const callsOf = ({ kept, held, place, delivery, request, warnOnce }: CallsParts): KeptCalls => {
  const asked = new Map<ToolUse, Asked>()
  const options = { onlyRecorded: true, delivery }
  return {
    find: (use) => {
      const { name, input, json } = use
      const one = kept.ask(request.followedBy({ call: { name, input, json } }), place, options)
      asked.set(use, one)
      const result = one.found?.answer
      return isResult(result) ? { ...result, tool_use_id: use.id } : undefined
    },
    held: (use, input, schema) => {
      const key = asked.get(use)?.key
      if (!key || !held) return undefined
      const { hash: call, nth } = key
      const why = 'the tool or a rule of the policy asks for consent'
      const process = delivery === undefined ? place : `${place}@${delivery}`
      const asking = held.of({ tool: use.name, input, schema, process, why, call, nth })
      return (steps) => asking.settle({ ...steps, isLost })
    },
    keep: (use, result) => {
      if (!isLost(result)) warnOnce(asked.get(use)?.keep(result))
    },
    inChain:
      ({ name, input: chain }) =>
      ({ name: tool, input }) => {
        const one = kept.ask(request.followedBy({ call: { name: tool, input }, within: { name, input: chain } }), place, options)
        const answer = one.found?.answer
        return {
          found: isAnswer(answer) ? answer : undefined,
          keep: ({ content, is_error, edited }) => {
            if (!isLost({ content, is_error })) warnOnce(one.keep({ content, is_error, ...(edited === undefined ? {} : { edited }) }))
          },
        }
      },
  }
}

const isResult = (value: unknown): value is ToolResult => isRecord(value) && value.type === 'tool_result' && value.content !== undefined

const isAnswer = (value: unknown): value is KeptAnswer =>
  isRecord(value) && typeof value.content === 'string' && typeof value.is_error === 'boolean'

const readAnswered = (value: unknown): Answered | undefined => {
  if (!isRecord(value)) return undefined
  const { answer, fault } = value
  if (isFault(fault)) return { ok: false, error: fault }
  return isRecord(answer) && Array.isArray(answer.content) && isRecord(answer.usage)
    ? { ok: true, value: answer as unknown as ModelAnswer }
    : undefined
}

/** It would be refused again: not a temporary failure, nor a decision by key, budget or person. */
const isFinal = (answered: Answered & { readonly ok: false }): boolean =>
  answered.refusal === undefined &&
  !answered.isOfModel &&
  answered.error.category !== 'unavailable' &&
  !MADE_AGAIN.has(answered.error.error)

/** A call that lost its result: its effect is unknown. */
const isLost = ({ is_error, content }: Pick<ToolResult, 'is_error' | 'content'>): boolean => {
  if (!is_error || typeof content !== 'string') return false
  try {
    const said = JSON.parse(content) as unknown
    return isRecord(said) && (MADE_AGAIN.has(String(said.error)) || ANSWERS_END.has(String(said.detail)))
  } catch {
    return false
  }
}

const MADE_AGAIN = new Set(['cancelled', 'child_failed', 'budget_spent', 'approval_required', 'unauthorized', 'write_failed'])
