// /memory, /save, /load: what the agent remembers, shown, kept and given back.

import { fault } from '@plumb/wire'
import { readMemory, writeMemory } from '../memory-file.js'
import type { Command, Desk } from './command.js'

type Messages = readonly { readonly role: string; readonly content: unknown }[]

export const memory: Command = {
  name: 'memory',
  argument: '[clear]',
  does: 'what it remembers; clear makes it forget',
  run: async (argument, desk) => {
    if (argument === 'clear') return put([], desk)
    if (argument !== '') return fault('usage', "/memory takes 'clear', or nothing")
    const messages = await get(desk)
    if ('error' in messages) return messages
    const lines = messages.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`)
    desk.screen.output(lines.length === 0 ? 'nothing is remembered' : lines.join('\n'))
    return undefined
  },
}

export const save: Command = {
  name: 'save',
  argument: 'FILE',
  does: 'write what it remembers to a file',
  run: async (argument, desk) => {
    if (argument === '') return fault('usage', '/save takes the name of a file')
    const messages = await get(desk)
    if ('error' in messages) return messages
    const failure = writeMemory(argument, messages)
    if (!failure) desk.screen.notice(`${count(messages.length)} saved in ${argument}`)
    return failure
  },
}

export const load: Command = {
  name: 'load',
  argument: 'FILE',
  does: 'let it remember what such a file holds, and nothing else',
  run: async (argument, desk) => {
    if (argument === '') return fault('usage', '/load takes the name of a file')
    const messages = readMemory(argument)
    return messages.ok ? put(messages.value, desk) : messages.error
  },
}

const get = async ({ request }: Desk) => {
  const reply = await request({ get_memory: true }, 'memory')
  return reply.ok ? (reply.value.messages as Messages) : reply.error
}

const put = async (messages: readonly unknown[], { request, screen }: Desk) => {
  const reply = await request({ set_memory: messages }, 'memory_set')
  if (!reply.ok) return reply.error
  screen.notice(`${count(Number(reply.value.old_messages))} forgotten, ${count(messages.length)} remembered`)
  return undefined
}

const count = (n: number): string => `${n} ${n === 1 ? 'message' : 'messages'}`
