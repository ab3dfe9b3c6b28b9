// The question about a client's own source, and the answer.

import type { DiagnosticJson } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import type { Bundle, Fault } from '@plumb/wire'

export interface SourceQuestion {
  /** Absolute. */
  readonly docroot: string
  readonly grant: readonly Effect[]
  /** The path in diagnostics, relative to the docroot. */
  readonly path: string
  readonly text: string
}

interface Found {
  readonly types: number
  readonly bindings: number
  readonly diagnostics: readonly DiagnosticJson[]
  /** The diagnostics for people. */
  readonly text: string
}

export type CompiledSource =
  | ({ readonly ok: false } & Found)
  | ({
      readonly ok: true
      /** Of its bindings, by name, as the language writes types. */
      readonly signatures: Readonly<Record<string, string>>
      /** Why it is not run. */
      readonly refusals: readonly Fault[]
      /** Real paths of prompt files that it names. */
      readonly prompts: readonly string[]
      /** All texts that it consists of. */
      readonly bundle: Bundle
      /** Descriptors of its ports. Undefined: there is none. */
      readonly main: { readonly inputs: number; readonly outputs: number } | undefined
    } & Found)
