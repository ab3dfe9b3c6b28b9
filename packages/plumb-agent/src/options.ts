// What the command line says, once it is understood.

import type { ProviderLane } from '@plumb/wire'

export interface AgentOptions {
  /** The file, the text that stands in place of one, or the first envelope on stdin. */
  readonly spec:
    | { readonly kind: 'file'; readonly path: string }
    /** `path`: of the prompt file whose spec it is. */
    | { readonly kind: 'text'; readonly text: string; readonly path?: string }
    | { readonly kind: 'envelope' }
  readonly agent?: string
  /** NAME=VALUE, as given to --set. */
  readonly set?: readonly string[]
  /** As given to --set-file. */
  readonly setFile?: readonly string[]
  /** Where data may go is checked, whatever the spec says. */
  readonly flows?: boolean
  readonly provider?: string
  readonly model?: string
  readonly docroot?: string
  /** Images, documents and audio that go with each input. */
  readonly attach: readonly string[]
  /** Lists of effects, as given to --grant; none: what the tools declare. */
  readonly grants: readonly string[]
  readonly policy?: string
  /** KEY=VALUE, as given to --context. */
  readonly context: readonly string[]
  /** Hosts besides the provider's own that get its key. */
  readonly allowedHosts: readonly string[]
  /** A program in place of plumb-tool. */
  readonly toolCommand?: string
  /** As given to --fds. */
  readonly fds?: string
  /** Where a parent hands over the texts of all the files; see `openBootstrap`. */
  readonly sourcesFd?: number
  /** Where a parent has the budget of its run; see `joinBudget`. */
  /** Where answers are kept: a directory, or a file of lines. */
  readonly cache?: string
  /** What is not kept is not asked. */
  readonly isCacheOnly: boolean
  /** Where a parent has the kept answers of its run; see `joinKept`. */
  readonly keptFd?: number
  /** Where a parent says which messages of a run by workers it is sent; see `joinDeliveries`. */
  readonly deliveryFd?: number
  /** Which process of its parent it is, for the answers that are kept; without it the name of the agent. */
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
  /** False: not even where the spec does. */
  readonly allowsParallelToolCalls: boolean
  /** Only tells what is wrong with the configuration. */
  readonly isCheck: boolean
  /** Only asks the server what it takes. */
  readonly isProbe: boolean
  /** Outputs leave as they are made, also where the spec does not say so. */
  readonly isUnordered: boolean
  /** After the first input that fails, no further one is sent to the provider. */
  readonly isFailFast: boolean
  readonly wantsTelemetry: boolean
  /** Telemetry tells what each answer added to the memory, for a parent that records it. */
  readonly emitsMemory: boolean
  readonly isMux: boolean
  readonly takesEnvelopes: boolean
  readonly isRawInput: boolean
  readonly isRawOutput: boolean
}
