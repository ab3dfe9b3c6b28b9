// The methods that a client may call, by the names of the protocol. Initialize is in client.ts, what 2026-07-28 adds is in ../stateless.

import { callToolMethod } from './call-tool.js'
import { complete } from './complete.js'
import { getPrompt } from './get-prompt.js'
import { levelOf } from './level.js'
import type { Client, Method } from './method.js'
import { pageOf } from './page.js'
import { listResources, readResource, resourceTemplates, subscribe, unsubscribe } from './resource-methods.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'

export const METHODS: Readonly<Record<string, Method>> = {
  'tools/list': async ({ context, isStateless }, { cursor }) => {
    const { items, ...rest } = pageOf(context.catalogue.tools(), cursor)
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
