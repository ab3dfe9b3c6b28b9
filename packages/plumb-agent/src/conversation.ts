// One conversation: an input goes to the provider as the user's message, its answer comes back checked, and both are remembered.

import { printType, toSchema } from '@plumb/lang'
import { type Fault, fail, fault, type Log, nowMs, preview, type Result, succeed } from '@plumb/wire'
import { readAnswer } from './answer/read.js'
import type { Config } from './config.js'
import type { Message, Question } from './provider/provider.js'
import type { Tell } from './telemetry.js'

export interface Conversation {
  /** null: the spec's again. Hold from the next question to the provider, retries included. */
  setTemperature(temperature: number | null): void
  setModel(model: string | null): void
  readonly memory: readonly Message[]
  /** Only between inputs; the system prompt is not part of it. */
  setMemory(messages: readonly Message[]): void
  /** One line of JSON that fits the output type. A failure leaves no trace in the memory. */
  answer(input: string, signal: AbortSignal): Promise<Result<string>>
}

export const openConversation = (config: Config, tell: Tell, log: Log): Conversation => {
  const { provider, maxRetries, isAmnesiac } = config
  let memory: Message[] = []
  let temperature = config.temperature
  let model = config.model

  const ask = async (turn: readonly Message[], signal: AbortSignal): Promise<Result<string>> => {
    const { system, input, output } = config
    const question: Question = { system, history: memory, turn, model, temperature, input, output, tell }
    log('question', { model, history: memory.length, message: turn.at(-1) })
    const startMs = nowMs()
    const answer = await provider.answer(question, signal)
    const ms = Math.round(nowMs() - startMs)
    if (signal.aborted) return { ok: false, error: CANCELLED }
    if (!answer.ok) {
      log('refused', { model, ms, error: answer.error })
      return answer
    }
    log('answer', { model, ms, usage: answer.value.usage, text: answer.value.text })
    tell({ kind: 'usage', ...answer.value.usage, model, ms })
    return succeed(answer.value.text)
  }

  const answer = async (input: string, signal: AbortSignal): Promise<Result<string>> => {
    const user: Message = { role: 'user', content: input }
    const turn = [user]
    for (let retries = 0; ; retries++) {
      const said = await ask(turn, signal)
      if (!said.ok) return said
      const read = readAnswer(said.value, config.output)
      if (read.ok) {
        const { json, mended } = read.value
        if (mended.length > 0) tell({ kind: 'mended', what: mended.join(', ') })
        if (!isAmnesiac) memory.push(user, { role: 'assistant', content: said.value })
        return succeed(json)
      }
      if (retries === maxRetries) return spent(read.error, retries)
      turn.push({ role: 'assistant', content: said.value }, { role: 'user', content: complaint(read.error, config) })
    }
  }

  return {
    setTemperature: (value) => {
      temperature = value ?? config.temperature
    },
    setModel: (name) => {
      model = name ?? config.model
    },
    get memory() {
      return memory
    },
    setMemory: (messages) => {
      memory = [...messages]
    },
    answer,
  }
}

const CANCELLED: Fault = fault('cancelled', 'the answer was dropped on request')

const spent = (error: Fault, retries: number): Result<never> => {
  const { error: code, category: _, detail, ...extras } = error
  return fail(code, retries === 0 ? detail : `${detail} (after ${retries} ${retries === 1 ? 'retry' : 'retries'})`, extras)
}

const complaint = ({ detail }: Fault, { output }: Config): string =>
  [
    `Your last answer was not accepted: ${detail}.`,
    `Answer again with nothing but one JSON value of the type ${preview(printType(output), 400)}.`,
    `Its JSON Schema: ${JSON.stringify(toSchema(output))}`,
  ].join('\n')
