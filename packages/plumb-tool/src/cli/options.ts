// The options of plumb-tool. A row is all that there is to say of one, and its group is how its value is passed on.

import {
  FLOWS,
  flag,
  type GroupsOf,
  MAX_LINE_ROW,
  MODEL_ROWS,
  type OptionRow,
  PARAM_ROWS,
  PERMISSION_ROWS,
  REQUIRE_SANDBOX,
  value,
  whole,
} from '@plumb/wire'
import type { VerbName } from './verbs.js'

/** An option of these verbs alone. */
export type VerbRow<Value = unknown> = OptionRow<Value> & { readonly verbs: readonly VerbName[] }

const of = <Value>(verbs: readonly VerbName[], row: OptionRow<Value>): VerbRow<Value> => ({ ...row, verbs })

const FOR_AGENTS = 'for agents that tools start'

export const TOOL_GROUPS = {
  verb: {
    isRawInput: of(['call'], flag('-R, --raw-input', 'call: the input, or each line of it, is a string')),
    isRawOutput: of(['call'], flag('-r, --raw-output', 'call: write strings without quotes')),
    /** All of standard input is one input. */
    isSlurped: of(['call'], flag('-s, --slurp', 'call: all of standard input is one input')),
    wantsEnvelope: of(['call'], flag('--envelope', 'call: all about the call, even where it fails')),
    wantsCheck: of(['call'], flag('--check', 'call: try without writing, where the tool can')),
    /** Reports what sandboxes refuse as warnings. */
    tracesSandbox: of(['call'], flag('--trace-sandbox', 'call: what the sandbox of a program refused it')),
    /** Types, as the language writes them. */
    from: of(['find'], value('--from <type>', 'find: what is there')),
    to: of(['find'], value('--to <type>', 'find: what is wanted')),
    wantsJson: of(['list', 'find', 'sandbox'], flag('--json', 'list, find, sandbox: JSON Lines')),
    maxLine: of(['call', 'serve'], { ...MAX_LINE_ROW, text: `call, serve: ${MAX_LINE_ROW.text}` }),
    fds: of(['serve'], value('--fds <list>', "serve: requests on 4 and answers on 5, as '4,5'")),
    protocol: of(['serve'], value('--protocol <name>', 'serve: the order in which tools may be called, as the spec declares it')),
    /** Writes the offers of the agent's servers among the answers, a line for each change. */
    emitsOffers: of(['serve'], flag('--offers', "serve: first what the agent's MCP servers offer")),
    emitsTelemetry: of(['serve'], flag('--telemetry')),
    seed: of(['test'], value('--seed <n>', 'test: repeat the run that had this seed', whole(0))),
  },
  program: {
    eval: value('-e, --eval <text>', 'the spec itself, in place of a file'),
    /** Only its tools, with its grant. */
    agent: value('--agent <name>', 'only what this agent may call, with its grant'),
    ...PARAM_ROWS,
    flows: FLOWS,
    /** The descriptor of the parent's spec texts; see `openBootstrap`. */
    sourcesFd: value('--sources-fd <n>', undefined, whole(1)),
    /** The descriptor of the run's budget; see `joinBudget`. */
    budgetFd: value('--budget-fd <fd>'),
  },
  /** What is handed on to agents that tools start, as words. */
  model: {
    provider: { ...MODEL_ROWS.provider, text: FOR_AGENTS },
    model: { ...MODEL_ROWS.model, text: FOR_AGENTS },
    allowHosts: { ...MODEL_ROWS.allowHosts, text: `${FOR_AGENTS}: a host with the key` },
  },
  permissions: {
    ...PERMISSION_ROWS,
    requireSandbox: REQUIRE_SANDBOX,
    agentProgram: { ...value('--agent-command <program>', 'in place of plumb-agent'), variable: 'PLUMB_AGENT' },
  },
}

export interface CliOptions extends GroupsOf<typeof TOOL_GROUPS> {
  /** The spec file, an inline text, or neither: the built-in tools. */
  readonly spec:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'none' }
}
