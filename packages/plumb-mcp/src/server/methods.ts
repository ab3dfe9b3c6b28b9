// The methods that a client may call, by the names of the protocol. Initialize is in client.ts, what 2026-07-28 adds is in ../stateless.

import { nearest, preview } from '@plumb/wire'
import type { Prompt } from '../prompts/prompt.js'
import { callToolMethod } from './call-tool.js'
import { levelOf } from './level.js'
import { type Caller, type Client, type Method, type Params, type RequestContext, recordParam, textParam } from './method.js'
import { pageOf } from './page.js'
import { listResources, readResource, resourceTemplates, subscribe, unsubscribe } from './resource-methods.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'
import type { ServerContext } from './server-context.js'

// prompts/get: the messages of a prompt file, for the client's own conversation.
const getPrompt: Method = async ({ context }, params) => {
  const prompt = promptNamed(textParam(params, 'name'), context)
  const { input, ...rest } = recordParam(params, 'arguments')
  const [stray] = Object.keys(rest)
  if (stray !== undefined)
    throw new RpcError(INVALID_PARAMS, `the prompt '${prompt.name}' has no argument '${preview(stray)}': it takes input`)
  if (input !== undefined && typeof input !== 'string') throw new RpcError(INVALID_PARAMS, "'input' takes a string")
  return { ...(prompt.description === undefined ? {} : { description: prompt.description }), messages: prompt.messages(input) }
}

const promptNamed = (name: string, { catalogue }: ServerContext): Prompt => {
  const prompts = catalogue.prompts()
  const found = prompts.find((prompt) => prompt.name === name)
  if (found) return found
  const near = nearest(
    name,
    prompts.map((prompt) => prompt.name),
  )
  throw new RpcError(INVALID_PARAMS, `no prompt is named '${preview(name)}'${near === undefined ? '' : `, did you mean '${near}'?`}`)
}

/** The protocol's maximum for one answer. */
const MAX_VALUES = 100

const complete: Method = async (client, params, request) => {
  const argument = recordParam(params, 'argument')
  const [name, start] = [textParam(argument, 'name'), textParam(argument, 'value')]
  const found = await candidates(recordParam(params, 'ref'), name, start, client, request)
  const values = found.filter((value) => value.startsWith(start))
  return { completion: { values: values.slice(0, MAX_VALUES), hasMore: values.length > MAX_VALUES } }
}

const candidates = async (
  ref: Params,
  name: string,
  start: string,
  { context }: Caller,
  { signal }: RequestContext,
): Promise<readonly string[]> => {
  if (ref.type === 'ref/prompt') {
    const prompt = promptNamed(textParam(ref, 'name'), context)
    return name === 'input' ? prompt.choices : []
  }
  if (ref.type === 'ref/resource') return name === 'path' ? ((await context.files?.complete(start, MAX_VALUES + 1, signal)) ?? []) : []
  throw new RpcError(INVALID_PARAMS, '\'ref\' takes {"type":"ref/prompt"} or {"type":"ref/resource"}')
}

export const METHODS: Readonly<Record<string, Method>> = {
  'tools/list': async ({ context, isStateless, calls }, { cursor }) => {
    const offered = context.catalogue.tools().filter(({ name }) => calls?.walk.isOffered(name) ?? true)
    const { items, ...rest } = pageOf(offered, cursor)
    return {
      tools: items.map(({ name, description, inputSchema, outputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        // Before 2026-07-28 it was that of an object.
        outputSchema: isStateless || outputSchema?.type === 'object' ? outputSchema : undefined,
        annotations,
      })),
      ...rest,
    }
  },
  'tools/call': callToolMethod,
  'prompts/list': async ({ context }, { cursor }) => {
    const { items, ...rest } = pageOf(context.catalogue.prompts(), cursor)
    return { prompts: items.map(({ name, description }) => ({ name, description, arguments: [INPUT] })), ...rest }
  },
  'prompts/get': getPrompt,
  'resources/list': listResources,
  'resources/templates/list': resourceTemplates,
  'resources/read': readResource,
  'completion/complete': complete,
}

/** With those that 2026-07-28 has removed. */
export const SESSION_METHODS: Readonly<Record<string, Method<Client>>> = {
  ...METHODS,
  ping: async () => ({}),
  'resources/subscribe': subscribe,
  'resources/unsubscribe': unsubscribe,
  'logging/setLevel': async (client, { level }) => {
    const known = levelOf(level)
    if (!known) throw new RpcError(INVALID_PARAMS, "'level' takes one of the levels of syslog, from debug to emergency")
    client.level = known
    return {}
  },
}

const INPUT = { name: 'input', description: 'What is said to it, behind the prompt itself', required: false }
