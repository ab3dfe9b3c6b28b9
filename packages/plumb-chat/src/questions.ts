// Questions of agents whose model is a person, and that is whoever chats: the next message that is typed is the answer, or one of its fields.

import { type AnswerForm, answerForm, shownQuestion } from '@plumb/ledger/approval'
import { escapeLines } from '@plumb/wire'
import { isJson } from '@plumb/wire/json'
import type { ControlEvent } from './program/events.js'

export interface QuestionPromptParts {
  readonly notice: (text: string) => void
  readonly answer: (id: string, json: string) => void
}

interface Question {
  readonly id: string
  readonly form: AnswerForm
  readonly texts: string[]
}

export class QuestionPrompts {
  readonly #parts: QuestionPromptParts
  #waiting: Question[] = []

  constructor(parts: QuestionPromptParts) {
    this.#parts = parts
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  add({ id, agent, prompt, input, inputText, schema, wrong }: ControlEvent): void {
    if (typeof id !== 'string') return
    const { notice } = this.#parts
    const question = { agent: String(agent), prompt: String(prompt ?? ''), input: inputText ?? JSON.stringify(input ?? null), schema }
    if (wrong === undefined) notice(shownQuestion(question))
    else notice(escapeLines(String(wrong)))
    this.#waiting.push({ id, form: answerForm(schema), texts: [] })
    if (this.#waiting.length === 1) this.#ask()
  }

  /** What was typed. */
  take(text: string): void {
    const [question] = this.#waiting
    if (!question) return
    const { id, form, texts } = question
    texts.push(text)
    if (text.trim() === 'skip') return this.#say(id, `{"skip":${JSON.stringify(id)}}`)
    const isWhole = texts.length === 1 && form.fields.length > 1 && text.trim().startsWith('{')
    if (!isWhole && texts.length < form.fields.length) return this.#ask()
    const json = isWhole ? text : form.join(texts)
    // What is no JSON goes as a text, and does not fit: it is asked again.
    this.#say(id, `{"answer":${JSON.stringify(id)},"value":${isJson(json) ? json.replace(/[\r\n]+/g, ' ') : JSON.stringify(json)}}`)
  }

  /** Nothing waits any more. */
  end(): void {
    this.#waiting = []
  }

  #say(id: string, json: string): void {
    this.#waiting.shift()
    this.#parts.answer(id, json)
    this.#ask()
  }

  #ask(): void {
    const [question] = this.#waiting
    const field = question?.form.fields[question.texts.length]
    if (field) this.#parts.notice(`${field.ask}, or skip:`)
  }
}
