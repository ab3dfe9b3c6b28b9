// The parsed command line.

export interface CliOptions {
  /** The spec file, an inline text, or neither: the built-in tools. */
  readonly spec:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'none' }
  /** The descriptor of the parent's spec texts; see `openBootstrap`. */
  readonly sourcesFd?: number
  /** The descriptor of the run's budget; see `joinBudget`. */
  readonly budgetFd?: string
  /** Only the tools of this agent, with its grant. */
  readonly agent?: string
  /** NAME=VALUE, as given to --set. */
  readonly set?: readonly string[]
  /** As given to --set-file. */
  readonly setFile?: readonly string[]
  readonly docroot?: string
  /** Checks where data may go, whether or not the spec uses labels. */
  readonly flows?: boolean
  /** Lists of effects, as given to --grant. */
  readonly grant: readonly string[]
  readonly policy?: string
  /** KEY=VALUE, as given to --context. */
  readonly context: readonly string[]
  readonly provider?: string
  readonly model?: string
  /** As given to --allow-host. */
  readonly allowHost: readonly string[]
  readonly agentCommand?: string
  readonly maxLineBytes?: number
  /** As given to --fds. */
  readonly fds?: string
  /** Writes the offers of the agent's servers among the answers, a line for each change. */
  readonly emitsOffers: boolean
  readonly emitsTelemetry: boolean
  readonly wantsEnvelope: boolean
  readonly wantsJson: boolean
  readonly isRawInput: boolean
  readonly isRawOutput: boolean
  /** All of standard input is one input. */
  readonly isSlurped: boolean
  readonly wantsCheck: boolean
  /** Reports what sandboxes refuse as warnings. */
  readonly tracesSandbox: boolean
  /** Prints types as the language writes them. */
  readonly from?: string
  readonly to?: string
  readonly seed?: number
}
