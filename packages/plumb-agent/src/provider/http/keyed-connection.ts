// A connection whose requests get the key of the moment, for what sends requests over hours.

import type { Keys } from '../keys.js'
import type { HttpConnection } from './connection.js'
import { KeyLacking } from './failure.js'

export const withKeys = (
  connection: HttpConnection,
  keys: Keys,
  headersOf: (key: string | undefined) => Readonly<Record<string, string>>,
): HttpConnection => ({
  ...connection,
  send: async (request, signal) => {
    for (let isSecond = false; ; isSecond = true) {
      const key = await keys.get()
      if (!key.ok) throw new KeyLacking(key.error)
      const reply = await connection.send({ ...request, headers: { ...request.headers, ...headersOf(key.value) } }, signal)
      if (reply.status !== 401 || isSecond || typeof request.body === 'object' || !keys.refuse(key.value)) return reply
      reply.body.resume()
    }
  },
})
