// What a server serves, how, and within which limits.

/** What is served, how, and to whom. */
export interface ServeOptions {
  /** Spec files; what each exports is served. */
  readonly specs: readonly string[]
  /** Streamable HTTP on this port of 127.0.0.1, 0 for a free one; absent: stdio. */
  readonly http?: number
  /** The directory that tools may use; if given, its files are resources too. Absent: the working directory, for tools alone. */
  readonly docroot?: string
  /** A directory of prompt files. Absent: MCP_PROMPTS_DIR, or else ./prompts where that is a directory. */
  readonly prompts?: string
  /** The variable that holds the bearer token. */
  readonly tokenEnv?: string
  /** Requires no token, whatever is granted. */
  readonly isOpen?: boolean
  /** HTTP: allowed origins of pages other than its own. */
  readonly allowOrigin?: readonly string[]
  /** NAME=VALUE, as given to --set; for each spec. */
  readonly set?: readonly string[]
  /** Checks where data may go, whether or not the specs use labels. */
  readonly flows?: boolean
  /** As given to --set-file. */
  readonly setFile?: readonly string[]
  /** Names of built-in tools; absent: those of `DEFAULT_BUILTINS`. */
  readonly builtins?: readonly string[]
  /** Lists of effects, as given to --grant. */
  readonly grant?: readonly string[]
  readonly policy?: string
  /** KEY=VALUE. */
  readonly context?: readonly string[]
  readonly provider?: string
  readonly model?: string
  readonly allowHost?: readonly string[]
  readonly agentCommand?: string
  /** Serves all tools and servers of the specs behind find, schema and compose. */
  readonly gateway?: boolean
  /** Maximum characters of a chain's result. */
  readonly maxOutput?: number
  readonly limits?: Partial<Limits>
}

/** Bounds on what clients may ask for. */
export interface Limits {
  /** Maximum bytes of a line on stdin, or of the body of a request. */
  readonly maxLine: number
  /** Maximum number of clients over HTTP. */
  readonly maxSessions: number
  /** Calls that run at once; others wait. */
  readonly maxRequests: number
  /** Seconds without a request, after which a session over HTTP ends. */
  readonly idleTimeout: number
  /** Seconds for one call of an agent, a prompt, or a client's own source. */
  readonly timeout: number
}

export const DEFAULT_LIMITS: Limits = {
  maxLine: 16 * 1024 * 1024,
  maxSessions: 1000,
  maxRequests: 16,
  idleTimeout: 1800,
  timeout: 300,
}
