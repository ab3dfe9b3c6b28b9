// What the command line says, once it is understood.

export type Spec =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'text'; readonly text: string }
  /** ELIZA, or the provider that was asked for, without a prompt. */
  | { readonly kind: 'none' }

export interface Options {
  readonly spec: Spec
  /** The one to talk to, in place of main. */
  readonly agent?: string
  readonly provider?: string
  readonly model?: string
  /** What is handed on to the program behind the conversation as it is: `--docroot D`… */
  readonly handedOn: readonly string[]
  readonly showsThinking: boolean
  readonly keepsHistory: boolean
}
