// Tests what a server supports, by requests to it: prints a table for people, and one JSON value for programs.

import { costOf, loadPrices, type Prices } from '@plumb/ledger'
import { escapeLines, type Fault, fail, isTerminal, nowMs, preview, type Result, succeed, toDollars, writeStdout } from '@plumb/wire'
import type { PreparedAgent } from '../config/prepare.js'
import { sharedAllowance } from '../conversation/allowance.js'
import { mostOf, openBilling, pricedTokens } from '../conversation/billing.js'
import type { AgentMoney } from '../conversation/money.js'
import type { Stderr } from '../io/stderr.js'
import type { TelemetryEvent } from '../io/telemetry.js'
import { Cancellation } from '../provider/cancellation.js'
import { addUsage, type Billing, type ModelRequest, NO_USAGE, type TokenUsage } from '../provider/provider.js'
import type { RequestSize } from '../provider/request-size.js'
import { ENOUGH_TOKENS, type ProbeAnswer, type ProbeFinding, type ProbeQuestion, questions } from './questions.js'

interface Asked {
  readonly result: Result<ProbeAnswer>
  readonly concessions: readonly { readonly what: string; readonly why: string }[]
}

/** If the first request fails, it is reported, and no more are sent. */
export const probe = async ({ config, limits }: PreparedAgent, money: AgentMoney, stderr: Stderr): Promise<void> => {
  const { model, providerName, maxTokens } = config
  const list = questions(Math.min(maxTokens, ENOUGH_TOKENS), OTHER_WIRE[String(config.provider.settings?.api)])
  const prices = money.prices ?? (await loadPrices(limits?.prices))
  const allowance = sharedAllowance()
  const billing =
    allowance && openBilling({ ...money, allowance, provider: providerName, lane: 'now', limit: config.limit, warn: stderr.warn })
  let url: string | undefined
  let used: TokenUsage = NO_USAGE
  let requests = 0

  const ask = async ({ keys, asks }: ProbeQuestion, retries: number, billing: Billing | undefined): Promise<Asked> => {
    const provider = config.providerWith({ ...keys, thinking_budget: undefined, transport_retries: retries })
    const events: TelemetryEvent[] = []
    const log: ModelRequest['log'] = (name, fields) => {
      if (name !== 'api_request') return
      requests++
      url ??= typeof fields?.url === 'string' ? fields.url : undefined
    }
    const startMs = nowMs()
    const emit = (event: TelemetryEvent) => events.push(event)
    const answered = await provider.answer({ ...PLAIN, model, ...asks, billing, emit, log }, new Cancellation())
    const ms = Math.round(nowMs() - startMs)
    provider.close?.()
    if (answered.ok) used = addUsage(used, answered.value.usage)
    const pieces = events.filter(({ kind }) => kind === 'text').length
    const result: Result<ProbeAnswer> = answered.ok ? succeed({ ...answered.value, pieces, ms }) : answered
    return { result, concessions: events.filter((event) => event.kind === 'concession') }
  }

  const most = await mostOfAll(list, (question, counting) => ask(question, 0, counting), { prices, model, provider: providerName })
  stderr.write(`plumb-agent: asks ${providerName}, model ${model}: ${most}`)

  const isShown = isTerminal(1)
  const print = async (line: string): Promise<void> => (isShown ? void (await writeStdout(escapeLines(`${line}\n`))) : stderr.write(line))
  const findings: ProbeFinding[] = []
  for (const question of list) {
    // A missing server should be reported at once; later requests may be fast or slow.
    const asked = await ask(question, question === list[0] ? 0 : RETRIES, billing)
    if (!asked.result.ok && question === list[0]) return stderr.report(asked.result.error)
    if (question === list[0] && url !== undefined) await print(url)
    for (const finding of findingsOf(question, asked)) {
      findings.push(finding)
      await print(`${finding.what.padEnd(WIDTH)}  ${finding.result.padEnd(8)}${preview(finding.detail, 100)}`.trimEnd())
    }
  }
  const price = prices.quote({ model, provider: providerName })?.price
  const cost = price && toDollars(costOf(price, pricedTokens(used)))
  await print(`${requests} requests, ${used.input_tokens} tokens in, ${used.output_tokens} out${cost === undefined ? '' : `, $${cost}`}`)
  const { input_tokens, output_tokens } = used
  const result = { provider: providerName, model, url, findings, requests, usage: { input_tokens, output_tokens }, cost }
  if (!isShown) await writeStdout(escapeLines(`${JSON.stringify(result)}\n`))
}

const RETRIES = 2
const WIDTH = 19
const OTHER_WIRE: Readonly<Record<string, string | undefined>> = { chat: 'responses', responses: 'chat' }

const PLAIN = {
  system: '',
  context: undefined,
  history: [],
  tools: [],
  turn: [],
  parallelToolCalls: true,
  temperature: undefined,
  effort: undefined,
  input: { kind: 'string' },
  output: { kind: 'string' },
  schemaInPrompt: false,
  hasMismatch: false,
} satisfies Partial<ModelRequest>

/** For people: the requests are composed, and none is sent. */
const mostOfAll = async (
  list: readonly ProbeQuestion[],
  ask: (question: ProbeQuestion, counting: Billing) => Promise<unknown>,
  { prices, ...priced }: { readonly prices: Prices; readonly model: string; readonly provider: string },
): Promise<string> => {
  const sizes: RequestSize[] = []
  const counting: Billing = {
    reserve: async (size) => {
      sizes.push(size)
      return fail('cancelled', 'it is only counted')
    },
    lose: () => {},
  }
  for (const question of list) await ask(question, counting)
  const each = sizes.map((size) => mostOf(withPage(size), prices.quote(priced, size)))
  const sum = (of: (one: (typeof each)[number]) => number) => each.reduce((total, one) => total + of(one), 0)
  const cost = prices.quote(priced) ? `$${toDollars(sum((one) => one.cost))}` : 'of a price that is not known (--prices)'
  return `${sizes.length} requests, at most ${sum((one) => one.input)} tokens in and ${sum((one) => one.output)} out, ${cost}`
}

/** The only document has one page, of which no provider makes more tokens. */
const PAGE_TOKENS = 5_000
const withPage = (size: RequestSize): RequestSize =>
  size.fillsWindow ? { ...size, fillsWindow: false, input: size.input + PAGE_TOKENS } : size

const findingsOf = ({ what, about, shows }: ProbeQuestion, { result, concessions }: Asked): readonly ProbeFinding[] => {
  if (!result.ok) {
    const { error, detail } = result.error
    // llama.cpp answers 500 to an image.
    const isRefused = REFUSALS.has(error) || /not supported|unsupported/i.test(detail)
    return [{ what, result: isRefused ? 'refused' : 'failed', detail: preview(detail, 300) }]
  }
  const conceded = about && concessions.find((one) => about.test(one.what))
  return conceded ? [{ what, result: 'refused', detail: conceded.why }] : shows(result.value)
}

const REFUSALS: ReadonlySet<Fault['error']> = new Set(['provider_refused', 'unsupported_media', 'context_overflow', 'bad_reply'])
