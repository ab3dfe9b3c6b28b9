// A conversation is forgotten.

import { fault } from '@plumb/wire'
import type { Exchange } from '../http/exchange.js'
import type { Service } from '../service.js'

export const forgetConversation = async (exchange: Exchange, { conversations }: Service): Promise<void> => {
  const { path, method, access, response } = exchange
  if (method !== 'DELETE') return exchange.wrongMethod('DELETE')
  const id = decoded(path.slice('/conversations/'.length))
  const gone = await conversations.forget(access?.name ?? '', id)
  if (!gone.ok) exchange.problem(gone.error)
  else if (gone.value) response.writeHead(204).end()
  else exchange.problem(fault('no_such_page', 'there is no such conversation'))
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
