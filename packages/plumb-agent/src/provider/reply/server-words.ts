// A server's own words about what went wrong, wherever it writes them: in a body, in a stream, in another server's error within its own.

import { at, listAt, numberAt, readJson, textAt } from '../http/json-path.js'

export interface ServerWords {
  /** For people: the name of its kind, the message, the parameter. */
  readonly text: string
  /** All of it, in which to look for what it is about. */
  readonly all: string
  /** Names of its kind, such as `rate_limit_error`. */
  readonly kinds: readonly string[]
  /** The number in it that is a status of HTTP, from 400 on. */
  readonly status: number | undefined
}

/** Of a body as it came. */
export const wordsOfBody = (body: string): ServerWords => {
  const read = readJson(body)
  if (read.ok && typeof read.value !== 'string') return wordsOf(read.value)
  const text = /^\s*</.test(body) ? 'a page of HTML' : body.trim()
  return { text, all: body, kinds: [], status: undefined }
}

/** Of an error, or of what holds one. Where no text is found, its JSON stands for it. */
export const wordsOf = (value: unknown): ServerWords => {
  const found: Found = { kinds: [], messages: [], params: [], status: undefined, steps: MAX_STEPS }
  collect(value, found, 0)
  const { kinds, messages, params, status } = found
  const said = [...new Set(messages)].join('; ')
  const about = params.filter((param) => !said.includes(param))
  const [kind] = kinds.filter((one) => !said.includes(one))
  const text =
    said === ''
      ? (JSON.stringify(value) ?? '')
      : `${kind === undefined ? '' : `${kind}: `}${said}${about.map((one) => ` (${one})`).join('')}`
  return { text, all: [...kinds, ...params, said === '' ? text : said].join(' '), kinds, status }
}

interface Found {
  readonly kinds: string[]
  readonly messages: string[]
  readonly params: string[]
  status: number | undefined
  steps: number
}

const MAX_STEPS = 60
const MAX_DEPTH = 6

/** Members that hold the words, or what holds them, in the order in which they are read. */
const HOLDERS = [
  'error',
  'errors',
  'message',
  'msg',
  'detail',
  'error_message',
  'error_msg',
  'title',
  'details',
  'metadata',
  'raw',
  // MiniMax.
  'base_resp',
  'status_msg',
] as const
const KINDS = ['type', 'code', 'status', 'error_code', 'error_type'] as const
const NUMBERS = ['code', 'status', 'status_code', 'http_code', 'raw_status_code', 'error_code'] as const
/** Names that say only that it is an error. */
const NAMELESS: ReadonlySet<string> = new Set(['error', 'response.failed', 'failed', 'about:blank'])

const collect = (value: unknown, found: Found, depth: number): void => {
  if (--found.steps < 0 || depth > MAX_DEPTH) return
  if (typeof value === 'string') return collectText(value, found, depth)
  if (Array.isArray(value)) {
    for (const item of value) collect(item, found, depth + 1)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const key of KINDS) {
    const name = textAt(value, key)
    if (name !== undefined && name !== '' && !/^\d+$/.test(name) && !NAMELESS.has(name)) found.kinds.push(name)
  }
  // OpenRouter, of an input that a filter refused.
  if (textAt(value, 'flagged_input') !== undefined) found.kinds.push('flagged_input')
  for (const key of NUMBERS) found.status ??= statusIn(at(value, key))
  const param = textAt(value, 'param')
  if (param !== undefined && param !== '') found.params.push(param)
  // A complaint of pydantic's, or of zod's, about one member: where that is.
  const place = [...listAt(value, 'loc'), ...listAt(value, 'path')].filter((part) => part !== 'body')
  if (place.length > 0) {
    found.params.push(place.join('.'))
    found.messages.push(`${place.join('.')}: ${textAt(value, 'msg') ?? textAt(value, 'message') ?? textAt(value, 'type') ?? 'refused'}`)
    return
  }
  for (const key of HOLDERS) collect(at(value, key), found, depth + 1)
}

// Another server's reply may stand in it as a text.
const collectText = (text: string, found: Found, depth: number): void => {
  const words = text.trim()
  if (words === '') return
  const inner = /^[[{]/.test(words) ? readJson(words) : undefined
  const before = found.messages.length
  if (inner?.ok) collect(inner.value, found, depth + 1)
  if (found.messages.length === before) found.messages.push(words)
}

const statusIn = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 400 && number < 600 ? number : undefined
}

/** What holds an error in a reply with status 200, in an event of a stream, or in a choice. Undefined: it is not an error. */
export const errorIn = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.find((item) => errorIn(item) !== undefined)
  if (!isEmpty(at(value, 'error'))) return value
  if (numberAt(value, 'base_resp', 'status_code')) return at(value, 'base_resp')
  if (hasPart(value)) return undefined
  const isError =
    at(value, 'success') === false ||
    at(value, 'object') === 'error' ||
    at(value, 'type') === 'error' ||
    ['detail', 'errors', 'message', 'msg', 'error_message', 'error_msg'].some((key) => isSaid(at(value, key))) ||
    NUMBERS.some((key) => statusIn(at(value, key)) !== undefined)
  return isError ? value : undefined
}

/** Parts of an answer: what has one is none of these errors. */
const PARTS = ['choices', 'output', 'content', 'delta', 'response', 'item', 'usage'] as const

/** The reply, or the answer in it: some gateways put what they got from a server into `data` or `result`. */
export const answerWithin = (reply: unknown): unknown => {
  const inner = ['data', 'result'].map((key) => at(reply, key)).find((part) => hasPart(part))
  return inner !== undefined && !hasPart(reply) ? inner : reply
}

const hasPart = (value: unknown): boolean => PARTS.some((part) => at(value, part) !== undefined && at(value, part) !== null)

/** Servers that always have an error write one without anything in it where there is none. */
const isEmpty = (value: unknown, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return !value
  return depth < MAX_DEPTH && Object.values(value).every((part) => isEmpty(part, depth + 1))
}

const isSaid = (value: unknown): boolean => (typeof value === 'string' || Array.isArray(value) ? value.length > 0 : false)
