// What the command line says, once it is understood.

export interface CliOptions {
  /** The file, the text that stands in place of one, or neither: the built-in tools. */
  readonly spec:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'none' }
  /** Where a parent hands over the texts of all the files; see `openBootstrap`. */
  readonly sourcesFd?: number
  /** Where a parent has the budget of its run; see `joinBudget`. */
  readonly budgetFd?: string
  /** Only what this agent may call, with its grant. */
  readonly agent?: string
  /** NAME=VALUE, as given to --set. */
  readonly set?: readonly string[]
  /** As given to --set-file. */
  readonly setFile?: readonly string[]
  readonly docroot?: string
  /** Where data may go is checked, whatever the spec says. */
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
  /** What the servers of the agent offer is written among the answers, a line each time it changes. */
  readonly tellsOffers: boolean
  readonly tellsTelemetry: boolean
  readonly wantsEnvelope: boolean
  readonly wantsJson: boolean
  readonly isRawInput: boolean
  readonly isRawOutput: boolean
  /** All of standard input is one input. */
  readonly isSlurped: boolean
  readonly wantsCheck: boolean
  /** What sandboxes refuse is a warning. */
  readonly tracesSandbox: boolean
  /** Types as the language writes them. */
  readonly from?: string
  readonly to?: string
  readonly seed?: number
}
