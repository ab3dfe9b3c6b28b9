// The question whether a call may be made, for a person at a terminal: what the call is, an argument a line, and a line that asks.

import {
  compileSchema,
  escapeControls,
  fail,
  flawText,
  isRecord,
  paint,
  parseJson,
  preview,
  type Result,
  succeed,
  textWidth,
} from '@plumb/wire'
import { eachMember, memberText } from '@plumb/wire/json'

export interface ConsentQuestion {
  /** Lines that say what is asked for, shown once above the question. */
  readonly above: string
  /** With the name of the tool: whatever the text above looks like, it ends with this. */
  readonly line: string
}

interface Edited {
  /** Another input, as JSON text, with which the call is asked about again. */
  readonly edited: string
}

interface Denied {
  /** Why. */
  readonly denied: string
}

/** What a person says of a call. */
export type Consent = boolean | Edited | Denied

export interface AskedCall {
  readonly tool: string
  /** JSON as it was written. */
  readonly input: string
  /** The process that asks. */
  readonly process?: string | undefined
  readonly description?: string | undefined
  readonly effects?: readonly string[] | undefined
  /** Why the input that the person put in the place of this one cannot be taken. */
  readonly wrong?: string | undefined
}

export interface ConsentForm {
  /** Such as `(2 of 3) `. */
  readonly number?: string
  readonly choices?: string
  /** The width of the terminal: longer lines are broken between words, with nothing left out. */
  readonly columns?: number | undefined
  /** The terminal shows weight: what asks is bold, and names are dim. */
  readonly isStyled?: boolean
}

const MAX_SHOWN_CHARACTERS = 4000
const MAX_DESCRIPTION = 300
const MAX_WRONG = 600
/** More arguments than that are shown as one text, so that the name of the tool stays in sight. */
const MAX_ARGUMENTS = 40
const MAX_NAME_WIDTH = 20

/** Less room than that for a text beside its name is no reason to break it. */
const MIN_ROOM = 20

/** With the whole input, or with the number of characters that are not shown. */
export const consentQuestion = (
  call: AskedCall,
  { number = '', choices = '[y once, N no, e edit]', columns, isStyled = false }: ConsentForm = {},
): ConsentQuestion => {
  const { tool, input, process, description = '', effects = [], wrong } = call
  const name = escapeControls(tool)
  const head = process === undefined ? name : `${name}, asked for by ${preview(process)}`
  const [what = ''] = description.trim().split('\n', 1)
  const lines: readonly (readonly [label: string, text: string])[] = [
    ...argumentLines(input),
    ...(effects.length === 0 ? [] : [['  effects: ', effects.map(escapeControls).join(', ')] as const]),
    ...(wrong === undefined ? [] : [['  not changed: ', preview(wrong, MAX_WRONG)] as const]),
  ]
  const first = folded('', what === '' ? `${head}:` : `${head}: ${preview(what, MAX_DESCRIPTION)}`, columns)
  const above = [
    isStyled ? boldHead(first, name) : first,
    ...lines.map(([label, text]) => {
      const line = folded(label, text, columns)
      return isStyled ? paint('dim', label) + line.slice(label.length) : line
    }),
  ]
  return { above: above.join('\n'), line: `${number}allow '${name}'? ${choices} ` }
}

/** `head` in bold where the text begins with it, and is not broken within it. */
export const boldHead = (text: string, head: string): string =>
  text.startsWith(head) ? paint('bold', head) + text.slice(head.length) : text

/** Who consents must see that a part of it was cut. */
export const inputToShow = (input: string, max = MAX_SHOWN_CHARACTERS): string => {
  const text = escapeControls(input)
  const hidden = text.length - max
  return hidden <= 0 ? text : `${text.slice(0, max)} … and ${hidden} more characters`
}

const argumentLines = (input: string): (readonly [label: string, text: string])[] => {
  const bytes = Buffer.from(input)
  const parsed = parseJson(bytes, 0, bytes.length)
  const whole = [['  ', inputToShow(input)] as const]
  if (!parsed.ok || !isRecord(parsed.value) || escapeControls(input).length > MAX_SHOWN_CHARACTERS) return whole
  const members: { readonly name: string; readonly value: string }[] = []
  eachMember(bytes, bytes.indexOf('{'), (keyStart, keyEnd, start, end) => {
    const name = String(JSON.parse(`"${bytes.toString('utf8', keyStart, keyEnd)}"`))
    members.push({ name: escapeControls(name), value: escapeControls(bytes.toString('utf8', start, end)) })
  })
  if (members.length === 0 || members.length > MAX_ARGUMENTS) return whole
  const width = Math.min(MAX_NAME_WIDTH, Math.max(...members.map(({ name }) => name.length)))
  return members.map(({ name, value }) => [`  ${name.padEnd(width)}  `, value])
}

/** What follows stands below the text, never at the beginning of a line, where it could look like a question. */
export const folded = (label: string, text: string, columns: number | undefined): string => {
  const indent = Math.max(2, textWidth(label))
  const room = (columns ?? 0) - indent
  if (room < MIN_ROOM || textWidth(label + text) <= room + indent) return `${label}${text}`
  const lines: string[] = []
  let line = ''
  for (const word of text.match(/\S+\s?|\s/g) ?? []) {
    if (line !== '' && textWidth(line + word.trimEnd()) > room) {
      lines.push(line)
      line = ''
    }
    line += word
    for (let [head, rest] = splitAt(line, room); rest.trim() !== ''; [head, rest] = splitAt(line, room)) {
      lines.push(head)
      line = rest
    }
  }
  return `${label}${[...lines, line].join(`\n${' '.repeat(indent)}`)}`
}

const splitAt = (text: string, width: number): [head: string, rest: string] => {
  let head = ''
  for (const character of text) {
    if (head !== '' && textWidth(head + character) > width) return [head, text.slice(head.length)]
    head += character
  }
  return [head, '']
}

/**
 * Asks until the person says yes or no. What was put in the place of the input is asked about in turn, or, where it cannot be taken, what is
 * wrong with it is told. `T`: what the question ends with where nobody answers it.
 */
export const settleConsent = async <T>(
  call: AskedCall,
  ask: (call: AskedCall, nth: number) => Promise<Consent | T>,
  check: (json: string) => Result<string> | Promise<Result<string>>,
): Promise<{ readonly said: boolean | T; readonly edited?: string; readonly why?: string }> => {
  let edited: string | undefined
  let wrong: string | undefined
  for (let nth = 1; ; nth++) {
    const said = await ask({ ...call, input: edited ?? call.input, wrong }, nth)
    if (isDenied(said)) return { said: false, why: said.denied }
    if (!isEdited(said)) return { said, ...(edited === undefined ? {} : { edited }) }
    const checked = await check(said.edited)
    wrong = checked.ok ? undefined : checked.error.detail
    if (checked.ok) edited = checked.value
  }
}

/** Another input for a call, as one line of JSON text, held against the type of its tool. `schema`: undefined where that is not known. */
export const fitInput = (text: string, schema: unknown): Result<string> => {
  if (schema === undefined) return fail('usage', 'the input of this call cannot be changed: of which type it is was not kept')
  const bytes = Buffer.from(text)
  const json = parseJson(bytes, 0, bytes.length)
  if (!json.ok) return json
  const checked = compileSchema(schema)
  if (!checked.ok) return checked
  const flaws = checked.value(json.value).map(flawText)
  if (flaws.length === 0) return succeed(text.trim().replace(/[\r\n\t]+/g, ' '))
  return fail('input_type_mismatch', `the input does not fit: ${preview(flaws.join('; '), MAX_WRONG)}`)
}

/** The message that tells an agent, or a run, what was said of a call that it has asked about. */
export const consentText = (id: string, consent: Consent): string => {
  if (typeof consent === 'boolean') return JSON.stringify(consent ? { approve: id } : { deny: id })
  if ('denied' in consent) return JSON.stringify({ deny: id, why: consent.denied })
  return `{"edit":${JSON.stringify(id)},"input":${consent.edited}}`
}

/** That a call is denied, with what the person says of that. */
export const deniedConsent = (why: string | undefined): Consent => (why === undefined || why === '' ? false : { denied: why })

/** As JSON text. */
export const consentJson = (consent: Consent): string =>
  typeof consent === 'object' && 'edited' in consent ? `{"edited":${consent.edited}}` : JSON.stringify(consent)

/** What `consentJson` has written; any other text is a no. */
export const consentIn = (json: string): Consent => {
  if (!json.startsWith('{')) return json === 'true'
  const bytes = Buffer.from(json)
  const [edited, denied] = [memberText(bytes, 'edited'), memberText(bytes, 'denied')]
  if (edited !== undefined) return { edited }
  return deniedConsent(denied === undefined ? undefined : String(JSON.parse(denied)))
}

/** For what a model is told of a denied call. */
export const whyText = (why: string | undefined): string => (why === undefined ? '' : `: ${preview(why, MAX_WRONG)}`)

const isEdited = <T>(said: Consent | T): said is Edited => isRecord(said) && 'edited' in said && typeof said.edited === 'string'
const isDenied = <T>(said: Consent | T): said is Denied => isRecord(said) && 'denied' in said && typeof said.denied === 'string'
