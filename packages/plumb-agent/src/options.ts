// What the command line says, once it is understood.

export interface Options {
  /** The file, or the text that stands in place of one. */
  readonly spec: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'text'; readonly text: string }
  readonly agent?: string
  readonly provider?: string
  readonly model?: string
  readonly docroot?: string
  /** As given to --fds. */
  readonly fds?: string
  /** Where a parent hands over the texts of all the files; see `readBundle`. */
  readonly sourcesFd?: number
  readonly maxLineBytes?: number
  readonly wantsTelemetry: boolean
  readonly isMux: boolean
  readonly takesEnvelopes: boolean
  readonly isRawInput: boolean
  readonly isRawOutput: boolean
}
