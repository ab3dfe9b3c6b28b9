// What the command line asks for.

export type Spec =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'text'; readonly text: string }
  /** ELIZA, or the requested provider, without a prompt. */
  | { readonly kind: 'none' }

export interface ChatOptions {
  readonly spec: Spec
  /** The agent to talk to, instead of main. */
  readonly agent?: string
  readonly provider?: string
  readonly model?: string
  /** The values of params, as arguments for any program that reads the spec. */
  readonly params: readonly string[]
  /** Arguments for the program behind the conversation, such as `--docroot D`. */
  readonly forwarded: readonly string[]
  readonly showsThinking: boolean
  readonly keepsHistory: boolean
  /** Serves an editor on stdin and stdout. */
  readonly servesAcp: boolean
  /** The directory that tools may use, if the command line names it. */
  readonly docroot: string | undefined
}
