// The tools behind a gateway: those of its specs at once, those of each server when that is there. What a server does or fails at is no matter of
// the others.

import { type Json, type ServerBinding, type Type, toSchema } from '@plumb/lang'
import { describeAbsence, openTypedServer, type Registered, type Session, type Tool, type TypedServer, wordsFor } from '@plumb/tool'
import type { Fault } from '@plumb/wire'

export interface GatewayTool {
  /** As chains write it: that of a server is `server.tool`. */
  readonly name: string
  readonly description: string
  readonly input: Type
  readonly output: Type
  readonly inputSchema: Json
  readonly outputSchema?: Json
  readonly effects: readonly string[]
  /** With all stages of a call. */
  readonly tool: Tool
  readonly session: Session
}

export interface SpecOnShelf {
  readonly tools: readonly Registered[]
  readonly servers: readonly ServerBinding[]
  readonly session: Session
}

export interface Shelf {
  tools(): readonly GatewayTool[]
  /** Of the servers that are being started, or asked for their tools. */
  waiting(): readonly string[]
  /** Why servers are not there. */
  absent(): ReadonlyMap<string, Fault>
  /** Resolves when these servers are there, or are known not to be, or when the signal fires. */
  ready(names: readonly string[], signal: AbortSignal): Promise<void>
  /** The same of any one of those that are waited for; there has to be one. */
  next(signal: AbortSignal): Promise<void>
}

export const openShelf = (specs: readonly SpecOnShelf[], warn: (warning: Fault) => void): Shelf => {
  const own = specs.flatMap(({ tools, session }) => tools.map((registered) => ofSpec(registered, session)))
  const bindings = specs.flatMap(({ servers, session }) => servers.map((server) => ({ ...server, session })))
  // A tool of a spec with a dot in its name has a module before it.
  const modules = [...new Set(own.map(({ name }) => name.split('.', 1)[0] as string))]
  const words = wordsFor([...modules, ...bindings.map(({ config }) => String(config.prefix))]).slice(modules.length)
  const entries = bindings.map((binding, i) => openEntry(binding, words[i] as string, warn))
  let laid: readonly GatewayTool[] | undefined
  for (const entry of entries) {
    entry.onChange = () => {
      laid = undefined
    }
  }
  const waiting = () => entries.flatMap(({ name, state }) => (state() === 'waiting' ? [name] : []))
  const openedOf = (names: readonly string[]) => entries.flatMap(({ name, opened }) => (names.includes(name) ? [opened] : []))
  return {
    tools: () => {
      laid ??= [...own, ...entries.flatMap((entry) => entry.tools())]
      return laid
    },
    waiting,
    absent: () => new Map(entries.flatMap(({ name, absence }) => (absence() ? [[name, absence() as Fault] as const] : []))),
    ready: (names, signal) => unlessGivenUp(signal, Promise.all(openedOf(names))),
    next: (signal) => unlessGivenUp(signal, Promise.race(openedOf(waiting()))),
  }
}

const unlessGivenUp = (signal: AbortSignal, opening: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const leave = (): void => resolve()
    signal.addEventListener('abort', leave, { once: true })
    void opening.then(() => {
      signal.removeEventListener('abort', leave)
      resolve()
    })
  })

interface Entry {
  readonly name: string
  readonly opened: Promise<void>
  readonly state: () => 'waiting' | 'open' | 'absent'
  readonly absence: () => Fault | undefined
  readonly tools: () => readonly GatewayTool[]
  onChange: () => void
}

const openEntry = (
  { config, specPath, session }: ServerBinding & { readonly session: Session },
  name: string,
  warn: (warning: Fault) => void,
): Entry => {
  let server: TypedServer | undefined
  let absence: Fault | undefined
  const entry: Entry = {
    name,
    opened: openTypedServer(config, specPath, session, () => entry.onChange()).then((opened) => {
      if (opened.ok) server = opened.value
      else {
        absence = describeAbsence(config, specPath, opened.error)
        if (!session.servers.isClosed) warn(absence)
      }
      entry.onChange()
    }),
    state: () => (server ? 'open' : absence ? 'absent' : 'waiting'),
    absence: () => absence,
    tools: () => (server ? ofServer(name, server, session) : []),
    onChange: () => {},
  }
  return entry
}

const ofSpec = ({ plan, effects, schema, tool }: Registered, session: Session): GatewayTool => {
  const { name, description = '', input, output } = plan
  const shown = { inputSchema: schema.schema as Json, outputSchema: toSchema(output) as Json }
  return { name, description, input, output, ...shown, effects, tool, session }
}

const ofServer = (server: string, { tools }: TypedServer, session: Session): readonly GatewayTool[] => {
  const words = wordsFor(tools.map(({ name }) => name))
  return tools.map(({ as, name: _, ...rest }, i) => {
    const name = `${server}.${words[i]}`
    return { ...rest, name, effects: [], tool: as(name), session }
  })
}
