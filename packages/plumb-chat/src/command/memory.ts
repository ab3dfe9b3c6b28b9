// /memory, /save, /load: shows, saves and restores what the agent remembers.

import { fault } from '@plumb/wire'
import { readMemory, writeMemory } from '../memory-file.js'
import type { Command, CommandContext } from './context.js'

type Messages = readonly { readonly role: string; readonly content: unknown }[]

export const memory: Command = {
  name: 'memory',
  argument: '[clear]',
  does: 'what it remembers; clear makes it forget',
  run: async (argument, context) => {
    if (argument === 'clear') return put([], context)
    if (argument !== '') return fault('usage', "/memory takes 'clear', or nothing")
    const messages = await get(context)
    if ('error' in messages) return messages
    const lines = messages.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`)
    context.screen.output(lines.length === 0 ? 'nothing is remembered' : lines.join('\n'))
    return undefined
  },
}

export const save: Command = {
  name: 'save',
  argument: 'FILE',
  does: 'write what it remembers to a file',
  run: async (argument, context) => {
    if (argument === '') return fault('usage', '/save takes the name of a file')
    const messages = await get(context)
    if ('error' in messages) return messages
    const failure = writeMemory(argument, messages)
    if (!failure) context.screen.notice(`${count(messages.length)} saved in ${argument}`)
    return failure
  },
}

export const load: Command = {
  name: 'load',
  argument: 'FILE',
  does: 'let it remember what such a file holds, and nothing else',
  run: async (argument, context) => {
    if (argument === '') return fault('usage', '/load takes the name of a file')
    const messages = readMemory(argument)
    return messages.ok ? put(messages.value, context) : messages.error
  },
}

const get = async ({ request }: CommandContext) => {
  const reply = await request({ get_memory: true }, 'memory')
  return reply.ok ? (reply.value.messages as Messages) : reply.error
}

const put = async (messages: readonly unknown[], { request, screen }: CommandContext) => {
  const reply = await request({ set_memory: messages }, 'memory_set')
  if (!reply.ok) return reply.error
  screen.notice(`${count(Number(reply.value.old_messages))} forgotten, ${count(messages.length)} remembered`)
  return undefined
}

const count = (n: number): string => `${n} ${n === 1 ? 'message' : 'messages'}`
