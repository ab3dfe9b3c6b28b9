// A session, a call and tools for the tests of the stages: nothing happens but what a test says.

import type { Type } from '@plumb/lang'
import { bundledFiles, type Result, succeed } from '@plumb/wire'
import { ServerPool } from '../../mcp-client/src/server-pool.js'
import type { Call, CallEnvelope, Session } from '../src/call/call.js'
import type { Tool } from '../src/call/tool.js'
import type { JsonText } from '../src/json-text.js'

export const STRING: Type = { kind: 'string' }
export const INT: Type = { kind: 'int' }
export const JSON_TYPE: Type = { kind: 'json' }
export const list = (item: Type): Type => ({ kind: 'array', item })
export const sum = (...variants: Type[]): Type => ({ kind: 'sum', variants })
export const literal = (value: string): Type => ({ kind: 'literal', value })

/** `a`: required, `a?`: may be absent, `a=3`: with that default. */
export const record = (fields: Readonly<Record<string, Type>>): Type => ({
  kind: 'record',
  fields: Object.entries(fields).map(([key, type]) => {
    const [name = '', standIn] = key.split('=')
    if (standIn !== undefined) return { name, type, isOptional: true, default: standIn }
    return { name: name.replace('?', ''), type, isOptional: name.endsWith('?') }
  }),
})

export interface TestSession extends Session {
  clock: number
  readonly traced: CallEnvelope[]
}

export const openSession = (parts: Partial<Session> = {}): TestSession => {
  const session: TestSession = {
    docroot: '/docs',
    files: bundledFiles({ entry: '', files: {}, modules: {} }),
    authority: () => ({ policy: [], context: {} }),
    approve: async () => false,
    onCall: (envelope) => session.traced.push(envelope),
    agentOptions: [],
    agentProgram: undefined,
    caller: undefined,
    servers: new ServerPool({ cwd: '/docs', note: () => {} }),
    nowMs: () => session.clock,
    clock: 0,
    traced: [],
    ...parts,
  }
  return session
}

export const openCall = (session: Session, parts: Partial<Call> = {}): Call => ({
  id: 'call-1',
  depth: 0,
  parent: undefined,
  signal: new AbortController().signal,
  record: { attempts: 0, cached: false, truncated: false, repairs: [], stages: [] },
  session,
  ...parts,
})

/** Answers with what `work` makes; counts. */
export const makeTool = (
  work: (input: JsonText, call: Call, count: number) => Result<JsonText> | Promise<Result<JsonText>> = (input) => succeed(input),
  types: { readonly input?: Type; readonly output?: Type } = {},
): Tool & { runs: number } => {
  const tool = {
    name: 'probe',
    input: types.input ?? JSON_TYPE,
    output: types.output ?? JSON_TYPE,
    runs: 0,
    run: async (input: JsonText, call: Call) => work(input, call, ++tool.runs),
  }
  return tool
}

export const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.error.error)

/** What is only known later. */
export const openPromise = <T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } => {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Lets everything run that waits for nothing but its turn. */
export const turn = (): Promise<void> => new Promise((done) => setImmediate(done))
