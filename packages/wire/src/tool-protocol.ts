// The dispatch protocol, plumb-wire(5): how an agent has its tool calls run. Both ends take their types and their lines from here.
//
//   agent -> dispatcher   {"id":"a","name":"f","input":VALUE}            a ToolRequest, fd 4 of the agent or port tool_req
//   dispatcher -> agent   {"id":"a","content":TEXT,"is_error":BOOLEAN}   a ToolAnswer, fd 5 or port tool_resp
//
// One object a line. Answers come in any order, one for each request, matched by `id`; a request whose id came before gets the first answer
// again and runs nothing (`IdempotencyCache`). The agent ends its requests when it ends; the dispatcher answers what it has, then ends the
// answers. An end of the answers before that fails the calls that are open.

import { type Fault, fault } from './error.js'
import { isRecord } from './is-record.js'
import { eachMember } from './json/members.js'
import { checkJson } from './json/parse.js'
import { skipSpace } from './json/skip.js'
import { stringOf } from './json/tree.js'
import type { LineReader } from './line/reader.js'
import { preview } from './preview.js'
import { fail, type Result, succeed } from './result.js'

export interface ToolRequest {
  /** The model's own id of the call. */
  readonly id: string
  readonly name: string
  /** JSON text as it was written, so that numbers keep their digits. */
  readonly input: string
  /** The depth of the call: 1 in a chain of the model's, else absent. */
  readonly depth?: number
  /** The message of a run by workers that it is made for, so that a service can detect a repeated call. */
  readonly delivery?: string | undefined
  /**
   * The call is not made: may it be? Answered with `true`, `false` or `{"edited":INPUT}`, or with an error where no person is there. Between
   * our own programs.
   */
  readonly asks?: boolean
  /** Why the input that the person gave it cannot be taken. */
  readonly wrong?: string
}

export interface ToolAnswer {
  readonly id: string
  /** JSON text: of the result, or of the error object. */
  readonly content: string
  readonly is_error: boolean
}

/** The end that asks. */
export interface ToolCaller {
  /** Never rejects: a failure is an answer with `is_error`. Fails after `timeoutMs`, or when `signal` fires. */
  call(request: ToolRequest, timeoutMs: number, signal: AbortSignal): Promise<ToolAnswer>
}

/** The end that runs the tools. */
export interface Dispatcher {
  /** Never rejects. A repeated id gets the first answer again and runs nothing. */
  answer(request: ToolRequest): Promise<ToolAnswer>
  /** Stops running calls, which are answered as `cancelled`; later ones are made. Undefined: it cannot. */
  readonly cancel?: () => void
  /** Stops running calls: they and later ones are answered as `cancelled`. Resolves when nothing runs any more. */
  close(): Promise<void>
}

export const writeRequest = ({ id, name, input, depth, delivery, asks, wrong }: ToolRequest): string => {
  const around = depth === undefined ? '' : `,"depth":${depth}`
  const of = delivery === undefined ? '' : `,"delivery":${JSON.stringify(delivery)}`
  const asked = `${asks ? ',"asks":true' : ''}${wrong === undefined ? '' : `,"wrong":${JSON.stringify(wrong)}`}`
  return `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${input}${around}${of}${asked}}`
}

export const writeAnswer = ({ id, content, is_error }: ToolAnswer): string =>
  `{"id":${JSON.stringify(id)},"content":${JSON.stringify(content)},"is_error":${is_error}}`

export const errorAnswer = (id: string, error: unknown): ToolAnswer => ({ id, content: JSON.stringify(error), is_error: true })

export type InboundRequest =
  | { readonly kind: 'request'; readonly request: ToolRequest }
  /** The request with this `id`, if it could be read, waits for an answer. */
  | { readonly kind: 'invalid'; readonly fault: Fault; readonly id: string | undefined }

/** The current line of `reader`. */
export const readRequest = (reader: LineReader): InboundRequest => {
  const { buf, start, end, line, isLast } = reader
  if (reader.fault) return { kind: 'invalid', fault: reader.fault, id: undefined }
  const flaw = checkJson(buf, start, end, isLast)
  if (flaw) return { kind: 'invalid', fault: { ...flaw, line }, id: undefined }
  const { id, name, input, depth, delivery, asks, wrong } = requestFields(buf, start)
  if (id !== undefined && name !== undefined && input !== undefined) {
    const around = { ...(depth === undefined ? {} : { depth }), ...(delivery === undefined ? {} : { delivery }) }
    const more = { ...around, ...(asks ? { asks } : {}), ...(wrong === undefined ? {} : { wrong }) }
    return { kind: 'request', request: { id, name, input, ...more } }
  }
  const missing = id === undefined ? "a string 'id'" : name === undefined ? "a string 'name'" : "'input'"
  const detail = `a request is {"id","name","input"}, and this line has not ${missing}: ${preview(buf.toString('utf8', start, end))}`
  return { kind: 'invalid', fault: fault('input_type_mismatch', detail, { line }), id }
}

const [QUOTE, OPEN] = [0x22, 0x7b]

type Fields = {
  id: string | undefined
  name: string | undefined
  input: string | undefined
  depth: number | undefined
  delivery: string | undefined
  wrong: string | undefined
  asks: boolean
}

// Of several members with one key the last counts. The bytes are JSON.
const requestFields = (buf: Buffer, start: number): Fields => {
  const fields: Fields = {
    ...{ id: undefined, name: undefined, input: undefined, depth: undefined, delivery: undefined, wrong: undefined },
    asks: false,
  }
  const at = skipSpace(buf, start)
  if (buf[at] !== OPEN) return fields
  eachMember(buf, at, (keyStart, keyEnd, start, end) => {
    const key = stringOf({ start: keyStart - 1, end: keyEnd + 1 }, buf)
    if (key === 'input') fields.input = buf.toString('utf8', start, end)
    else if (key === 'asks') fields.asks = buf.toString('utf8', start, end) === 'true'
    else if (key === 'depth') fields.depth = readDepth(buf.toString('utf8', start, end))
    else if (key === 'id' || key === 'name' || key === 'delivery' || key === 'wrong')
      fields[key] = buf[start] === QUOTE ? stringOf({ start, end }, buf) : undefined
  })
  return fields
}

const readDepth = (text: string): number | undefined => (/^[1-9]\d?$/.test(text) ? Number(text) : undefined)

/** A dispatcher in another language may write its result as JSON instead of text, and omit `is_error`. */
export const readCallAnswer = (message: unknown): Result<ToolAnswer> => {
  const { id, content, is_error } = isRecord(message) ? message : {}
  if (typeof id !== 'string') {
    const found = preview(JSON.stringify(message) ?? 'nothing')
    return fail('input_type_mismatch', `an answer to a tool call is {"id","content","is_error"}, found ${found}`)
  }
  if (content === undefined) return succeed(errorAnswer(id, fault('tool_crashed', "the answer to this call has no 'content'")))
  return succeed({ id, content: typeof content === 'string' ? content : JSON.stringify(content), is_error: is_error === true })
}
