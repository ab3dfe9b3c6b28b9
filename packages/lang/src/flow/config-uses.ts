// What each key of a configuration does with its value: which ask for trust, and which carry it off. A key that is new is to be entered here.

import type { Span } from '../diagnostic/source.js'
import type { Tags } from './label.js'

export interface KeyUse {
  /** What it does, for which it asks for trust. Undefined: it only bounds something, as a number or a flag does. */
  readonly does?: 'starts a program' | 'says where it goes' | 'instructs a model' | 'says what it may do' | 'is a key'
  /** `away`: its value leaves the machine. `along`: it goes to the program, or the built-in, that may send it. */
  readonly goes?: 'away' | 'along'
  /** It names files: `bare` names too, or only paths, since bare names are looked up elsewhere. */
  readonly file?: 'bare' | 'path'
  /** A result of the tool is made of it. */
  readonly isResult?: true
}

/** A key with a labelled value. */
export interface LabelledKey {
  /** What has the key, as in 'an MCP server'. */
  readonly what: string
  readonly key: string
  readonly use: KeyUse
  readonly tags: Tags
  readonly span: Span
  readonly help: string
}

const BOUND: KeyUse = {}
const SENT: KeyUse = { goes: 'away' }
const GUARD: KeyUse = { does: 'says what it may do' }
const NAMES: KeyUse = {}
const ADDRESS: KeyUse = { does: 'says where it goes', goes: 'away' }
const INSTRUCTION: KeyUse = { does: 'instructs a model', goes: 'away' }
/** Where a secret belongs. */
const KEY: KeyUse = { does: 'is a key' }

type Uses = Readonly<Record<string, KeyUse>>

const AGENT: Uses = {
  provider: ADDRESS,
  wire: ADDRESS,
  model: ADDRESS,
  endpoint: ADDRESS,
  key_command: { does: 'starts a program', goes: 'along', file: 'path' },
  price_as: BOUND,
  prompt: INSTRUCTION,
  prompt_file: { ...INSTRUCTION, file: 'bare' },
  prompts: { ...INSTRUCTION, file: 'path' },
  skills: { ...INSTRUCTION, file: 'path' },
  template: GUARD,
  history: INSTRUCTION,
  description: INSTRUCTION,
  request: INSTRUCTION,
  script: { does: 'instructs a model', goes: 'along', file: 'bare' },
  tools: NAMES,
  protocol: NAMES,
  protocol_per: GUARD,
  free: NAMES,
  mcp: ADDRESS,
  command: { does: 'starts a program', goes: 'along', file: 'path' },
  a2a: ADDRESS,
  token_env: NAMES,
  headers_env: NAMES,
  via: { does: 'starts a program', goes: 'away', file: 'path' },
  env: { does: 'says what it may do', goes: 'along' },
  sandbox: GUARD,
  grant: GUARD,
  grant_minutes: GUARD,
  sees_secrets: GUARD,
  compose: GUARD,
  max_tokens: SENT,
  thinking_budget: SENT,
  temperature: SENT,
  effort: { does: 'instructs a model', goes: 'away' },
  schema_in_prompt: SENT,
  lane: SENT,
  stream: SENT,
  parallel_tool_calls: SENT,
  runtime_context: SENT,
  partial: BOUND,
  answers: BOUND,
  cut: BOUND,
  rate: BOUND,
  max_retries: BOUND,
  max_tool_calls: BOUND,
  max_messages: BOUND,
  max_cost: BOUND,
  amnesiac: BOUND,
  conversation: BOUND,
  conversations: BOUND,
  concurrency: BOUND,
  unordered: BOUND,
  transport_retries: BOUND,
}

const TOOL: Uses = {
  process: NAMES,
  pool: NAMES,
  handoff: NAMES,
  spy: NAMES,
  flaky: NAMES,
  mcp: ADDRESS,
  name: ADDRESS,
  command: { does: 'starts a program', goes: 'along', file: 'path' },
  function: { does: 'starts a program', goes: 'along', file: 'bare' },
  builtin: { does: 'starts a program', goes: 'along' },
  agent: { does: 'instructs a model', goes: 'along', file: 'bare' },
  roots: { does: 'says where it goes', goes: 'along' },
  record: { does: 'says where it goes', goes: 'along' },
  description: INSTRUCTION,
  mock: { isResult: true },
  effects: GUARD,
  approval: GUARD,
  sandbox: GUARD,
  by: BOUND,
  on: BOUND,
  rate: BOUND,
  seed: BOUND,
  failing: BOUND,
  timeout: BOUND,
  retry: BOUND,
  idempotent: BOUND,
  breaker: BOUND,
  cache: BOUND,
  max_output: BOUND,
}

const SERVER: Uses = {
  command: { does: 'starts a program', goes: 'away', file: 'path' },
  args: { does: 'starts a program', goes: 'away' },
  env: KEY,
  token: KEY,
  token_env: GUARD,
  client_id_env: GUARD,
  client_secret_env: GUARD,
  scope: GUARD,
  headers: KEY,
  headers_env: GUARD,
  instructions: GUARD,
  url: ADDRESS,
  transport: ADDRESS,
  auth: GUARD,
  sandbox: GUARD,
  tools: GUARD,
  prefix: INSTRUCTION,
  strict: GUARD,
  trusted: GUARD,
  revision: SENT,
  handshake_timeout: BOUND,
  timeout: BOUND,
  cache_ttl: BOUND,
  max_output: BOUND,
}

/** By what has the keys, as its messages call it. */
export const USES: Readonly<Record<string, Uses>> = {
  'an agent': AGENT,
  'a tool': TOOL,
  'an MCP server': SERVER,
  'a sandbox': { net: GUARD, read: GUARD, write: GUARD, sockets: GUARD, memory: GUARD },
  'a rate': { requests: BOUND, tokens: BOUND },
  'a breaker': { failures: BOUND, reset: BOUND },
}

/** For one that nobody has entered: the most that a key may do. */
export const useOf = (what: string, key: string): KeyUse => USES[what]?.[key] ?? { does: 'starts a program', goes: 'away' }
