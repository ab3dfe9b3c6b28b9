// The connections of one dispatcher: equal entries share one, and all end with the dispatcher.

import type { KeptPaths } from '@plumb/sandbox'
import { type Fault, fault, isRecord, type Result } from '@plumb/wire'
import type { McpConnection, McpServers, ServerConfig } from './connection.js'
import { connectionKey } from './server-entry.js'

export interface PoolOptions {
  /** The working directory of commands. */
  readonly cwd: string
  /** What is kept where the sandbox of a server lets it write; asked for when one is started that may. */
  readonly kept?: () => Promise<KeptPaths>
  /** Receives warnings; none stops anything. */
  readonly note: (warning: Fault) => void
  /** Reports what sandboxes refuse as warnings. */
  readonly tracesSandbox?: boolean
}

/** Bounded, since a server may cause any number of warnings. */
const MAX_WARNINGS = 100

export class ServerPool implements McpServers {
  readonly #options: PoolOptions
  readonly #connections = new Map<string, Promise<Result<McpConnection>>>()
  readonly #listeners = new Map<string, Set<() => void>>()
  /** Called once there is something to close. */
  #closing: AbortController | undefined
  readonly #warned = new Set<string>()
  #isClosed = false
  readonly #owned: (() => Promise<void>)[] = []

  constructor(options: PoolOptions) {
    this.#options = options
  }

  connect(config: ServerConfig, onToolsChanged?: () => void): Promise<Result<McpConnection>> {
    const key = connectionKey(config)
    const listeners = this.#listeners.get(key) ?? new Set()
    this.#listeners.set(key, listeners)
    if (onToolsChanged) listeners.add(onToolsChanged)
    const known = this.#connections.get(key)
    if (known) return known
    const opening = this.#open(config, () => {
      for (const listener of listeners) listener()
    })
    this.#connections.set(key, opening)
    void opening.then((result) => {
      if (!result.ok) this.#connections.delete(key)
    })
    return opening
  }

  get tracesSandbox(): boolean {
    return this.#options.tracesSandbox === true
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  warn(warning: Fault): void {
    if (this.#warned.has(warning.detail) || this.#warned.size === MAX_WARNINGS) return
    this.#warned.add(warning.detail)
    this.#options.note(warning)
  }

  own(close: () => Promise<void>): void {
    this.#owned.push(close)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#closing?.abort()
    await Promise.all(this.#owned.splice(0).map((end) => end()))
    const open = await Promise.all(this.#connections.values())
    this.#connections.clear()
    await Promise.all(open.map((connection) => (connection.ok ? connection.value.disconnect() : undefined)))
  }

  async #open(config: ServerConfig, onToolsChanged: () => void): Promise<Result<McpConnection>> {
    const { cwd } = this.#options
    const { tracesSandbox } = this
    const note = (warning: Fault) => this.warn(warning)
    if (this.#isClosed) return { ok: false, error: fault('cancelled', 'the dispatcher is stopping') }
    this.#closing ??= new AbortController()
    const { signal } = this.#closing
    const { connectMcp } = await import('./connect.js')
    const writes = isRecord(config.sandbox) && config.sandbox.write !== undefined
    const kept = writes ? await this.#options.kept?.() : undefined
    // A server address in the spec's own `mcp` needs no net.private (plumb-tools(7), What may be done).
    return connectMcp(config, { clientName: 'plumb', cwd, note, signal, allowsPrivateNet: true, onToolsChanged, tracesSandbox, kept })
  }
}
