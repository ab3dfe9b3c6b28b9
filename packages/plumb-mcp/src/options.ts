// The options of the server: what it serves, how, and within which limits.

import {
  FLOWS,
  flag,
  list,
  MAX_LINE_ROW,
  MODEL_ROWS,
  PARAM_ROWS,
  PERMISSION_ROWS,
  port,
  REQUIRE_SANDBOX,
  type ValuesOf,
  value,
  valuesOf,
  whole,
  withDefault,
} from '@plumb/wire'

// Lists may be given in one option, or in several.
const names = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
]

/** What is handed on to agents, as words. */
export const AGENT_ROWS = {
  provider: { ...MODEL_ROWS.provider, text: 'for agents' },
  model: { ...MODEL_ROWS.model, text: 'for agents' },
  allowHosts: { ...MODEL_ROWS.allowHosts, text: 'for agents: a host that gets the key' },
}

export const SERVE_ROWS = {
  /** On 127.0.0.1. Undefined: stdio. */
  http: value('--http <port>', 'Streamable HTTP at /mcp of 127.0.0.1; 0: a free port', port),
  /** Undefined: the working directory, for tools alone. */
  docroot: { ...PERMISSION_ROWS.docroot, text: 'directory whose files are resources, and for tools' },
  prompts: value('--prompts <dir>', 'directory of prompts, else MCP_PROMPTS_DIR or ./prompts'),
  tokenEnv: value('--token-env <name>', 'HTTP: the variable that holds the bearer token'),
  wantsToken: flag('--no-token', 'HTTP: want no token, whatever is granted'),
  /** Of pages other than its own. */
  allowOrigin: list('--allow-origin <origin>', 'HTTP: a page that may use it, as http://localhost:6274'),
  protocol: value('--protocol <name>', 'the order in which tools may be called, as a spec declares it'),
  gateway: flag('--gateway', 'all tools and MCP servers of the specs behind three tools'),
  maxOutput: withDefault(value('--max-output <characters>', 'gateway: of what a chain gives; %', whole(1)), 10_000),
  ...PARAM_ROWS,
  flows: FLOWS,
  /** Undefined: those of `DEFAULT_BUILTINS`. */
  builtins: value('--builtin <list>', 'built-in tools to serve', names),
  grant: { ...PERMISSION_ROWS.grant, text: 'effects that tools may have, such as fs.write' },
  policy: PERMISSION_ROWS.policy,
  context: PERMISSION_ROWS.context,
  requireSandbox: REQUIRE_SANDBOX,
  ...AGENT_ROWS,
  agentProgram: { ...value('--agent-command <program>', 'in place of plumb-agent'), variable: 'PLUMB_AGENT' },
}

export const LIMIT_ROWS = {
  /** For one call of an agent, a prompt, or a client's own source. */
  timeout: withDefault(value('--timeout <seconds>', 'for an agent, a prompt, or the tool call (default: %)', whole(1)), 300),
  /** Of a line on stdin, or of the body of a request. */
  maxLine: { ...MAX_LINE_ROW, text: 'longest message taken (default: %)' },
  maxRequests: withDefault(value('--max-requests <n>', 'calls that run at once; others wait (default: %)', whole(1)), 16),
  maxSessions: withDefault(value('--max-sessions <n>', 'HTTP: clients at once (default: %)', whole(1)), 1000),
  idleTimeout: withDefault(value('--idle-timeout <seconds>', 'HTTP: to forget a client after (default: %)', whole(1)), 1800),
}

/** Bounds on what clients may ask for. */
export type Limits = ValuesOf<typeof LIMIT_ROWS>

/** What is served, how, and to whom. */
export interface ServeOptions extends Partial<ValuesOf<typeof SERVE_ROWS>> {
  /** Spec files; what each exports is served. */
  readonly specs: readonly string[]
  readonly limits?: Partial<Limits>
}

export const DEFAULT_LIMITS: Limits = valuesOf(LIMIT_ROWS, {})
