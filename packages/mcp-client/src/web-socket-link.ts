// A server over a WebSocket, with the subprotocol 'mcp': one message a frame.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { parseJson } from '@plumb/wire'
import { openHttpDispatcher } from './http-dispatcher.js'
import { type Link, LinkError } from './link.js'
import { messagesIn } from './message.js'
import { networkFault } from './network-fault.js'
import type { RawArguments } from './raw-arguments.js'
import type { ServerTarget } from './server-url.js'

export const openWebSocket = async ({ url, headers }: ServerTarget, allowsPrivateNet: boolean, places: RawArguments): Promise<Link> => {
  const { WebSocket } = await import('undici')
  let failure: Error | undefined
  const dispatcher = await openHttpDispatcher(url, allowsPrivateNet, (error) => {
    failure = error
  })
  let socket: InstanceType<typeof WebSocket> | undefined
  let why: string | undefined

  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        const opened = new WebSocket(url, { protocols: ['mcp'], headers, dispatcher })
        socket = opened
        opened.addEventListener('open', () => resolve())
        opened.addEventListener('error', () => reject(new LinkError(networkFault(url.host, failure ?? new Error('it opens no WebSocket')))))
        opened.addEventListener('close', ({ code, reason }) => {
          why ??= `it closed the WebSocket with code ${code}${reason === '' ? '' : `: ${reason}`}`
          transport.onclose?.()
        })
        opened.addEventListener('message', ({ data }) => {
          const buf = typeof data === 'string' ? Buffer.from(data) : undefined
          const value = buf && parseJson(buf, 0, buf.length)
          for (const message of (value?.ok && messagesIn(value.value)) || []) transport.onmessage?.(message)
        })
      }),
    send: async (message) => socket?.send(places.fill(JSON.stringify(message))),
    close: async () => socket?.close(),
  }
  const end = async (): Promise<void> => {
    await transport.close()
    await dispatcher.destroy().catch(() => {})
  }
  return { transport, isStream: true, closeReason: () => why, end }
}
