// ELIZA as a provider: the whole agent protocol without a network, a key or chance.

import { type Json, resolve, type Type } from '@plumb/lang'
import { fail, succeed } from '@plumb/wire'
import type { Message, Provider, Question } from '../provider.js'
import { fit } from './fit.js'
import { hear } from './hear.js'
import type { Script } from './rule.js'
import { ElizaSession } from './session.js'

/**
 * A session is a pure function of the script and of what the user said, so the memory needs no state besides the messages: where the
 * history is not the one that this session has lived through (a memory was set, an answer was cancelled, `amnesiac`), a fresh session
 * hears it again. That costs some microseconds a message, once.
 */
export const openEliza = (script: Script): Provider => {
  let session = new ElizaSession(script)
  let lived: readonly Message[] = []
  let livedLength = 0
  let tokens = 0

  const follow = ({ history, input }: Question): void => {
    if (history === lived && history.length === livedLength) return
    session = new ElizaSession(script)
    tokens = 0
    for (const { role, content } of history) {
      if (role === 'user') session.reply(heard(content, input))
      tokens += countTokens(content)
    }
  }

  return {
    answer: async (question) => {
      const { history, turn, input, output } = question
      follow(question)
      lived = history
      // Unless this answer is dropped, the history grows by it and its question.
      livedLength = history.length + 2
      const said = turn.findLast(({ role }) => role === 'user')?.content ?? ''
      const sentence = session.reply(heard(said, input))
      const value = fit(output, sentence)
      if (value === undefined) return fail('output_type_mismatch', 'no value of the output type ends, so there is no answer')
      const text = resolve(output).kind === 'string' ? sentence : JSON.stringify(value)
      const input_tokens = tokens + countTokens(said)
      const output_tokens = countTokens(text)
      tokens = input_tokens + output_tokens
      return succeed({ text, usage: { input_tokens, output_tokens, cache_read_tokens: 0, cache_creation_tokens: 0 } })
    },
  }
}

const heard = (content: Json, input: Type): string => hear(content, resolve(input).kind === 'string')

// Four tokens for three words, as English text has about.
const countTokens = (content: Json): number => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return Math.max(1, Math.ceil(((text.match(/\S+/g)?.length ?? 0) * 4) / 3))
}
