// Runs a model's chain from its text to its result, except for the calls of tools, which are made elsewhere.

import {
  ALL_REPAIRS,
  type BasePlan,
  boundsCalled,
  type ChainTool,
  fitText,
  hasErrors,
  type Json,
  readToolChain,
  resolve,
  type ToolChain,
  toText,
} from '@plumb/lang'
import { type Fault, fail, parseJson, preview, type Result } from '@plumb/wire'
import { chainOf } from '../combine/chain.js'
import type { Run, Within } from '../combine/run.js'
import type { JsonText } from '../json-text.js'
import { hasOrder, judgeChain } from '../protocol/chain-order.js'
import type { ChainQuestion } from './question.js'

export interface ChainHost {
  call(tool: string, input: JsonText, signal: AbortSignal): Promise<Result<JsonText>>
  warn(warning: Fault): void
}

export type ChainOutcome =
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'done'; readonly result: Result<JsonText> }

/** Maximum characters of JSON of all intermediate results. */
const MAX_MADE = 64 * 1024 * 1024
/** Maximum runs of its parts: a trace without tool calls could go on for ever. */
const MAX_STEPS = 1_000_000

export const runChain = async ({ chain, input, tools, order }: ChainQuestion, host: ChainHost): Promise<ChainOutcome> => {
  const checked = checkChain(chain, input, tools)
  if (!checked.ok) return { kind: 'refused', text: checked.error }
  const { plan, json } = checked
  const refusal = order && judgeChain(plan, order)
  if (refusal) return { kind: 'done', result: { ok: false, error: refusal } }
  const called = order ? boundsCalled(plan).map(({ name }) => name) : []
  let left = MAX_MADE
  let steps = 0
  const guard =
    (run: Run<Within>): Run<Within> =>
    async (value, call) => {
      if (++steps > MAX_STEPS) return fail('too_large', `the chain takes more than ${MAX_STEPS.toLocaleString('en')} steps`)
      const result = await run(value, call)
      if (!result.ok) return result
      left -= result.value.length
      return left < 0 ? fail('too_large', `the parts of the chain give more than ${MAX_MADE.toLocaleString('en')} characters`) : result
    }
  const run = chainOf<Within>(
    plan,
    ({ name }) =>
      (value, { signal }) =>
        host.call(name, value, signal),
    guard,
    order !== undefined && hasOrder(called, order),
  )
  return { kind: 'done', result: await run(json, { signal: new AbortController().signal, session: { servers: host } }) }
}

/** As for any call, except that the checker decides whether a lone value is a list. */
const REPAIRS = new Set([...ALL_REPAIRS].filter((kind) => kind !== 'lone_value'))

type Checked = { readonly ok: true; readonly plan: BasePlan; readonly json: JsonText } | { readonly ok: false; readonly error: string }

/** The error is a text for the author of the chain: each diagnostic with its place and help. */
export const checkChain = (text: string, input: JsonText | undefined, tools: readonly ChainTool[]): Checked => {
  const { diagnostics, takes, isForTools, check, typesOf } = readToolChain(text, tools)
  if (hasErrors(diagnostics)) return refuse(diagnostics)
  const json = input ?? (takes && resolve(takes).kind === 'record' ? '{}' : 'null')
  const fit = takes && fitText(json, takes, { what: 'input', code: 'input_type_mismatch', repairs: REPAIRS, keepsAbsent: isForTools })
  const asTaken = takes && fit?.ok ? check(takes) : undefined
  if (asTaken?.plan && fit?.ok) return { ok: true, plan: asTaken.plan, json: fit.value.json }
  const bytes = Buffer.from(json)
  const parsed = parseJson(bytes, 0, bytes.length)
  if (!parsed.ok) return { ok: false, error: `error: the input is not JSON: ${preview(json)}` }
  const { own, inParts, asTuple } = typesOf(parsed.value as Json)
  const inPartsPlan = inParts && check(inParts).plan
  if (inPartsPlan) return { ok: true, plan: inPartsPlan, json }
  const asOwn = check(own)
  if (asOwn.plan && fit?.ok === false) return { ok: false, error: `error: ${fit.error.detail}` }
  const plan = asOwn.plan ?? (asTuple && check(asTuple).plan)
  return plan ? { ok: true, plan, json } : refuse((asTaken ?? asOwn).diagnostics)
}

const refuse = (diagnostics: ToolChain['diagnostics']): Checked => ({ ok: false, error: diagnostics.map(toText).join('\n') })
