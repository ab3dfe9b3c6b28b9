// The answer to POST /v1/chat/completions: whole, or as chunks.

import type { Exchange } from '../../http/exchange.js'
import { openaiError, statusOf } from '../../http/problem.js'
import type { Run } from '../../run/run.js'
import { followText } from './answer.js'
import type { OpenaiRequest } from './request.js'

export const answerChat = async (exchange: Exchange, run: Run, { isStreamed, wantsUsage, binding }: OpenaiRequest): Promise<void> => {
  const created = Math.floor(run.created.getTime() / 1000)
  const head = { id: `chatcmpl-${run.id}`, created, model: binding.name }
  if (!isStreamed) {
    const { text, isCut, failure } = await followText(run, () => {})
    if (failure) return exchange.problem(failure)
    const message = { role: 'assistant', content: text, refusal: null, annotations: [] }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: reasonOf(isCut) }]
    return exchange.json(200, { ...head, object: 'chat.completion', choices, usage: usageOf(run), system_fingerprint: null })
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    exchange.write(
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...(wantsUsage ? { usage: null } : {}) })}\n\n`,
    )
  let hasBegun = false
  const begin = async (): Promise<void> => {
    if (hasBegun) return
    hasBegun = true
    exchange.stream('text/event-stream')
    await chunk({ role: 'assistant', content: '', refusal: null })
  }
  const { isCut, failure } = await followText(run, async (content) => {
    await begin()
    await chunk({ content })
  })
  // An error before the first text has a status.
  if (failure && !hasBegun) return exchange.problem(failure)
  await begin()
  if (failure) await exchange.write(`data: ${JSON.stringify(openaiError(failure, statusOf(failure)))}\n\n`)
  else {
    await chunk({}, reasonOf(isCut))
    const last = { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(run) }
    if (wantsUsage) await exchange.write(`data: ${JSON.stringify(last)}\n\n`)
    await exchange.write('data: [DONE]\n\n')
  }
  exchange.end()
}

const reasonOf = (isCut: boolean): string => (isCut ? 'length' : 'stop')

const usageOf = ({ usage: { input, output, cached, reasoning } }: Run) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
})
