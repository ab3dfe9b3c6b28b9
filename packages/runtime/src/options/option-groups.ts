// Options that belong together: those of the spec, of permissions and of limits.

import type { GivenOptions } from '@plumb/wire'

export interface SpecOptions {
  /** The text itself, instead of a file. */
  readonly eval?: string
  /** The descriptor on which a parent hands over all texts. */
  readonly sourcesFd?: number
  /** The files that a prompt file instead of a spec may include. */
  readonly permissions?: Pick<Permissions, 'grant'>
  readonly docroot?: string | undefined
  /** `--flows`. */
  readonly flows?: boolean | undefined
  /** For drawing only: flows are shown, and not enforced. */
  readonly ignoresFlows?: boolean
  /** Whoever wrote the spec is not trusted: its errors show lines of no file that is not called as specs are. */
  readonly isOfStrangers?: boolean
  /** The values of params. Undefined: nothing will be run. */
  readonly given?: GivenOptions
}

/** As given to `--grant`, `--policy` and `--context`. */
export interface Permissions {
  readonly grant: readonly string[]
  readonly policy: string | undefined
  readonly context: readonly string[]
}

export interface RunLimits {
  /** Nanodollars. */
  readonly maxCost: number | undefined
  readonly maxCalls: number | undefined
  readonly maxTotalTokens: number | undefined
  readonly deadlineMs: number | undefined
}
