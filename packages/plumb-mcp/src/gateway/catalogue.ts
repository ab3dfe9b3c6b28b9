// The catalogue of a gateway: the tools of its specs from the beginning, those of each server once it has started. A server that is slow or
// fails does not delay the others.

import { type Json, type ServerBinding, toSchema } from '@plumb/lang'
import {
  describeAbsence,
  openTypedServer,
  type Registered,
  type Session,
  type Tool,
  type TypedServer,
  type TypedServerTool,
  wordsFor,
} from '@plumb/tool/internal'
import type { Fault } from '@plumb/wire'

/** `name` is what chains write: `server.tool` for a tool of a server. */
export interface GatewayTool extends Omit<TypedServerTool, 'as'> {
  readonly effects: readonly string[]
  /** With all stages of a call. */
  readonly tool: Tool
  readonly session: Session
}

export interface CataloguedSpec {
  readonly tools: readonly Registered[]
  readonly servers: readonly ServerBinding[]
  readonly session: Session
}

export interface GatewayCatalogue {
  tools(): readonly GatewayTool[]
  /** Names of the servers that are still starting, or have not listed their tools yet. */
  waiting(): readonly string[]
  /** Why a server could not be opened, by its name. */
  absent(): ReadonlyMap<string, Fault>
  /** Resolves when each of these servers has opened or failed, or when the signal fires. */
  ready(names: readonly string[], signal: AbortSignal): Promise<void>
  /** Resolves when any of the waiting servers has opened or failed, or when the signal fires. At least one has to be waiting. */
  next(signal: AbortSignal): Promise<void>
}

export const openGatewayCatalogue = (specs: readonly CataloguedSpec[], warn: (warning: Fault) => void): GatewayCatalogue => {
  const own = specs.flatMap(({ tools, session }) => tools.map((registered) => ofSpec(registered, session)))
  const bindings = specs.flatMap(({ servers, session }) => servers.map((server) => ({ ...server, session })))
  // A dot in the name of a spec's tool follows a module.
  const modules = [...new Set(own.map(({ name }) => name.split('.', 1)[0] as string))]
  const words = wordsFor([...modules, ...bindings.map(({ config }) => String(config.prefix))]).slice(modules.length)
  let listed: readonly GatewayTool[] | undefined
  const onChange = (): void => {
    listed = undefined
  }
  const entries = bindings.map((binding, i) => openEntry(binding, words[i] as string, { warn, onChange }))
  const waiting = () => entries.flatMap(({ name, state }) => (state() === 'waiting' ? [name] : []))
  const openedOf = (names: readonly string[]) => entries.flatMap(({ name, opened }) => (names.includes(name) ? [opened] : []))
  return {
    tools: () => {
      listed ??= [...own, ...entries.flatMap((entry) => entry.tools())]
      return listed
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
}

interface EntryListeners {
  readonly warn: (warning: Fault) => void
  /** The server has opened or failed, or its tools have changed. */
  readonly onChange: () => void
}

const openEntry = (
  { config, specPath, session }: ServerBinding & { readonly session: Session },
  name: string,
  { warn, onChange }: EntryListeners,
): Entry => {
  let server: TypedServer | undefined
  let absence: Fault | undefined
  const opened = openTypedServer(config, specPath, session, onChange).then((result) => {
    if (result.ok) server = result.value
    else {
      absence = describeAbsence(config, specPath, result.error)
      if (!session.servers.isClosed) warn(absence)
    }
    onChange()
  })
  return {
    name,
    opened,
    state: () => (server ? 'open' : absence ? 'absent' : 'waiting'),
    absence: () => absence,
    tools: () => (server ? ofServer(name, server, session) : []),
  }
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
