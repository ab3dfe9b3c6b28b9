// The tools of a server: the cached list, until the server itself has listed them.

import type { Json } from '@plumb/lang'
import { type Fault, type Result, type SchemaCheck, succeed } from '@plumb/wire'
import { outputCheck } from './answer.js'
import type { McpTool } from './connection.js'
import { watchTools } from './tool-changes.js'
import { readTools } from './tool-list.js'
import type { Identity, ToolListCache } from './tool-list-cache.js'
import { waitAtMost } from './wait-at-most.js'

export interface Listing {
  /**
   * The server's own list; if that takes long, the cached one, if it contains all that are wanted. Then `onChange` is called when the
   * server's is there.
   */
  readonly tools: (wanted: readonly string[]) => Promise<Result<readonly McpTool[]>>
  /** The server's own list, requested once, and again after a change or a failure. */
  readonly listed: () => Promise<Result<readonly McpTool[]>>
  readonly isListed: boolean
  /** It runs only as a task. */
  readonly needsTask: (name: string) => boolean
  /** By the output schema of that tool, if it has one. */
  readonly checkOf: (name: string) => Result<SchemaCheck | undefined>
  /** The server's tools have changed, as it announces or as its refusals show. */
  readonly change: () => void
}

export interface ListingParts {
  /** Requests the list. */
  readonly ask: () => Promise<Result<readonly Readonly<Record<string, Json>>[]>>
  /** How long its answers are valid, as the server says (ms). Undefined: it does not say. */
  readonly ttlMs: () => number | undefined
  readonly catalogue: ToolListCache
  readonly identity: Identity
  /** For messages. */
  readonly server: string
  /** Parameters are repeated in headers, if a schema says so. */
  readonly isMirrored: boolean
  readonly onUse: (tools: readonly McpTool[]) => void
  readonly note: (warning: Fault) => void
  readonly onChange: () => void
}

/** A server that lists its tools within this time needs no cached list (ms). */
const LIST_TIMEOUT_MS = 1000

export const openListing = ({ ask, ttlMs, catalogue, identity, server, isMirrored, onUse, note, onChange }: ListingParts): Listing => {
  const changes = watchTools(server)
  let asked: Promise<Result<readonly McpTool[]>> | undefined
  let isListed = false
  let mayBeKept = true
  let round = 0
  let tasks: readonly string[] = []
  let checks = new Map<string, () => Result<SchemaCheck | undefined>>()

  const use = (tools: readonly McpTool[]): void => {
    checks = new Map(tools.map((tool) => [tool.name, once(() => outputCheck(tool))]))
    tasks = tools.flatMap(({ name, needsTask }) => (needsTask ? [name] : []))
    onUse(tools)
  }
  const list = async (): Promise<Result<readonly McpTool[]>> => {
    const mine = ++round
    const items = await ask()
    if (!items.ok) return items
    const warnings: Fault[] = []
    const tools = readTools(items.value, server, (warning) => warnings.push(warning), isMirrored)
    // Another list was requested since.
    if (mine !== round) return listed()
    // A cached list gives no warnings to this run.
    await (warnings.length === 0 ? catalogue.write(identity, tools, ttlMs()) : catalogue.drop())
    for (const warning of [...warnings, ...changes.findChanges(tools)]) note(warning)
    use(tools)
    isListed = true
    return succeed(tools)
  }
  const listed = (): Promise<Result<readonly McpTool[]>> => {
    if (asked) return asked
    const asking = list()
    asked = asking
    void asking.then(({ ok }) => {
      if (!ok && asked === asking) asked = undefined
    })
    return asking
  }
  const tools: Listing['tools'] = async (wanted) => {
    const own = listed()
    if (isListed || !mayBeKept) return own
    const early = await waitAtMost(LIST_TIMEOUT_MS, own)
    if (early) return early
    const kept = mayBeKept ? await catalogue.read(identity) : undefined
    if (isListed || !kept || !wanted.every((name) => kept.some((tool) => tool.name === name))) return own
    use(kept)
    void own.then(onChange)
    return succeed(kept)
  }
  return {
    tools,
    listed,
    get isListed() {
      return isListed
    },
    needsTask: (name) => tasks.includes(name),
    checkOf: (name) => checks.get(name)?.() ?? succeed(undefined),
    change: () => {
      mayBeKept = false
      void catalogue.drop()
      // Emitted once until the list is requested again.
      if (!asked) return
      asked = undefined
      onChange()
    },
  }
}

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
