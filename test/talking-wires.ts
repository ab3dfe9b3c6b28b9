// What a model streams over each wire, piece by piece: the Messages API, Chat Completions, and Responses.

import { createRequire } from 'node:module'
import { resolve } from 'node:path'

export type Wire = 'messages' | 'chat' | 'responses'

/** Each method returns what is sent next. */
export interface Speaker {
  start(): string
  say(text: string): string
  think(text: string): string
  call(name: string, input: unknown): string
  end(): string
}

interface StubModel {
  readonly START: string
  startText(index: number): string
  moreText(index: number, text: string): string
  thinking(index: number, text: string): string
  call(index: number, id: string, name: string, input: unknown): string
  stopBlock(index: number): string
  stop(reason: 'tool_use' | 'end_turn'): string
}

// Tests run in the root.
const stub: StubModel = createRequire(resolve('package.json'))('./scripts/stub-model.cjs')

const messages = (): Speaker => {
  let index = 0
  let hasCalled = false
  let isTexting = false
  const stopText = (): string => {
    const sent = isTexting ? stub.stopBlock(index++) : ''
    isTexting = false
    return sent
  }
  return {
    start: () => stub.START,
    say: (text) => {
      const start = isTexting ? '' : stub.startText(index)
      isTexting = true
      return start + stub.moreText(index, text)
    },
    think: (text) => {
      const sent = stopText() + stub.thinking(index, text) + stub.stopBlock(index)
      index++
      return sent
    },
    call: (name, input) => {
      hasCalled = true
      const sent = stopText() + stub.call(index, `call_${index}`, name, input) + stub.stopBlock(index)
      index++
      return sent
    },
    end: () => stopText() + stub.stop(hasCalled ? 'tool_use' : 'end_turn'),
  }
}

const data = (...events: readonly unknown[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

const chat = (): Speaker => {
  let calls = 0
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    data({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, finish_reason }] })
  return {
    start: () => chunk({ role: 'assistant', content: '' }),
    say: (content) => chunk({ content }),
    think: (reasoning_content) => chunk({ reasoning_content }),
    call: (name, input) => {
      const index = calls++
      const called = { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }
      return chunk({ tool_calls: [called] }) + chunk({ tool_calls: [{ index, function: { arguments: JSON.stringify(input) } }] })
    },
    end: () =>
      `${chunk({}, calls > 0 ? 'tool_calls' : 'stop')}${data({ id: 'c', choices: [], usage: { prompt_tokens: 10, completion_tokens: 2 } })}data: [DONE]\n\n`,
  }
}

const responses = (): Speaker => {
  const output: object[] = []
  let text: string | undefined
  const stopText = (): string => {
    if (text === undefined) return ''
    const item = { type: 'message', id: `m${output.length}`, role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }
    text = undefined
    return added(item)
  }
  const added = (item: object): string => {
    output.push(item)
    return data({ type: 'response.output_item.done', output_index: output.length - 1, item })
  }
  const at = () => ({ output_index: output.length, item_id: `m${output.length}` })
  return {
    start: () => data({ type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }),
    say: (delta) => {
      const item = { type: 'message', id: `m${output.length}`, role: 'assistant', content: [] }
      const start = text === undefined ? data({ type: 'response.output_item.added', output_index: output.length, item }) : ''
      text = (text ?? '') + delta
      return start + data({ type: 'response.output_text.delta', content_index: 0, ...at(), delta })
    },
    think: (delta) => {
      const before = stopText()
      const item = { type: 'reasoning', id: `m${output.length}`, summary: [] }
      const begun = data(
        { type: 'response.output_item.added', output_index: output.length, item },
        { type: 'response.reasoning_summary_text.delta', summary_index: 0, ...at(), delta },
      )
      return before + begun + added({ ...item, summary: [{ type: 'summary_text', text: delta }] })
    },
    call: (name, input) => {
      const before = stopText()
      const id = `m${output.length}`
      const item = { type: 'function_call', id, call_id: `call_${output.length}`, name, arguments: '' }
      const delta = JSON.stringify(input)
      const begun = data(
        { type: 'response.output_item.added', output_index: output.length, item },
        { type: 'response.function_call_arguments.delta', ...at(), delta },
      )
      return before + begun + added({ ...item, arguments: delta })
    },
    end: () => {
      const before = stopText()
      const response = { id: 'r', status: 'completed', output, usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 } }
      return before + data({ type: 'response.completed', response })
    },
  }
}

const SPEAKERS: Readonly<Record<Wire, () => Speaker>> = { messages, chat, responses }

/** Of one answer. */
export const speaker = (wire: Wire): Speaker => SPEAKERS[wire]()
