// The answer to POST /v1/responses: whole, or as events.

import type { Exchange } from '../../http/exchange.js'
import { statusOf as httpStatusOf, openaiError } from '../../http/problem.js'
import type { Run } from '../../run/run.js'
import { followText } from './answer.js'
import type { OpenaiRequest } from './request.js'

export const answerResponse = async (exchange: Exchange, run: Run, { isStreamed, binding }: OpenaiRequest): Promise<void> => {
  const item = { id: `msg_${run.id}`, type: 'message', role: 'assistant' }
  const partOf = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })
  const response = (status: string, more: object) => ({
    ...{ id: `resp_${run.id}`, object: 'response', created_at: Math.floor(run.created.getTime() / 1000), status, model: binding.name },
    ...{ error: null, incomplete_details: null, instructions: null, max_output_tokens: null, metadata: {}, parallel_tool_calls: true },
    ...{ previous_response_id: null, reasoning: { effort: null, summary: null }, store: false, temperature: null, top_p: null },
    ...{ text: { format: { type: 'text' } }, tool_choice: 'auto', tools: [], truncation: 'disabled', user: null, output: [], usage: null },
    ...more,
  })
  const statusOf = (isCut: boolean): string => (isCut ? 'incomplete' : 'completed')
  const said = (text: string, isCut: boolean) => ({ ...item, status: statusOf(isCut), content: [partOf(text)] })
  const whole = (text: string, isCut: boolean) =>
    response(statusOf(isCut), {
      ...(isCut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
      ...{ output: [said(text, isCut)], usage: usageOf(run) },
    })
  if (!isStreamed) {
    const { text, isCut, failure } = await followText(run, () => {})
    return failure ? exchange.problem(failure) : exchange.json(200, whole(text, isCut))
  }
  let number = 0
  const tell = (type: string, more: object) =>
    exchange.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...more })}\n\n`)
  const place = { output_index: 0, content_index: 0, item_id: item.id }
  let hasBegun = false
  const begin = async (): Promise<void> => {
    if (hasBegun) return
    hasBegun = true
    exchange.stream('text/event-stream')
    await tell('response.created', { response: response('in_progress', {}) })
    await tell('response.in_progress', { response: response('in_progress', {}) })
    await tell('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } })
    await tell('response.content_part.added', { ...place, part: partOf('') })
  }
  const { text, isCut, failure } = await followText(run, async (delta) => {
    await begin()
    await tell('response.output_text.delta', { ...place, delta, logprobs: [] })
  })
  if (failure && !hasBegun) return exchange.problem(failure)
  await begin()
  if (failure) {
    const { message, code } = openaiError(failure, httpStatusOf(failure)).error
    await tell('response.failed', { response: response('failed', { error: { code, message } }) })
    return exchange.end()
  }
  await tell('response.output_text.done', { ...place, text, logprobs: [] })
  await tell('response.content_part.done', { ...place, part: partOf(text) })
  await tell('response.output_item.done', { output_index: 0, item: said(text, isCut) })
  await tell(`response.${statusOf(isCut)}`, { response: whole(text, isCut) })
  exchange.end()
}

const usageOf = ({ usage: { input, output, cached, reasoning } }: Run) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
})
