// What clients of OpenAI's API send, as the input of a binding and what its agent is to remember of before.

import { resolve as typeOf } from '@plumb/lang'
import { fail, isRecord, parseJson, type Result, succeed } from '@plumb/wire'
import type { Binding } from '../../binding/binding.js'

export interface Said {
  readonly role: string
  readonly content: string
}

export interface OpenaiRequest {
  readonly binding: Binding
  /** One line of JSON. */
  readonly input: Buffer
  /** The messages before it. */
  readonly before: readonly Said[]
  readonly isStreamed: boolean
  /** In a stream of chunks: usage stands at its end. */
  readonly wantsUsage: boolean
  readonly conversation: string | undefined
}

/** Bindings that are models: of strings, or of records with messages. */
export const isModel = ({ inputs: [input], outputs, isSingle }: Binding): boolean =>
  isSingle && input !== undefined && outputs.length === 1 && (kindOf(input) === 'string' || messagesIn(input))

const kindOf = (type: NonNullable<Binding['inputs'][0]>): string => typeOf(type).kind

const fieldsOf = (type: NonNullable<Binding['inputs'][0]>): readonly string[] => {
  const found = typeOf(type)
  return found.kind === 'record' ? found.fields.map(({ name }) => name) : []
}

const messagesIn = (type: NonNullable<Binding['inputs'][0]>): boolean => fieldsOf(type).includes('messages')

export const readBodyOf = (body: Buffer): Result<Readonly<Record<string, unknown>>> => {
  const parsed = parseJson(body, 0, body.length)
  if (!parsed.ok) return parsed
  return isRecord(parsed.value) ? succeed(parsed.value) : fail('usage', 'the body is not a JSON object')
}

export const bindingOf = (body: Readonly<Record<string, unknown>>, bindings: readonly Binding[]): Result<Binding> => {
  const { model } = body
  if (typeof model !== 'string') return fail('usage', "'model' is missing: it names a binding, as GET /v1/models lists them")
  const binding = bindings.find((one) => one.name === model && isModel(one))
  return binding ? succeed(binding) : fail('no_such_page', `the model '${model.slice(0, 100)}' does not exist`)
}

/** `messages` of Chat Completions. */
export const readChat = (body: Readonly<Record<string, unknown>>, binding: Binding): Result<OpenaiRequest> => {
  const { messages, stream, stream_options: options, n } = body
  if (n !== undefined && n !== 1 && n !== null) return fail('usage', "'n' takes 1: one answer is made")
  if (!Array.isArray(messages) || messages.length === 0) return fail('usage', "'messages' is not a list of messages")
  const said = readAll(messages)
  if (!said.ok) return said
  const wantsUsage = isRecord(options) && options.include_usage === true
  return requestOf(body, binding, said.value, { isStreamed: stream === true, wantsUsage, messages })
}

/** `input` of Responses: a text, or messages. */
export const readResponse = (body: Readonly<Record<string, unknown>>, binding: Binding): Result<OpenaiRequest> => {
  const { input, instructions, stream, previous_response_id: previous } = body
  if (previous !== undefined && previous !== null)
    return fail('usage', "'previous_response_id' is not kept here: 'conversation' names a memory")
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  if (!Array.isArray(items) || items.length === 0) return fail('usage', "'input' is not a text or a list of messages")
  const messages = typeof instructions === 'string' ? [{ role: 'system', content: instructions }, ...items] : items
  const said = readAll(messages)
  if (!said.ok) return said
  return requestOf(body, binding, said.value, { isStreamed: stream === true, wantsUsage: true, messages: said.value })
}

interface Form {
  readonly isStreamed: boolean
  readonly wantsUsage: boolean
  readonly messages: readonly unknown[]
}

const requestOf = (
  body: Readonly<Record<string, unknown>>,
  binding: Binding,
  said: readonly Said[],
  { messages, ...form }: Form,
): Result<OpenaiRequest> => {
  const conversation = conversationOf(body.conversation)
  if (!conversation.ok) return conversation
  const last = said.at(-1) as Said
  if (last.role !== 'user') return fail('usage', "the last message is not of the role 'user'")
  const [type] = binding.inputs
  const own = { ...form, binding, conversation: conversation.value }
  if (type && messagesIn(type)) {
    const fields = fieldsOf(type).filter((name) => name !== 'messages' && body[name] !== undefined)
    const input = { ...Object.fromEntries(fields.map((name) => [name, body[name]])), messages }
    return succeed({ ...own, input: Buffer.from(JSON.stringify(input)), before: [] })
  }
  return succeed({ ...own, input: Buffer.from(JSON.stringify(last.content)), before: said.slice(0, -1) })
}

const conversationOf = (given: unknown): Result<string | undefined> => {
  const id = isRecord(given) ? given.id : given
  if (id === undefined || id === null) return succeed(undefined)
  return typeof id === 'string' && CONVERSATION.test(id)
    ? succeed(id)
    : fail('usage', "'conversation' takes an id of 1 to 200 characters of ASCII")
}

export const CONVERSATION = /^[!-~]{1,200}$/

const ROLES = ['system', 'developer', 'user', 'assistant']

const readAll = (messages: readonly unknown[]): Result<readonly Said[]> => {
  const said: Said[] = []
  for (const [i, message] of messages.entries()) {
    const { role, content, type } = isRecord(message) ? message : {}
    if (type !== undefined && type !== 'message')
      return fail('usage', `message ${i} is a '${String(type).slice(0, 50)}', and only messages are taken`)
    if (typeof role !== 'string' || !ROLES.includes(role))
      return fail('usage', `message ${i} has a role that is not taken: it takes ${ROLES.join(', ')}; tools are the binding's own`)
    const text = textOf(content)
    if (text === undefined) return fail('usage', `message ${i} has content that is not text`)
    said.push({ role, content: text })
  }
  return succeed(said)
}

/** A text, or parts that are text. */
const textOf = (content: unknown): string | undefined => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = content.map((part) => (isRecord(part) && /^(text|input_text|output_text)$/.test(String(part.type)) ? part.text : undefined))
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined
}
