// The options of plumb-serve: who may come in, within which limits, and how the specs run, as for plumb run.

import { RUN_GROUPS, type RunOptions, runOptions } from '@plumb/runtime/options'
import { demand, flag, type GroupsOf, list, type OptionRow, seconds, value, whole, withDefault } from '@plumb/wire'

export interface Address {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
}

/** `PORT`, `HOST:PORT` or `[IPv6]:PORT`. */
const address = (text: string): Address => {
  const [, host = '127.0.0.1', digits = ''] = /^(?:(\[[0-9a-f:.]+\]|[^:[\]\s/]+):)?(\d{1,5})$/i.exec(text) ?? []
  demand(digits !== '' && Number(digits) <= 65_535, 'it takes PORT or HOST:PORT, with a port from 0 to 65535')
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(digits) }
}

/** Without its last slash. */
const publicUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username + url.password === ''
  demand(isPlain, 'it takes a URL of http or https, as https://api.example/desk')
  return text.replace(/\/+$/, '')
}

const { spec, agents, permissions, programs, display, limits, run } = RUN_GROUPS

/** How the specs run. */
const how = <Value>(row: OptionRow<Value>): OptionRow<Value> => ({ ...row, heading: 'How the specs run' })
/** For the whole server. */
const ofAll = <Value>(row: OptionRow<Value>, text: string): OptionRow<Value> => ({ ...row, text, heading: 'For the whole server' })

export const SERVE_GROUPS = {
  serve: {
    listen: withDefault(value('--listen <address>', 'PORT or HOST:PORT; 0: a free port (8080)', address), {
      host: '127.0.0.1',
      port: 8080,
    }),
    hasTools: flag('--tools', "serve the tools under '@tool true' too"),
    isA2a: flag('--a2a', 'speak A2A 1.0 with other agents'),
    publicUrl: value('--public-url <url>', 'where others reach it, as behind a proxy', publicUrl),
    tokenEnv: value('--token-env <name>', 'the variable that holds the token of requests'),
    tokens: value('--tokens <file>', 'tokens with names, bindings and limits, as JSON'),
    allowOrigin: list('--allow-origin <origin>', 'a page that may use it, as https://app.example'),
    isLazy: flag('--lazy', 'start processes with the first request'),
    maxBody: withDefault(value('--max-body <bytes>', 'longest body, or line of one (%)', whole(1)), 16 * 1024 * 1024),
    maxRequests: withDefault(value('--max-requests <n>', 'requests in hand at once (%)', whole(1)), 64),
    record: value('--record <dir>', 'keep runs there, so that they outlive the server'),
    on: value('--on <url>', 'keep runs in PostgreSQL, where workers help: see man plumb-work'),
    isInsecure: flag('--insecure-database', 'also one elsewhere whose certificate is not checked'),
    keepSeconds: withDefault(value('--keep-results <seconds>', 'of runs, after their end (%)', seconds), 300),
    conversations: withDefault(value('--conversations <n>', 'memories that are kept (%)', whole(1)), 1000),
    graceSeconds: withDefault(value('--grace <seconds>', 'for what is in hand at a signal (%)', seconds), 30),
  },
  spec: { set: how(spec.set), setFile: how(spec.setFile), flows: how(spec.flows) },
  run: { maxInFlight: how(run.maxInFlight) },
  agents: {
    provider: how(agents.provider),
    model: how(agents.model),
    allowHosts: how(agents.allowHosts),
    rates: how(agents.rates),
    parallelToolCalls: how(agents.parallelToolCalls),
  },
  permissions: {
    grant: how(permissions.grant),
    docroot: how(permissions.docroot),
    policy: how(permissions.policy),
    context: how(permissions.context),
    requireSandbox: how(permissions.requireSandbox),
  },
  programs: { agent: how(programs.agent), tool: how(programs.tool) },
  limits: {
    maxCost: ofAll(limits.maxCost, 'ask no model once it has cost so much'),
    maxCalls: ofAll(limits.maxCalls, 'ask models no more than so often'),
    maxTotalTokens: ofAll(limits.maxTotalTokens, 'ask no model after so many tokens'),
    prices: ofAll(display.prices, 'what a million tokens cost, by model'),
  },
}

export type ServeOptions = GroupsOf<typeof SERVE_GROUPS>

/** How a binding runs, as plumb run has it from the same words. */
export const runOptionsOf = ({ serve, spec, run, agents, permissions, programs, limits }: ServeOptions): RunOptions => {
  const { prices, ...others } = limits
  const plain = runOptions('run', {})
  return {
    ...plain,
    spec: { ...plain.spec, ...spec },
    lines: { ...plain.lines, maxLine: serve.maxBody, takesEnvelopes: false },
    run: { ...plain.run, ...run },
    agents: { ...plain.agents, ...agents },
    permissions,
    programs,
    display: { ...plain.display, prices, asksCost: true },
    limits: { ...plain.limits, ...others },
  }
}
