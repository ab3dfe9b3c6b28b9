// What a connection to an MCP server is, for those who use one.

import type { Json } from '@plumb/lang'
import type { Fault, Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { StderrTail } from '../source/process/stderr-tail.js'

/** One entry of `mcp: […]`, checked by lang. Times are in seconds. */
export interface ServerConfig {
  readonly command?: string
  readonly args?: readonly string[]
  /** Added to the allow-listed environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Of what is started; false: none. */
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
  readonly auth?: 'query'
  readonly strict?: boolean
  /** Such as `2026-07-28`; "auto", or left out: the newest that both know. */
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

/** All may be left out. */
export interface ConnectOptions {
  /** The name that the server gets as its client's, such as `plumb-agent`; `plumb`. */
  readonly clientName?: string
  /** Where a command runs, and what a command with a slash is relative to. */
  readonly cwd?: string
  /** Warnings, of which none ends the connection; `process.emitWarning`, which Node writes to stderr. */
  readonly note?: (warning: Fault) => void
  /** Each line that a server which was started writes to stderr, without keys. */
  readonly onStderr?: (line: string) => void
  /** What the sandbox of a server refuses is a note too. */
  readonly tracesSandbox?: boolean
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal
  /** Whether the URL may lead to a private or local address: it may unless said otherwise, since an address in a spec is meant. */
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
  /** Hints of the server's own, never grants. */
  readonly annotations?: Json
  /** It runs as a task alone, which is not offered: it cannot be called. */
  readonly needsTask?: true
}

/** Text and images are as tools of ours give them to a model; `data` is base64. */
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
  /** `structuredContent`, checked against the tool's output schema where it has one. */
  readonly structured?: JsonText
  /** The tool says that it failed. */
  readonly isError: boolean
  /** The access that the server lacked in its sandbox, by what it said. */
  readonly lacked?: string
  /** The error object of ours as which it says so. */
  readonly error?: Fault
}

export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface CallOptions {
  /** Fires `notifications/cancelled`; the answer is then `cancelled`. */
  readonly signal?: AbortSignal
  /** In place of the server's `timeout`. */
  readonly timeoutMs?: number
  readonly onProgress?: (progress: Progress) => void
}

export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: Json
}

export interface McpConnection {
  readonly server: { readonly name: string; readonly version: string }
  readonly capabilities: { readonly [name: string]: Json }
  readonly instructions?: string
  /** The revision that was agreed on, such as `2026-07-28`. */
  readonly protocol: string
  /** Every call now fails with `mcp_dead`; nothing is connected again. */
  readonly isDead: boolean
  /**
   * All pages. Where the server takes long to list them, those that were kept (`cache_ttl`), if all that is wanted is among them;
   * `onToolsChanged` then tells when the server's own list is there.
   */
  tools(wanted?: readonly string[]): Promise<Result<readonly McpTool[]>>
  /** The server's own list, asked for once, and again after the server has announced a change or refused an input. */
  listedTools(): Promise<Result<readonly McpTool[]>>
  /** The tools are those of the server's own list. */
  readonly isListed: boolean
  /** `input` is one JSON object. `bad_reply` where the answer breaks the protocol or the tool's output schema. */
  call(name: string, input: JsonText, options?: CallOptions): Promise<Result<McpAnswer>>
  /** What a server that was started writes to stderr; undefined: it is reached over the net. */
  readonly stderr: Pick<StderrTail, 'count' | 'since'> | undefined
  prompts(): Promise<Result<readonly McpPrompt[]>>
  /** The messages, in the server's own form. */
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<Result<Json>>
  resources(): Promise<Result<readonly Json[]>>
  resourceTemplates(): Promise<Result<readonly Json[]>>
  read(uri: string): Promise<Result<Json>>
  /** Values for an argument of a prompt or of a template, as `ref` names it. */
  complete(ref: Json, argument: { readonly name: string; readonly value: string }): Promise<Result<Json>>
  /** The session is deleted, the process group has ended. Never fails. */
  disconnect(): Promise<void>
}
