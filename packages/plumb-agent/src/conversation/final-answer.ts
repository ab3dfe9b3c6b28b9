// Whether what a model said last is an answer of the output type, and the error if it never is.

import { resolve } from '@plumb/lang'
import { type Fault, fail, preview, type Result, scrub, succeed } from '@plumb/wire'
import { type ReadAnswer, readAnswer } from '../answer/read.js'
import { partThinking } from '../answer/thinking.js'
import type { AgentConfig } from '../config/config.js'
import type { ModelAnswer } from '../provider/provider.js'
import { textOfBlocks } from './turn.js'

// A partial answer is not accepted, even if it has the type, unless the spec accepts partial text.
export const validateAnswer = (
  { content, stop, isWrapped }: ModelAnswer,
  { output, maxTokens, keepsCut }: AgentConfig,
): Result<ReadAnswer> => {
  const text = textOfBlocks(content)
  if (stop === 'refused') return fail('answer_refused', `the provider declined to answer${because(text)}`)
  if (stop !== 'tokens') return readAnswer(text, output, isWrapped)
  // What it thought is not part of the answer, cut or not.
  const kept = keepsCut && resolve(output).kind === 'string' ? (partThinking(text)?.rest ?? text) : ''
  if (kept !== '') return succeed({ json: JSON.stringify(kept), repairs: [`cut at max_tokens, ${maxTokens}`] })
  const beginning = text.trim() === '' ? '' : `; it begins '${preview(text.trim(), 80)}'`
  return fail('output_type_mismatch', `answer was cut at max_tokens, ${maxTokens}${beginning}`)
}

const because = (text: string): string => (text.trim() === '' ? '' : `: '${preview(text.trim(), 200)}'`)

// `answer`: the beginning of what was not accepted; the whole of it is in the record.
export const exhausted = (error: Fault, retries: number, text: string): Result<never> => {
  const { error: code, category: _, detail, ...extras } = error
  const answer = text.trim() === '' ? {} : { answer: preview(scrub(text.trim()), MAX_ANSWER) }
  return fail(code, retries === 0 ? detail : `${detail} (after ${retries} ${retries === 1 ? 'retry' : 'retries'})`, {
    ...extras,
    ...answer,
  })
}

/** In characters. */
const MAX_ANSWER = 300
