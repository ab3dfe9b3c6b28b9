// What waits for a person in a recorded run, questions and calls alike: how it is listed, and which answer decides it.

import { userInfo } from 'node:os'
import { MAX_WRITTEN, printType } from '@plumb/lang'
import { type Decision, isItself, isOpen, type ListedCall, questionOf, shownInput, stateNow } from '@plumb/ledger/approval'
import { type Schema, typeOfSchema } from '@plumb/tool/call/type-of-schema'
import {
  compileSchema,
  escapeControls,
  escapeLines,
  fail,
  fault,
  flawText,
  isRecord,
  nearest,
  parseJson,
  preview,
  type Result,
  stdoutColumns,
  stdoutIsStyled,
  succeed,
  wrappedTable,
} from '@plumb/wire'
import { minuteOf, type ShownAs, shownJson } from './listed-calls.js'

/** For a person a table, and the command that answers; else a line of JSON for each. What a terminal obeys or hides is escaped. */
export const showPending = (calls: readonly ListedCall[], run: string, as: ShownAs, columns = stdoutColumns()): string =>
  as.isJson || columns === undefined ? calls.map((call) => `${escapeLines(lineOf(call, run))}\n`).join('') : tableOf(calls, as, columns)

const tableOf = (calls: readonly ListedCall[], { of, isAll }: ShownAs, width: number): string => {
  if (calls.length === 0) return isAll ? 'nothing has waited for a person\n' : 'nothing waits for a person\n'
  const rows = calls.flatMap((call, i) => {
    const [first = '', ...others] = whatOf(call)
    const state = stateNow(call, Date.now())
    const head = [call.id, first, call.process, minuteOf(call.since), state === 'waits' ? '' : state.replace('_', ' ')]
    return [...(i === 0 ? [] : [EMPTY]), head, ...others.map((text) => ['', text, '', '', ''])]
  })
  const table = wrappedTable([['id', 'question', 'asked by', 'since', 'state'], ...rows], { width, isStyled: stdoutIsStyled() })
  const command = `plumb answer ${escapeControls(of)} ID`
  const hints = [`${command} ANSWER   answers one`, `${command} --skip   gives no answer`]
  return [...table, ...(calls.some(isOpen) ? ['', ...hints] : []), ''].join('\n')
}

const EMPTY = ['', '', '', '', '']

// What is asked, what it is about, and what answers it.
const whatOf = (call: ListedCall): readonly string[] => {
  const question = questionOf(call)
  if (!question) return [`may '${call.tool}' be called?`, shownJson(call.input), 'answer: true or false']
  const prompt = question.prompt === '' ? `'${call.tool}' asks` : question.prompt
  const answer = `answer: ${wantedBy(question.schema)}`
  return [...linesOf(prompt), ...linesOf(shownInput(question)), answer]
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const APPROVAL = { type: 'boolean' }

const lineOf = (call: ListedCall, run: string): string => {
  const { id, tool, process, digest, since, input, said, answer } = call
  const question = questionOf(call)
  const head = JSON.stringify({
    ...{ id, kind: question ? 'person' : 'approval', run, agent: process },
    prompt: question ? question.prompt : `May '${tool}' be called?`,
  }).slice(0, -1)
  const shown = question ? question.input : `{"tool":${JSON.stringify(tool)},"input":${shownJson(input)}}`
  const state = stateNow(call, Date.now())
  const tail = JSON.stringify({
    schema: question ? question.schema : APPROVAL,
    digest,
    since,
    state,
    ...(said === undefined ? {} : { said }),
  })
  return `${head},"input":${shownJson(shown)},${answer === undefined ? '' : `"answer":${shownJson(answer)},`}${tail.slice(1)}`
}

export interface AnswerOptions {
  readonly skip: boolean
  readonly why: string | undefined
}

/** The decision that an answer is: it is held against the type of the question at once. `text`: undefined where it is skipped. */
export const decisionBy = (
  id: string,
  text: string | undefined,
  { skip, why }: AnswerOptions,
  calls: ReadonlyMap<string, ListedCall>,
): Result<Decision> => {
  const call = calls.get(id)
  if (!call) {
    const near = nearest(id, [...calls.keys()])
    const help = near === undefined ? "'plumb pending' lists them" : `did you mean '${near}'?`
    return fail('usage', `no question has the id '${preview(id)}': ${help}`)
  }
  if (!isOpen(call)) return fail('usage', `the question '${preview(id)}' is answered already`)
  if (!isItself(call)) return fail('record_invalid', `the question '${preview(id)}' does not fit its digest: somebody has changed it`)
  const said = { ...(why === undefined ? {} : { why }), by: userInfo().username }
  if (skip) return text === undefined ? succeed({ isApproved: false, ...said }) : fail('usage', '--skip takes no answer')
  if (text === undefined) return fail('usage', `an answer is missing: 'plumb answer … ${preview(id)} VALUE', or --skip`)
  const question = questionOf(call)
  const json = readAnswer(text, question ? question.schema : APPROVAL)
  if (!json.ok) return json
  return succeed(question ? { isApproved: true, answer: json.value, ...said } : { isApproved: json.value === 'true', ...said })
}

const wantedBy = (schema: unknown): string => (isRecord(schema) ? printType(typeOfSchema(schema as Schema), MAX_WRITTEN) : 'JSON')

/** JSON where that fits, else the text itself where that does. */
const readAnswer = (text: string, schema: unknown): Result<string> => {
  const checked = compileSchema(schema)
  if (!checked.ok) return checked
  const bytes = Buffer.from(text)
  const json = parseJson(bytes, 0, bytes.length)
  const flaws = json.ok ? checked.value(json.value) : undefined
  if (flaws?.length === 0) return succeed(shownJson(text.trim()))
  const asText = text.replace(/\n$/, '')
  const left = checked.value(asText)
  if (left.length === 0) return succeed(JSON.stringify(asText))
  const listed = (flaws ?? left).map(flawText)
  return {
    ok: false,
    error: fault('output_type_mismatch', `the answer does not fit: ${preview(listed.join('; '), 500)}; expected ${wantedBy(schema)}`),
  }
}
