// How a value is shown: a text as its text, JSON on several lines, pictures as pictures.

import { differingIn } from '@plumb/spec-test/parting'
import { isRecord, truncate } from '@plumb/wire'
import { type Html, html } from './html.js'
import type { Pictures } from './pictures.js'

/** Longer JSON is spread over several lines. */
const MAX_ONE_LINE = 100
/** JSON that is nested more deeply, or would become longer by this factor, is not indented. */
const MAX_SPREAD_DEPTH = 20
const MAX_SPREAD = 3
/** Characters of a value; the beginning of a longer one is shown. */
const MAX_SHOWN = 60_000

/** Of one JSON value; what was cut, or is not JSON, is shown unchanged. */
export const value = (json: string, pictures?: Pictures): Html => {
  const parsed = parse(json)
  if (typeof parsed === 'string') return prose(parsed)
  const seen = parsed === undefined || !pictures ? [] : mediaIn(parsed).flatMap((media) => pictures(media) ?? [])
  return html`${code(parsed === undefined ? json : readable(json, parsed))}${seen.map(({ uri, name }) => html`<img src="${uri}" alt="${name}">`)}`
}

/** A text that a person or a model wrote: the script of the page shows its Markdown. */
export const prose = (text: string): Html => html`<div class="prose">${cut(text)}</div>${rest(text)}`

export const code = (text: string): Html => html`<pre>${cut(text)}</pre>${rest(text)}`

const cut = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

const rest = (text: string): Html | undefined =>
  text.length > MAX_SHOWN ? html`<p class="left-out">${text.length - MAX_SHOWN} more characters are in the record.</p>` : undefined

/** A value as a text beside that of another run, with what differs marked. */
export const markedValue = (json: string, other: string): Html => {
  const { head, middle, tail } = differingIn(textOf(json), textOf(other))
  return html`<pre>${head}${middle === '' ? undefined : html`<mark>${middle}</mark>`}${tail}</pre>`
}

const textOf = (json: string): string => {
  const parsed = parse(json)
  return cut(typeof parsed === 'string' ? parsed : parsed === undefined ? json : readable(json, parsed))
}

/** The beginning of a value on one line: of an object, its texts. */
export const firstWords = (json: string, most: number): string => {
  const parsed = parse(json)
  const words =
    typeof parsed === 'string' ? parsed : isRecord(parsed) ? textsIn(parsed) || json : parsed === undefined ? textsOfCut(json) : json
  const line = words.replace(/\s+/g, ' ').trim()
  return truncate(line, most)
}

const textsIn = (value: Readonly<Record<string, unknown>>): string =>
  Object.values(value)
    .filter((one) => typeof one === 'string')
    .join(' · ')

// What was cut is no JSON: its texts are found by their quotes.
const textsOfCut = (json: string): string => {
  const texts = [...json.matchAll(/(?:^|:\s*)"((?:[^"\\]|\\.)*)/g)].map(([, text = '']) =>
    text.replace(/\\[nrt]/g, ' ').replace(/\\(["\\/])/g, '$1'),
  )
  return texts.join(' · ') || json
}

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const readable = (json: string, parsed: unknown): string => {
  if (json.length <= MAX_ONE_LINE || nestingOf(json) > MAX_SPREAD_DEPTH) return json
  const spread = JSON.stringify(parsed, withoutBytes, 2)
  // A short one stays on one line: the message itself, since JSON.parse may have lost digits of numbers.
  return spread.length > MAX_SPREAD * json.length || !hasSameNumbers(json, spread) ? json : spread
}

const hasSameNumbers = (json: string, spread: string): boolean => !/\d{16}|\de[+-]?\d/i.test(json) || digitsOf(json) === digitsOf(spread)

const digitsOf = (json: string): string => json.replace(/[^\d.eE+-]/g, '')

const MIN_BYTES = 500

// Pictures are shown, or named, and not their base64.
const withoutBytes = (key: string, value: unknown): unknown =>
  key === 'data' && typeof value === 'string' && value.length > MIN_BYTES && /^[A-Za-z0-9+/=]+$/.test(value)
    ? `… ${value.length} characters of base64`
    : value

// Brackets in strings count too.
const nestingOf = (json: string): number => {
  let [depth, most] = [0, 0]
  for (const sign of json) {
    if (sign === '[' || sign === '{') most = Math.max(most, ++depth)
    else if (sign === ']' || sign === '}') depth--
  }
  return most
}

const MAX_MEDIA = 8

const mediaIn = (value: unknown, depth = 0): Readonly<Record<string, unknown>>[] => {
  if (typeof value !== 'object' || value === null || depth > MAX_SPREAD_DEPTH) return []
  if (isRecord(value) && (value.kind === 'image' || value.type === 'image')) return [value]
  return Object.values(value)
    .flatMap((one) => mediaIn(one, depth + 1))
    .slice(0, MAX_MEDIA)
}
