// prompts/get: the messages of a prompt file, for the client's own conversation.

import { nearest, preview } from '@plumb/wire'
import type { Prompt } from '../prompts/prompt.js'
import { type Method, recordParam, textParam } from './method.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'
import type { ServerContext } from './server-context.js'

export const getPrompt: Method = async ({ context }, params) => {
  const prompt = promptNamed(textParam(params, 'name'), context)
  const { input, ...rest } = recordParam(params, 'arguments')
  const [stray] = Object.keys(rest)
  if (stray !== undefined)
    throw new RpcError(INVALID_PARAMS, `the prompt '${prompt.name}' has no argument '${preview(stray)}': it takes input`)
  if (input !== undefined && typeof input !== 'string') throw new RpcError(INVALID_PARAMS, "'input' takes a string")
  return { ...(prompt.description === undefined ? {} : { description: prompt.description }), messages: prompt.messages(input) }
}

export const promptNamed = (name: string, { catalogue }: ServerContext): Prompt => {
  const prompts = catalogue.prompts()
  const found = prompts.find((prompt) => prompt.name === name)
  if (found) return found
  const near = nearest(
    name,
    prompts.map((prompt) => prompt.name),
  )
  throw new RpcError(INVALID_PARAMS, `no prompt is named '${preview(name)}'${near === undefined ? '' : `, did you mean '${near}'?`}`)
}
