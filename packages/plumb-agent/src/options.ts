// The options of plumb-agent, in the order of use: what is run, by which model, the format of lines, what becomes of them, what tools may do.
// A row is all that there is to say of an option, and its group is how its value is passed on.

import type { Diagnostic } from '@plumb/lang'
import {
  CACHE_ROWS,
  dollars,
  FLOWS,
  flag,
  type GroupsOf,
  list,
  MAX_LINE_ROW,
  MODEL_ROWS,
  PARAM_ROWS,
  PERMISSION_ROWS,
  REQUEST_ROWS,
  REQUIRE_SANDBOX,
  value,
  whole,
} from '@plumb/wire'

export const AGENT_GROUPS = {
  program: {
    agent: value('--agent <name>', 'the agent to run, where the spec holds several'),
    eval: value('-e, --eval <text>', 'the program itself, in place of a file'),
    ...PARAM_ROWS,
    flows: FLOWS,
    isEnvelope: { ...flag('--spec-envelope', 'with --mux: the first envelope is the spec'), needs: ['--mux'], excludes: ['--eval'] },
    /** The descriptor of a parent's spec texts; see `openBootstrap`. */
    sourcesFd: value('--sources-fd <n>', undefined, whole(1)),
  },
  model: {
    ...MODEL_ROWS,
    provider: { ...MODEL_ROWS.provider, text: 'eliza, anthropic, openai or another of --providers, not what the spec says' },
    ...REQUEST_ROWS,
  },
  lines: {
    isRawInput: flag('-R, --raw-input', 'each input line is a string'),
    isRawOutput: flag('-r, --raw-output', 'write strings without quotes'),
    maxLine: MAX_LINE_ROW,
    /** Outputs are numbered lines, among which stand errors, replies and telemetry without a descriptor. */
    isNumbered: { ...flag('--numbered', 'write lines that tell what becomes of each input'), excludes: ['--raw-output'] },
    telemetry: flag('--telemetry', 'report what is done: on fd 3, or among numbered lines or envelopes'),
    isMux: {
      ...flag('--mux', 'envelopes only, on stdin and stdout'),
      excludes: ['--raw-input', '--raw-output', '--no-envelopes'],
    },
    takesEnvelopes: flag('--no-envelopes', 'take and give every line as data'),
    fds: value('--fds <list>', "which of fds 3 to 7 are open: '3,6,7' or 'none'"),
    /** Emits what each answer added to the memory, for a parent that records it. */
    emitsMemory: flag('--tell-memory'),
    tellsPrompt: flag('--tell-prompt'),
    /** Telemetry has no text of answers: its reader has them from the outputs. */
    isBrief: flag('--brief'),
    /** A blank line begins a request: nothing of the one before is left. For a parent that has one after the other answered. */
    hasRequests: flag('--requests'),
  },
  run: {
    isListing: flag('--providers', 'list the providers: name, endpoint and the variable of the key'),
    isProbe: flag('--probe', 'test what the server supports, and print a table or JSON'),
    isCheck: flag('--check', 'report what is wrong with the configuration, and end'),
    /** Images, documents and audio. */
    attach: list('--attach <file>', 'an image, PDF, text or audio that goes with each input'),
    isUnordered: flag('--unordered', 'with concurrency: write each answer when it is made'),
    isFailFast: flag('--fail-fast', 'send no further input after the first that fails'),
    /** The descriptor of a parent's deliveries, in a run by workers; see `joinDeliveries`. */
    deliveryFd: value('--delivery-fd <n>', undefined, whole(1)),
  },
  kept: CACHE_ROWS,
  money: {
    /** Nanodollars. */
    maxCost: value('--max-cost <dollars>', 'send nothing that could cost more in all', dollars),
    prices: value('--prices <file>', 'what a million tokens cost, by model'),
    /** The descriptor of a parent's budget; see `joinBudget`. */
    budgetFd: value('--budget-fd <fd>'),
  },
  tools: {
    ...PERMISSION_ROWS,
    requireSandbox: REQUIRE_SANDBOX,
    command: { ...value('--tool-command <program>', 'run this program in place of plumb-tool'), variable: 'PLUMB_TOOL' },
    /** The parent, which answers its calls, asks the person at its own terminal. */
    asksParent: flag('--asks-parent'),
    /** A process converses with it on the control channel, and does not answer what is asked of a person. */
    asksBesideControl: flag('--asks-beside-control'),
  },
}

export interface AgentOptions extends GroupsOf<typeof AGENT_GROUPS> {
  /** The spec file, an inline text, or the first envelope on stdin. */
  readonly spec:
    | { readonly kind: 'file'; readonly path: string }
    /** `path`: of the prompt file that the spec was made from. */
    | {
        readonly kind: 'text'
        readonly text: string
        readonly path?: string
        /** The text stands for a prompt file, in which errors are shown. */
        readonly toPrompt?: (diagnostic: Diagnostic) => Diagnostic
      }
    | { readonly kind: 'envelope' }
}
