// What of a run waits for a person: calls that need one, and questions to one, each with the command that answers.

import type { ListedCall } from '@plumb/ledger/approval'
import { isRecord } from '@plumb/wire'
import { memberText } from '@plumb/wire/json'
import { counted } from './article.js'
import { type Html, html } from './html.js'
import type { InputModel } from './inputs.js'
import { code, prose, value } from './value.js'
import { card, linkTo } from './verdict-card.js'

/** Inputs that are named. */
const MAX_INPUTS = 8

/** `directory`: the record, as commands name it. */
export const waits = (inputs: readonly InputModel[], waiting: readonly ListedCall[], directory: string): Html | undefined => {
  const seqs = inputs.filter(({ state, seq }) => state === 'waiting' && seq > 0).map(({ seq }) => seq)
  if (waiting.length === 0 && seqs.length === 0) return undefined
  const named = JSON.stringify(directory).slice(1, -1)
  const questions = waiting.filter((one) => questionIn(one) !== undefined).length
  const calls = waiting.length - questions
  const kinds = [...(questions > 0 ? [counted(questions, 'question')] : []), ...(calls > 0 ? [counted(calls, 'call')] : [])]
  const what = kinds.length > 0 ? kinds.join(' and ') : counted(seqs.length, 'input')
  const title = `${what} wait${(waiting.length || seqs.length) === 1 ? 's' : ''} for a person`
  const inputsOf =
    seqs.length === 0
      ? undefined
      : html`<p>Of ${seqs.slice(0, MAX_INPUTS).map((seq) => html`${linkTo(seq)} `)}${seqs.length > MAX_INPUTS ? `and ${seqs.length - MAX_INPUTS} more` : ''}. <code>plumb --resume ${named}</code> goes on with what is decided.</p>`
  return card(
    'waiting',
    title,
    waiting.map((one) => itemOf(one, named)),
    inputsOf,
  )
}

const itemOf = (one: ListedCall, directory: string): Html => {
  const { id, tool, input, process, since } = one
  const time = since.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
  const question = questionIn(one)
  if (question)
    return html`<b>${tool}</b> is asked, since ${time}${question.prompt === '' ? undefined : prose(question.prompt)}${value(question.input)}<code>plumb answer ${directory} ${id} VALUE</code> or <code>plumb answer --skip ${directory} ${id}</code>`
  return html`<b>${tool}</b> asked for by ${process}, since ${time}
${code(input)}<code>plumb approve ${directory} ${id}</code> or <code>plumb approve --deny ${directory} ${id}</code>`
}

interface ShownQuestion {
  readonly prompt: string
  /** JSON, as it lies there. */
  readonly input: string
}

/** Of an agent whose model is a person. Undefined: it is a call of a tool. */
const questionIn = ({ kind, input }: ListedCall & { readonly kind?: string }): ShownQuestion | undefined => {
  if (kind !== 'person') return undefined
  try {
    const asked: unknown = JSON.parse(input)
    if (!isRecord(asked) || typeof asked.prompt !== 'string') return undefined
    return { prompt: asked.prompt, input: memberText(Buffer.from(input), 'input') ?? 'null' }
  } catch {
    return undefined
  }
}
