// The interface of a connection to an MCP server.

import type { Json } from '@plumb/lang'
import type { KeptPaths, StderrTail } from '@plumb/sandbox'
import type { Fault, Result } from '@plumb/wire'

/** One entry of `mcp: […]`, checked by lang. Times are in seconds. */
export interface ServerConfig {
  readonly command?: string
  readonly args?: readonly string[]
  /** Added to the allow-listed environment. */
  readonly env?: Readonly<Record<string, string>>
  /** The sandbox of a started server; false: none. */
  readonly sandbox?: Json
  /** The spec that names it, absolute; its sandbox shows it. */
  readonly specPath?: string
  readonly url?: string
  readonly token?: string
  readonly token_env?: string
  readonly transport?: 'sse' | 'ws'
  readonly tools?: readonly string[]
  readonly prefix?: string
  readonly client_id_env?: string
  readonly client_secret_env?: string
  /** OAuth: the scope to ask for. Absent: that which the server names. */
  readonly scope?: string
  /** Further headers of each request to the URL. */
  readonly headers?: Readonly<Record<string, string>>
  /** As `headers`, with names of environment variables for values. */
  readonly headers_env?: Readonly<Record<string, string>>
  readonly auth?: 'query'
  /** Whether its own instructions are told to the model; default: they are. */
  readonly instructions?: boolean
  readonly strict?: boolean
  /** Such as `2026-07-28`; "auto" or absent: the newest that both support. */
  readonly revision?: string
  /** 30. */
  readonly handshake_timeout?: number
  /** 60; of one request. */
  readonly timeout?: number
  /** 300; 0 keeps nothing. */
  readonly cache_ttl?: number
  /** 100,000; in characters, of one result. */
  readonly max_output?: number
}

/** All are optional. */
export interface ConnectOptions {
  /** The client name for the server, such as `plumb-agent`; default: `plumb`. */
  readonly clientName?: string
  /** The working directory of commands, which a path with a slash is relative to. */
  readonly cwd?: string
  /** Receives warnings, none of which ends the connection; default: `process.emitWarning`, which Node writes to stderr. */
  readonly note?: (warning: Fault) => void
  /** Receives each line that a started server writes to stderr, without keys. */
  readonly onStderr?: (line: string) => void
  /** Also notes what the sandbox of a server refuses. */
  readonly tracesSandbox?: boolean
  /** Paths that stay read-only to a started server within the directories that it may write; its spec and its program always do. */
  readonly kept?: KeptPaths | undefined
  /** After this time a server that has not said which revisions it supports is initialized too (ms); default: 2,000. */
  readonly silenceMs?: number
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal
  /** Whether the URL may lead to a private or local address: allowed by default, since the author of the spec wrote it. */
  readonly allowsPrivateNet?: boolean
  /** The server has announced that its tools have changed: `tools()` asks again. */
  readonly onToolsChanged?: () => void
}

/** With what was left out. */
export type Connecting = ConnectOptions & Required<Pick<ConnectOptions, 'clientName' | 'note' | 'allowsPrivateNet'>>

export interface McpTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Json
  readonly outputSchema?: Json
  /** The server's own hints, never grants. */
  readonly annotations?: Json
  /** It runs only as a task, which is not supported: it cannot be called. */
  readonly needsTask?: true
}

/** Text and images in the form in which our tools give them to a model; `data` is base64. */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly media_type: string; readonly data: string }
  | { readonly type: 'resource'; readonly uri: string; readonly media_type?: string; readonly text: string }
  | { readonly type: 'resource'; readonly uri: string; readonly media_type?: string; readonly data: string }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly title?: string
      readonly description?: string
      readonly media_type?: string
      readonly size?: number
    }

export interface McpAnswer {
  readonly content: readonly McpContent[]
  /** `structuredContent`, checked against the tool's output schema, if any. */
  readonly structured?: string
  /** The tool reports that it failed. */
  readonly isError: boolean
  /** The access that the server lacked in its sandbox, from its messages. */
  readonly lacked?: string
  /** Our error object, if the server reports one. */
  readonly error?: Fault
}

export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface CallOptions {
  /** Sends `notifications/cancelled`; the answer is then `cancelled`. */
  readonly signal?: AbortSignal
  /** Replaces the server's `timeout`. */
  readonly timeoutMs?: number
  readonly onProgress?: (progress: Progress) => void
  /** Goes along in `_meta`. */
  readonly meta?: Readonly<Record<string, string>>
  /** Called with the id of the request once it is written. */
  readonly onSent?: (id: string) => void
}

export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: Json
}

/** A server of MCP that answers: its tools, and calls of them. */
export interface McpConnection {
  readonly server: { readonly name: string; readonly version: string }
  readonly capabilities: { readonly [name: string]: Json }
  readonly instructions?: string
  /** The negotiated revision, such as `2026-07-28`. */
  readonly protocol: string
  /** Where the server is. */
  readonly place: { readonly transport: 'pipe' | 'tcp'; readonly host?: string; readonly port?: number }
  /** Every call now fails with `mcp_dead`; nothing is reconnected. */
  readonly isDead: boolean
  /**
   * All pages. If the server takes long to list its tools, the cached list (`cache_ttl`), if it contains all that are wanted;
   * `onToolsChanged` is called when the server's own list is there.
   */
  tools(wanted?: readonly string[]): Promise<Result<readonly McpTool[]>>
  /** The server's own list, requested once, and again after an announced change or a refused input. */
  listedTools(): Promise<Result<readonly McpTool[]>>
  /** The tools are from the server's own list. */
  readonly isListed: boolean
  /** `input` is one JSON object. `bad_reply` if the answer violates the protocol or the tool's output schema. */
  call(name: string, input: string, options?: CallOptions): Promise<Result<McpAnswer>>
  /** The stderr of a started server. Undefined: a remote server. */
  readonly stderr: Pick<StderrTail, 'count' | 'since'> | undefined
  prompts(): Promise<Result<readonly McpPrompt[]>>
  /** The messages, in the server's own form. */
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<Result<Json>>
  resources(): Promise<Result<readonly Json[]>>
  resourceTemplates(): Promise<Result<readonly Json[]>>
  read(uri: string): Promise<Result<Json>>
  /** Completions for an argument of a prompt or of a template; `ref` names it. */
  complete(ref: Json, argument: { readonly name: string; readonly value: string }): Promise<Result<Json>>
  /** Deletes the session, and ends the process group. Never fails. */
  disconnect(): Promise<void>
}

export interface McpServers {
  /**
   * The one connection to a server, opened at the first call. A failed attempt may be repeated; a lost connection stays lost.
   * `onToolsChanged` is called at each change of the server's tools.
   */
  connect(config: ServerConfig, onToolsChanged?: () => void): Promise<Result<McpConnection>>
  /** Passes a warning on, once for each `detail`. */
  warn(warning: Fault): void
  /** Whether what sandboxes refuse is a warning. */
  readonly tracesSandbox?: boolean | undefined
  readonly isClosed: boolean
  /** Called when they are closed: for what else belongs to them. */
  own?(close: () => Promise<void>): void
  /** Resolves when no server that was started here is left. */
  close(): Promise<void>
}
