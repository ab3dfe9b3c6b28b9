// Compares the outcome of a run with the expectations of its test.

import type { MessagesByPort, TestCondition, TestPlan, Type } from '@plumb/lang'
import { canonicalJson, type Fault, preview } from '@plumb/wire'
import type { Carried } from './carried.js'
import { positionIn } from './place.js'
import { difference } from './report/difference.js'
import type { RouteStep, TestFinding } from './report/result.js'
import type { Row } from './rows.js'
import { inputsOf, type Output, type RunOutcome } from './run-once.js'
import { openEvaluator } from './script-player.js'

export interface RowFinding extends Omit<TestFinding, 'route'> {
  /** The number of the input that it is about, from 1. */
  readonly input?: number
  /** Computed when it is shown. */
  readonly route?: () => readonly RouteStep[]
}

export const toFinding = ({ input: _, route, ...finding }: RowFinding, hasRoute = true): TestFinding => {
  const steps = hasRoute ? (route?.() ?? []) : []
  return steps.length === 0 ? finding : { ...finding, route: steps }
}

/** Empty: all expectations are met. Of an evaluation, what is about a row has its input. */
export const checkOutcome = (plan: TestPlan, outcome: RunOutcome, rows: readonly Row[] | undefined): readonly RowFinding[] => {
  const { unanswered } = outcome.asked
  const isEvaluation = plan.atLeast !== undefined
  if (!isEvaluation && outcome.isTimedOut) return [timeout(plan, outcome), ...unanswered]
  if (!isEvaluation && unanswered.length > 0) return unanswered
  const ofRows = rows ?? (isEvaluation ? rowsOfLists(plan, outcome) : undefined)
  const findings = [
    ...unanswered,
    ...[...outcome.late].map((input) => tooLate(plan, input, outcome)),
    ...checkErrors(plan, outcome),
    ...(plan.expect && (rows || ofRows === undefined) ? checkExpected(plan, plan.expect, outcome) : []),
    ...checkRows(ofRows, outcome),
    ...(plan.matches ? checkMatches(plan, plan.matches, outcome, rows) : []),
    ...(plan.holds ? checkHolds(plan, plan.holds, outcome, rows) : []),
    ...checkCalls(plan, outcome),
    ...checkWires(plan, outcome),
  ]
  return findings.length > 0 ? [...findings, ...leftOver(plan, outcome)] : []
}

/** Where a message is expected of each input in turn. */
const rowsOfLists = ({ expect, isAnyOrder, outputs }: TestPlan, { inputs }: RunOutcome): readonly Row[] | undefined => {
  const [messages, another] = [...(expect ?? [])].map(([, { messages }]) => messages)
  if (!messages || another || isAnyOrder || outputs.length > 1 || messages.length !== inputs.length) return undefined
  return inputs.map(({ json }, i) => ({ json, expect: [messages[i] as string] }))
}

/** For a failed test: unused answers may explain it. */
const leftOver = (plan: TestPlan, { unused }: RunOutcome): readonly RowFinding[] =>
  plan.atLeast === undefined
    ? unused.map(({ name, count, span }) => ({
        code: 'models',
        message: `'${name}' has ${count} answer${count === 1 ? '' : 's'} left that nothing asked for`,
        place: positionIn(span),
      }))
    : []

const timeout = ({ timeoutMs, of }: TestPlan, { carried, asked }: RunOutcome): RowFinding => ({
  code: 'timeout',
  message: `'${of.name}' had not ended after ${timeoutMs / 1000} s${asked.whyRetried}; 'timeout' gives it more`,
  route: () => carried.last(MAX_LAST),
})

const tooLate = ({ timeoutMs, of }: TestPlan, input: number, { carried, asked, unasked }: RunOutcome): RowFinding => ({
  code: 'timeout',
  message: unasked.has(input)
    ? `'${of.name}' was not asked, since it gave nothing for any row before`
    : `'${of.name}' gave nothing within ${timeoutMs / 1000} s${asked.whyRetried}; 'timeout' gives a row more`,
  input,
  route: () => carried.route([input], undefined),
})

/** The wires that an unfinished test was using. */
const MAX_LAST = 3

const checkErrors = (plan: TestPlan, { faults, carried }: RunOutcome): readonly RowFinding[] => {
  if (plan.errors.length > 0) return otherErrors(plan, faults, carried)
  return faults.flatMap((fault): RowFinding[] => {
    const finding = { code: String(fault.error), message: detailOf(fault) }
    const inputs = inputsOf(fault)
    const ofRows = inputs.map((input) => ({ ...finding, input, route: () => carried.route([input], undefined) }))
    // A row that was not asked says nothing about the subject: the test fails, whatever share of the rows it has to hold for.
    if (fault.error === 'budget_spent' || inputs.length === 0) return plan.atLeast === undefined ? [finding] : [finding, ...ofRows]
    return ofRows
  })
}

const otherErrors = ({ errors, errorsSpan }: TestPlan, faults: readonly Fault[], carried: Carried): readonly RowFinding[] => {
  const codes = faults.map(({ error }) => String(error))
  const i = Array.from({ length: Math.max(codes.length, errors.length) }).findIndex((_, i) => codes[i] !== errors[i])
  if (i < 0) return []
  const [wanted, came] = [errors[i], faults[i]]
  const which = came && wanted !== undefined ? 'is another' : came ? `is one more than the ${errors.length} expected` : 'did not come'
  const [input] = came ? inputsOf(came) : []
  return [
    {
      code: 'errors',
      message: `error ${i + 1} ${which}${came ? `: ${detailOf(came)}` : ''}`,
      ...(errorsSpan ? { place: positionIn(errorsSpan) } : {}),
      expected: errors.join(', '),
      got: codes.join(', ') || 'no error',
      ...(input === undefined ? {} : { route: () => carried.route([input], undefined) }),
    },
  ]
}

const detailOf = ({ detail, process }: Fault): string => `${typeof process === 'string' ? `'${process}': ` : ''}${detail}`

const checkExpected = (plan: TestPlan, expect: MessagesByPort, outcome: RunOutcome): readonly RowFinding[] =>
  [...expect].flatMap(([port, { messages, span }]) => {
    const outputs = outcome.outputs.get(port) ?? []
    const got = outputs.map(({ json }) => json)
    const at = { code: 'expect', place: positionIn(span) }
    const of = plan.outputs.length > 1 ? ` at '${port}'` : ''
    if (plan.isAnyOrder) return compareAsSets(messages, got, at, of)
    const lost = lostInput(outcome)
    return compareInOrder(messages, got, at, of).map((finding) => {
      const output = finding.got === undefined ? undefined : outputs[(finding.number ?? 0) - 1]
      if (output) return { ...finding, route: () => outcome.carried.route(output.seqs, port) }
      if (output === undefined && finding.got === undefined && outcome.inputs.length === 0 && plan.inputs.length > 0)
        return { ...finding, message: `${finding.message}; the test gives '${plan.of.name}' nothing` }
      return lost === undefined ? finding : { ...finding, ...cameToNothing(outcome, lost, finding.message) }
    })
  })

/** The first input without any outcome. */
const lostInput = ({ inputs, outputs, faults }: RunOutcome): number | undefined => {
  const done = new Set([...[...outputs.values()].flat().flatMap(({ seqs }) => seqs), ...faults.flatMap(inputsOf)])
  const at = inputs.findIndex((_, i) => !done.has(i + 1))
  return at < 0 ? undefined : at + 1
}

const cameToNothing = ({ inputs, carried }: RunOutcome, input: number, message: string): Pick<RowFinding, 'message' | 'route'> => ({
  message: `${message}; of input ${input} nothing came: ${preview(inputs[input - 1]?.json ?? '')}`,
  route: () => carried.route([input], undefined),
})

type At = Pick<TestFinding, 'code'> & Partial<Pick<TestFinding, 'place' | 'wire'>>

const compareInOrder = (expected: readonly string[], got: readonly string[], at: At, of: string): RowFinding[] => {
  const findings: RowFinding[] = []
  for (let i = 0; i < Math.max(expected.length, got.length); i++) {
    const [wanted, came] = [expected[i], got[i]]
    const number = i + 1
    if (came === undefined && wanted !== undefined)
      findings.push({ ...at, message: `message ${number} of ${expected.length}${of} did not come`, number, expected: wanted })
    else if (wanted === undefined && came !== undefined)
      findings.push({ ...at, message: `message ${number}${of} is one more than the ${expected.length} expected`, number, got: came })
    else if (wanted !== undefined && came !== undefined && canonicalJson(wanted) !== canonicalJson(came))
      findings.push({
        ...at,
        message: `message ${number}${of} is another`,
        number,
        expected: wanted,
        got: came,
        difference: difference(wanted, came),
      })
  }
  return findings
}

const compareAsSets = (expected: readonly string[], got: readonly string[], at: At, of: string): RowFinding[] => {
  const left = new Map<string, number>()
  for (const json of got) left.set(canonicalJson(json), (left.get(canonicalJson(json)) ?? 0) + 1)
  const missing = expected.filter((json) => {
    const form = canonicalJson(json)
    const count = left.get(form) ?? 0
    if (count > 0) left.set(form, count - 1)
    return count === 0
  })
  const surplus = got.filter((json) => {
    const form = canonicalJson(json)
    const count = left.get(form) ?? 0
    if (count > 0) left.set(form, count - 1)
    return count > 0
  })
  return [
    ...missing.map((json) => ({ ...at, message: `this message${of} did not come`, expected: json })),
    ...surplus.map((json) => ({ ...at, message: `this message${of} was not expected`, got: json })),
  ]
}

const checkRows = (rows: readonly Row[] | undefined, outcome: RunOutcome): readonly RowFinding[] => {
  if (!rows?.some(({ expect }) => expect)) return []
  const outputs = outputsByInput(outcome)
  return rows.flatMap(({ expect }, i) => {
    if (!expect) return []
    return compareInOrder(expect, outputs.get(i + 1) ?? [], { code: 'expect' }, ` of row ${i + 1}`).map((finding) => ({
      ...finding,
      input: i + 1,
      route: () => outcome.carried.route([i + 1], undefined),
    }))
  })
}

/** The outputs that stem from each input, as JSON text. */
export const outputsByInput = ({ outputs }: RunOutcome): ReadonlyMap<number, readonly string[]> => {
  const found = new Map<number, string[]>()
  for (const { seqs, json } of [...outputs.values()].flat())
    for (const seq of seqs) {
      const known = found.get(seq)
      if (known) known.push(json)
      else found.set(seq, [json])
    }
  return found
}

/** A record with the names that a condition may use, for one output. */
const openRecords = (plan: TestPlan, outcome: RunOutcome, rows: readonly Row[] | undefined, mentions: (name: string) => boolean) => {
  const main = plan.outputs.length > 1 ? undefined : plan.outputs[0]?.name
  const outputs = main === undefined ? [] : (outcome.outputs.get(main) ?? [])
  const listOf = (messages: readonly { readonly json: string }[]) => `[${messages.map(({ json }) => json).join(',')}]`
  const byPort = (ports: readonly { readonly name: string }[], messages: (port: string) => readonly { readonly json: string }[]) =>
    `{${ports.map(({ name }) => `${JSON.stringify(name)}:${listOf(messages(name))}`).join(',')}}`
  const inputsAt = (port: string) => outcome.inputs.filter((input) => input.port === port)
  const outs =
    !mentions('outs') && main !== undefined
      ? '[]'
      : main === undefined
        ? byPort(plan.outputs, (port) => outcome.outputs.get(port) ?? [])
        : listOf(outputs)
  const allGiven = plan.inputs.length > 1 ? byPort(plan.inputs, inputsAt) : undefined
  const isEach = outputs.length === outcome.inputs.length
  const inputOf = ({ seqs }: Output, i: number): number | undefined => {
    if (seqs.length === 1) return seqs[0]
    return isEach ? i + 1 : undefined
  }
  const record = (output: Output | undefined, i: number, number = output && inputOf(output, i)): string => {
    const given = allGiven ?? outcome.inputs[(number ?? (mentions('given') ? 0 : 1)) - 1]?.json
    const row = rows?.[(number ?? 1) - 1]?.json
    const fields = { out: output?.json, outs, given, row }
    return `{${Object.entries(fields)
      .flatMap(([name, json]) => (json === undefined ? [] : [`"${name}":${json}`]))
      .join(',')}}`
  }
  const aboutOutput = (code: string, { seqs, json }: Output, i: number): About => ({
    code,
    number: i + 1,
    got: json,
    route: () => outcome.carried.route(seqs, main),
  })
  return { outputs, outs, record, inputOf, aboutOutput, isByPort: main === undefined }
}

const mentionsIn =
  (conditions: readonly TestCondition[]) =>
  (name: string): boolean =>
    conditions.some(({ expression: { span } }) => new RegExp(`\\b${name}\\b`).test(span.source.text.slice(span.start, span.end)))

/** It looks at all outputs, and not at one: then it needs none of its row. */
export const looksAtOuts = (holds: TestCondition): boolean => mentionsIn([holds])('outs') && !mentionsIn([holds])('out')

const withoutOut = (input: Type): Type =>
  input.kind === 'record' ? { ...input, fields: input.fields.filter(({ name }) => name !== 'out') } : input

const checkMatches = (
  plan: TestPlan,
  matches: readonly TestCondition[],
  outcome: RunOutcome,
  rows: readonly Row[] | undefined,
): readonly RowFinding[] => {
  const { outputs, record, inputOf, aboutOutput } = openRecords(plan, outcome, rows, mentionsIn(matches))
  const isOfRow = plan.atLeast !== undefined && matches.length === outcome.inputs.length
  const findings = outputs.flatMap((output, i): RowFinding[] => {
    const input = inputOf(output, i)
    const condition = matches[isOfRow && input !== undefined ? input - 1 : i]
    if (!condition)
      return [{ code: 'matches', message: `message ${i + 1} is one more than 'matches' has expressions`, number: i + 1, got: output.json }]
    return checkCondition(condition, record(output, i), aboutOutput('matches', output, i), input)
  })
  const missing = matches.slice(outputs.length).map(({ expression: { span } }, i) => ({
    code: 'matches',
    message: `message ${outputs.length + i + 1} of ${matches.length} did not come`,
    place: positionIn(span),
  }))
  return [...findings, ...missing]
}

const checkHolds = (plan: TestPlan, holds: TestCondition, outcome: RunOutcome, rows: readonly Row[] | undefined): readonly RowFinding[] => {
  const { outputs, outs, record, inputOf, aboutOutput, isByPort } = openRecords(plan, outcome, rows, mentionsIn([holds]))
  if (isByPort) return checkCondition(holds, record(undefined, 0), { code: 'holds', got: outs }, undefined)
  const findings: RowFinding[] = []
  const test = openEvaluator(holds)
  for (const [i, output] of outputs.entries()) {
    const { holds: isRight, why } = test(record(output, i))
    if (!isRight) findings.push(notHeld(holds, why, aboutOutput('holds', output, i), inputOf(output, i)))
  }
  if (plan.atLeast === undefined || !looksAtOuts(holds)) return findings
  // Of a row without outputs, what it says of all of them.
  const ofSilent = openEvaluator({ ...holds, input: withoutOut(holds.input) })
  const answered = outputsByInput(outcome)
  for (const [i] of outcome.inputs.entries()) {
    if (answered.has(i + 1)) continue
    const { holds: isRight, why } = ofSilent(record(undefined, 0, i + 1))
    if (!isRight) findings.push(notHeld(holds, why, { code: 'holds' }, i + 1))
  }
  return findings
}

type About = Pick<RowFinding, 'code' | 'number' | 'got' | 'route'>

const checkCondition = (condition: TestCondition, record: string, about: About, input: number | undefined): RowFinding[] => {
  const { holds, why } = openEvaluator(condition)(record)
  return holds ? [] : [notHeld(condition, why, about, input)]
}

const notHeld = ({ expression: { span } }: TestCondition, why: string | undefined, about: About, input: number | undefined): RowFinding => {
  const text = preview(span.source.text.slice(span.start, span.end))
  const message = why === undefined ? `this does not hold: ${text}` : `this has no answer: ${text}: ${why}`
  return { ...about, message, place: positionIn(span), ...(input === undefined ? {} : { input }) }
}

const checkCalls = (plan: TestPlan, { asked }: RunOutcome): readonly RowFinding[] =>
  plan.calls.flatMap(({ of, name, least, most, inputs, span }): RowFinding[] => {
    const got = asked.of(of)
    const at = { code: 'calls', place: positionIn(span) }
    if (inputs) return compareInOrder(inputs, got, at, ` to '${name}'`)
    if (got.length >= least && got.length <= most) return []
    const wanted = least === most ? String(least) : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
    const times = `'${name}' was asked ${got.length} time${got.length === 1 ? '' : 's'}${asked.refused
      .filter((call) => call.name === name)
      .map(({ detail }) => `; a call was refused: ${detail}`)
      .slice(0, 1)
      .join('')}`
    return [{ ...at, message: times, expected: wanted, got: String(got.length) }]
  })

const checkWires = (plan: TestPlan, { carried: { wires } }: RunOutcome): readonly RowFinding[] =>
  [...plan.wires].flatMap(([name, { messages, span }]): RowFinding[] => {
    const wire = wires.find((one) => one.name === name)
    const at = { code: 'wires', place: positionIn(span), wire: name }
    if (!wire) {
      const known = wires.map((one) => one.name).join(', ')
      return [{ ...at, message: `'${plan.of.name}' has no wire '${preview(name)}'; there is ${preview(known, 400)}` }]
    }
    return compareInOrder(messages, wire.messages, at, ` on '${name}'`)
  })
