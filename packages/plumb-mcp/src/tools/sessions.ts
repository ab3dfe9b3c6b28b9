// The state that the calls of one program share. Notifications of a running call find its client by the call's id.

import { resolve } from 'node:path'
import type { AskedCall, Consent } from '@plumb/ledger'
import { keptPaths, makeSession, ServerPool, type Session, watchProgram } from '@plumb/tool/internal'
import { bundledFiles, type Fault, optionWords, type Result, type SourceFiles, withAround } from '@plumb/wire'
import type { ServerAuthority } from '../grant.js'
import { AGENT_ROWS, type ServeOptions } from '../options.js'

/** What an agent asks whose model is a person. */
export type PersonAsked = Omit<Parameters<NonNullable<Session['answer']>>[0], 'id'>

export interface Sessions {
  /** One for each program. */
  of(files: SourceFiles): Session
  /** Files that no program of the server may change. */
  readonly around: readonly string[]
  /** Ends the servers that tools have called. */
  close(): Promise<void>
}

export interface SessionsOptions {
  /** Absolute. */
  readonly docroot: string
  readonly authority: ServerAuthority
  readonly options: ServeOptions
  /** Directories of prompts. */
  readonly prompts: readonly string[]
  /** Called at the end of each call within a call: with the id of the outer one, and what happened. */
  readonly onInnerCall: (id: string, message: string) => void
  readonly warn: (warning: Fault) => void
  /** Asks the client that made the call of that id. */
  readonly approve: (id: string, request: AskedCall) => Promise<Consent>
  readonly answer: (id: string, question: PersonAsked) => Promise<Result<string>>
}

export const openSessions = ({ docroot, authority, options, prompts, onInnerCall, warn, approve, answer }: SessionsOptions): Sessions => {
  const caller = callerOf(options)
  const around = [...options.specs, ...prompts, ...(options.policy === undefined ? [] : [options.policy])].map((path) => resolve(path))
  const files = withAround(bundledFiles({ entry: '', files: {}, modules: {} }), { paths: around })
  const servers = new ServerPool({ cwd: docroot, kept: () => keptPaths({ docroot, files }), note: warn })
  return {
    around,
    close: () => servers.close(),
    of: (files) => {
      const session = makeSession({
        docroot,
        files: withAround(files, { paths: around }),
        authority: () => authority,
        approve: ({ id, tool, input, text = JSON.stringify(input), wrong }) => approve(outermost(id), { tool, input: text, wrong }),
        answer: ({ id, ...question }) => answer(outermost(id), question),
        onCall: ({ id, tool, ok, depth }) => {
          if (depth > 0) onInnerCall(outermost(id), `${tool} ${ok ? 'is done' : 'has failed'}`)
        },
        agentOptions: handedOn(options),
        agentProgram: options.agentProgram ?? process.env.PLUMB_AGENT,
        caller,
        servers,
      })
      void watchProgram(session)
      return session
    },
  }
}

/** Options for the agents that are started. */
export const handedOn = ({ provider, model, allowHosts = [] }: ServeOptions): string[] =>
  optionWords(AGENT_ROWS, { provider, model, allowHosts })

const callerOf = ({ provider = process.env.PLUMB_PROVIDER, model = process.env.PLUMB_MODEL }: ServeOptions): Session['caller'] =>
  provider === undefined || model === undefined ? undefined : { provider, model }

// The id of a call within another begins with that one's.
const outermost = (id: string): string => id.split('/', 1)[0] ?? id
