// Control messages: their format, and the replies. The loop applies them.

import { type Identity, identityOfJson, type Json } from '@plumb/lang'
import { type Fault, fail, isRecord, nearest, preview, type Result, succeed } from '@plumb/wire'
import { memberText } from '@plumb/wire/json'
import type { ReplyTo } from '../io/outlets.js'
import { EFFORTS, type Effort, isEffort } from '../provider/effort.js'
import type { ChatMessage } from '../provider/provider.js'
import { describeUnpaired } from '../provider/read-message.js'
import type { ApprovalQuestion } from '../tool/approvals.js'
import type { AskedQuestion } from '../tool/questions.js'

/** One valid message. Any number of fields; a flag that is false requests nothing. */
export interface Control {
  /** null: back to the spec's; also for `model` and `effort`. */
  readonly temperature?: number | null
  readonly model?: string | null
  readonly effort?: Effort | null
  readonly isPause: boolean
  readonly isResume: boolean
  /** What is being answered is dropped; with a number, the inputs up to that one, also those that come only now. */
  readonly cancelled?: 'begun' | number
  readonly isStop: boolean
  readonly wantsMemory: boolean
  readonly memory?: readonly ChatMessage[]
  /** The present memory must equal this, in the form of get_memory, or `memory` is refused. */
  readonly expectedMemory?: readonly ChatMessage[]
  /** Whose memory is meant. */
  readonly conversation?: Identity
  /** Ids of calls that wait for approval. */
  readonly approved?: string
  readonly denied?: { readonly id: string; readonly why: string | undefined }
  /** A call that waits for approval, and what is put in the place of its input. */
  readonly edited?: { readonly id: string; readonly json: string }
  /** Ids of questions that wait, and their answer. */
  readonly answered?: { readonly id: string; readonly json: string }
  readonly skipped?: { readonly id: string; readonly why: string }
}

/** The part of a control message that is applied between two inputs. */
export interface QueuedControl {
  readonly kind: 'control'
  /** Its number among the control messages, from 1. */
  readonly k: number
  readonly control: Control
  readonly replyTo: ReplyTo
}

export type ControlReply =
  | { readonly kind: 'memory'; readonly messages: readonly ChatMessage[] }
  | { readonly kind: 'memory_set'; readonly old_messages: number; readonly new_messages: number }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  | ApprovalQuestion
  | AskedQuestion
  | { readonly kind: 'error'; readonly error: string; readonly category: string; readonly detail: string }

/** One wrong field rejects the whole message, so that nothing is applied partially; the detail names every wrong one. `text`: its JSON. */
export const parseControl = (value: unknown, text: Buffer = Buffer.from(JSON.stringify(value) ?? '')): Result<Control> => {
  if (!isRecord(value)) return refuse(`control message must be an object such as {"pause":true}, found ${show(value)}`)
  const wrong = Object.entries(value).flatMap(([name, field]) => complain(name, field) ?? [])
  if (wrong.length > 0) return refuse(wrong.join('; '))
  const { set_temp, set_model, set_effort, set_memory, if_memory, cancel, approve, deny, edit, answer, skip, why, conversation } =
    value as Fields
  if (if_memory !== undefined && set_memory === undefined)
    return refuse(`'if_memory' says when 'set_memory' may be done, and there is none`)
  if (conversation !== undefined && set_memory === undefined && value.get_memory !== true)
    return refuse(`'conversation' says whose memory 'get_memory' or 'set_memory' means, and there is neither`)
  if ((edit === undefined) !== (value.input === undefined)) return refuse(`'edit' names a call that waits, and 'input' is its new input`)
  if (edit !== undefined && (edit === approve || edit === deny))
    return refuse(`'edit' has the call asked about again, with an id of its own: approve or deny that`)
  if ((answer === undefined) !== (value.value === undefined)) return refuse(`'answer' names a question, and 'value' is its answer`)
  if (why !== undefined && skip === undefined && deny === undefined)
    return refuse(`'why' says why a call is denied, or a question skipped: it goes with 'deny' or 'skip'`)
  return succeed({
    ...(set_temp === undefined ? {} : { temperature: set_temp }),
    ...(set_model === undefined ? {} : { model: set_model }),
    ...(set_effort === undefined ? {} : { effort: set_effort }),
    ...(set_memory === undefined ? {} : { memory: set_memory.map(({ role, content }) => ({ role, content })) }),
    ...(cancel === undefined || cancel === false ? {} : { cancelled: cancel === true ? 'begun' : cancel }),
    ...(if_memory === undefined ? {} : { expectedMemory: if_memory }),
    ...(conversation === undefined ? {} : { conversation: identityOfJson(memberText(text, 'conversation') ?? '') as Identity }),
    ...(approve === undefined ? {} : { approved: approve }),
    ...(deny === undefined ? {} : { denied: { id: deny, why } }),
    ...(edit === undefined ? {} : { edited: { id: edit, json: memberText(text, 'input') ?? '' } }),
    ...(answer === undefined ? {} : { answered: { id: answer, json: memberText(text, 'value') ?? '' } }),
    ...(skip === undefined ? {} : { skipped: { id: skip, why: why ?? '' } }),
    isPause: value.pause === true,
    isResume: value.resume === true,
    isStop: value.stop === true,
    wantsMemory: value.get_memory === true,
  })
}

interface Fields {
  readonly set_temp?: number | null
  readonly set_model?: string | null
  readonly set_effort?: Effort | null
  readonly set_memory?: readonly ChatMessage[]
  readonly if_memory?: readonly ChatMessage[]
  readonly cancel?: boolean | number
  readonly approve?: string
  readonly deny?: string
  readonly edit?: string
  readonly answer?: string
  readonly skip?: string
  readonly why?: string
  readonly conversation?: string | number
}

export const toErrorReply = ({ error, category, detail }: Fault): ControlReply => ({ kind: 'error', error, category, detail })

type Rule = (value: unknown) => string | undefined

const messages: Rule = (value) => (Array.isArray(value) ? complainOfMessages(value) : `takes a list of messages, found ${show(value)}`)

const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : `takes true, found ${show(value)}`)

const id: Rule = (value) => (typeof value === 'string' ? undefined : `takes the id of a call, found ${show(value)}`)

const question: Rule = (value) => (typeof value === 'string' ? undefined : `takes the id of a question, found ${show(value)}`)

const FIELDS: Readonly<Record<string, Rule>> = {
  set_temp: (value) =>
    value === null || (typeof value === 'number' && value >= 0 && value <= 2)
      ? undefined
      : `takes a number from 0 to 2, or null, found ${show(value)}`,
  set_model: (value) => (value === null || typeof value === 'string' ? undefined : `takes a string or null, found ${show(value)}`),
  set_effort: (value) =>
    value === null || isEffort(value)
      ? undefined
      : `takes ${EFFORTS.map((level) => `"${level}"`).join(', ')} or null, found ${show(value)}`,
  stop: flag,
  pause: flag,
  resume: flag,
  cancel: (value) =>
    typeof value === 'boolean' || (Number.isSafeInteger(value) && (value as number) > 0)
      ? undefined
      : `takes true, or the number of an input, found ${show(value)}`,
  get_memory: flag,
  set_memory: messages,
  if_memory: messages,
  approve: id,
  deny: id,
  edit: id,
  input: () => undefined,
  answer: question,
  value: () => undefined,
  skip: question,
  why: (value) => (typeof value === 'string' ? undefined : `takes a text, found ${show(value)}`),
  conversation: (value) =>
    typeof value === 'string' || Number.isFinite(value) ? undefined : `takes a string or a number, found ${show(value)}`,
}

const complain = (name: string, value: unknown): string | undefined => {
  const rule = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
  if (rule) {
    const complaint = rule(value)
    return complaint && `'${name}' ${complaint}`
  }
  const near = nearest(name, Object.keys(FIELDS))
  return (
    `unknown field '${preview(name)}', ` +
    `${near === undefined ? `it takes ${Object.keys(FIELDS).join(', ')}` : `did you mean '${near}'?`}`
  )
}

const complainOfMessages = (messages: readonly unknown[]): string | undefined => {
  for (const [i, message] of messages.entries()) {
    if (!isRecord(message)) return `message ${i} must be an object {"role":…,"content":…}, found ${show(message)}`
    if (typeof message.role !== 'string') return `message ${i} needs a 'role' that is a string, found ${show(message.role)}`
    if (!Object.hasOwn(message, 'content')) return `message ${i} has no 'content'`
    const other = Object.keys(message).find((key) => key !== 'role' && key !== 'content')
    if (other !== undefined) return `message ${i} has an unknown field '${preview(other)}'`
  }
  return describeUnpaired(messages as readonly ChatMessage[])
}

const refuse = (detail: string): Result<never> => fail('input_type_mismatch', detail)

const show = (value: unknown): string => (value === undefined ? 'nothing' : preview(JSON.stringify(value as Json)))
