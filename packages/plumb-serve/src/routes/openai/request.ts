// What clients of OpenAI's API send, as the input of a binding and what its agent is to remember of before.

import { resolve as typeOf } from '@plumb/lang'
import { fail, isRecord, parseJson, type Result, succeed } from '@plumb/wire'
import { memberText } from '@plumb/wire/json'
import type { Binding } from '../../binding/binding.js'
import { onOneLine } from '../../http/one-line.js'

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

type Members = Readonly<Record<string, unknown>>

export interface OpenaiBody {
  readonly members: Members
  /** Of a member, as it was written: a number has all its digits. */
  readonly textOf: (name: string) => string | undefined
}

export const readBodyOf = (body: Buffer): Result<OpenaiBody> => {
  const parsed = parseJson(body, 0, body.length)
  if (!parsed.ok) return parsed
  if (!isRecord(parsed.value)) return fail('usage', 'the body is not a JSON object')
  const line = onOneLine(body)
  return succeed({ members: parsed.value, textOf: (name) => memberText(line, name) })
}

export const bindingOf = ({ members }: OpenaiBody, bindings: readonly Binding[]): Result<Binding> => {
  const { model } = members
  if (typeof model !== 'string') return fail('usage', "'model' is missing: it names a binding, as GET /v1/models lists them")
  const binding = bindings.find((one) => one.name === model && isModel(one))
  return binding ? succeed(binding) : fail('no_such_page', `the model '${model.slice(0, 100)}' does not exist`)
}

/** `messages` of Chat Completions. */
export const readChat = (body: OpenaiBody, binding: Binding): Result<OpenaiRequest> => {
  const { messages, stream_options: options, n, response_format: format } = body.members
  if (n !== undefined && n !== 1 && n !== null) return fail('usage', "'n' takes 1: one answer is made")
  if (!Array.isArray(messages) || messages.length === 0) return fail('usage', "'messages' is not a list of messages")
  const said = readAll(messages)
  if (!said.ok) return said
  const refused = whyRefused(body.members, binding, 'response_format', format)
  if (refused) return refused
  const wantsUsage = isRecord(options) && options.include_usage === true
  return requestOf(body, binding, said.value, { wantsUsage, messages: body.textOf('messages') ?? '[]' })
}

/** `input` of Responses: a text, or messages. */
export const readResponse = (body: OpenaiBody, binding: Binding): Result<OpenaiRequest> => {
  const { input, instructions, text, background, previous_response_id: previous } = body.members
  if (previous !== undefined && previous !== null)
    return fail('usage', "'previous_response_id' is not kept here: 'conversation' names a memory")
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  if (!Array.isArray(items) || items.length === 0) return fail('usage', "'input' is not a text or a list of messages")
  const messages = typeof instructions === 'string' ? [{ role: 'system', content: instructions }, ...items] : items
  const said = readAll(messages)
  if (!said.ok) return said
  if (background === true) return fail('usage', "'background' is not taken: POST to the path of a binding with Prefer: respond-async")
  const refused = whyRefused(body.members, binding, 'text.format', isRecord(text) ? text.format : undefined)
  if (refused) return refused
  return requestOf(body, binding, said.value, { wantsUsage: true, messages: JSON.stringify(said.value) })
}

/** What would change the answer, and is not done: an answer without it would be taken for one that has it. */
const whyRefused = ({ stream, tool_choice: choice }: Members, { outputs }: Binding, name: string, format: unknown) => {
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') return fail('usage', "'stream' is true or false")
  const isForced = choice === 'required' || (isRecord(choice) && choice.mode !== 'auto')
  if (isForced) return fail('usage', "'tool_choice' forces a call, and none is made for a client: tools are the binding's own")
  const isText = outputs[0] !== undefined && kindOf(outputs[0]) === 'string'
  if (!isText || !isRecord(format) || format.type === 'text') return undefined
  return fail('usage', `'${name}' asks for JSON, and this model answers with text: the type of a binding says what it answers with`)
}

interface Form {
  readonly wantsUsage: boolean
  /** JSON text. */
  readonly messages: string
}

const requestOf = (
  { members, textOf }: OpenaiBody,
  binding: Binding,
  said: readonly Said[],
  { messages, wantsUsage }: Form,
): Result<OpenaiRequest> => {
  const conversation = conversationOf(members.conversation)
  if (!conversation.ok) return conversation
  const last = said.at(-1) as Said
  if (last.role !== 'user') return fail('usage', "the last message is not of the role 'user'")
  const [type] = binding.inputs
  const own = { wantsUsage, isStreamed: members.stream === true, binding, conversation: conversation.value }
  if (type && messagesIn(type)) {
    const fields = fieldsOf(type).flatMap((name) => {
      const json = name === 'messages' ? messages : textOf(name)
      return json === undefined ? [] : `${JSON.stringify(name)}:${json}`
    })
    return succeed({ ...own, input: Buffer.from(`{${fields.join(',')}}`), before: [] })
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
    const text = plainText(content)
    if (text === undefined) return fail('usage', `message ${i} has content that is not text`)
    said.push({ role, content: text })
  }
  return succeed(said)
}

/** A text, or parts that are text. */
const plainText = (content: unknown): string | undefined => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = content.map((part) => (isRecord(part) && /^(text|input_text|output_text)$/.test(String(part.type)) ? part.text : undefined))
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined
}
