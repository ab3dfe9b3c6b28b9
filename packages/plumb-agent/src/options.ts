// The parsed command line.

import type { ProviderLane } from '@plumb/wire'

export interface AgentOptions {
  /** The spec file, an inline text, or the first envelope on stdin. */
  readonly spec:
    | { readonly kind: 'file'; readonly path: string }
    /** `path`: of the prompt file that the spec was made from. */
    | { readonly kind: 'text'; readonly text: string; readonly path?: string }
    | { readonly kind: 'envelope' }
  readonly agent?: string
  /** NAME=VALUE, as given to --set. */
  readonly set?: readonly string[]
  /** As given to --set-file. */
  readonly setFile?: readonly string[]
  /** Checks where data may go, whether or not the spec uses labels. */
  readonly flows?: boolean
  readonly provider?: string
  readonly model?: string
  readonly docroot?: string
  /** Images, documents and audio for every input. */
  readonly attach: readonly string[]
  /** Lists of effects, as given to --grant; empty: what the tools declare. */
  readonly grants: readonly string[]
  readonly policy?: string
  /** KEY=VALUE, as given to --context. */
  readonly context: readonly string[]
  /** Hosts other than the provider's own that get its key. */
  readonly allowedHosts: readonly string[]
  /** A program instead of plumb-tool. */
  readonly toolCommand?: string
  /** As given to --fds. */
  readonly fds?: string
  /** The descriptor of a parent's spec texts; see `openBootstrap`. */
  readonly sourcesFd?: number
  /** The descriptor of a parent's budget; see `joinBudget`. */
  /** Where answers are kept: a directory, or a file of lines. */
  readonly cache?: string
  /** Requests nothing that is not kept. */
  readonly isCacheOnly: boolean
  /** The descriptor of a parent's kept answers; see `joinKept`. */
  readonly keptFd?: number
  /** The descriptor of a parent's deliveries, in a run by workers; see `joinDeliveries`. */
  readonly deliveryFd?: number
  /** The place of this process in its parent, for kept answers; default: the name of the agent. */
  readonly place?: string
  readonly budgetFd?: string
  /** Nanodollars. */
  readonly maxCost?: number
  /** As given to --lane. */
  readonly lane?: ProviderLane
  /** As given to --rate. */
  readonly rates: readonly string[]
  /** The file of prices. */
  readonly prices?: string
  readonly maxLineBytes?: number
  /** False: even if the spec does. */
  readonly allowsParallelToolCalls: boolean
  /** Only reports errors in the configuration. */
  readonly isCheck: boolean
  /** Only tests what the server supports. */
  readonly isProbe: boolean
  /** Outputs leave as they are finished, even if the spec does not say so. */
  readonly isUnordered: boolean
  /** After the first failed input, no further one is sent to the provider. */
  readonly isFailFast: boolean
  readonly wantsTelemetry: boolean
  /** Telemetry has no text of answers: its reader has them from the outputs. */
  readonly isBrief: boolean
  /** Emits what each answer added to the memory, for a parent that records it. */
  readonly emitsMemory: boolean
  /** Outputs are numbered lines, among which are errors, replies and telemetry without a descriptor. */
  readonly isNumbered: boolean
  readonly isMux: boolean
  readonly takesEnvelopes: boolean
  readonly isRawInput: boolean
  readonly isRawOutput: boolean
}
