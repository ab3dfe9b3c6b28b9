// A TCP proxy on loopback between a client and a server, which does to their connections what networks do: it delays, drips, cuts, resets,
// half-closes and swallows. What happens to a connection is decided as late as its first byte each way, so that a server that knows what it
// was asked can still name it by the port that it sees.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'

/** One direction of a connection. */
export interface Flow {
  /** Before its first byte. */
  readonly delayMs?: number
  /** So many bytes a tick. */
  readonly drip?: { readonly bytes: number; readonly everyMs: number }
  /** So many bytes pass; then it ends in the way that `end` says. */
  readonly after?: number
  /** `close`: both sides see an orderly end; `half`: only this direction ends; `swallow`: nothing more passes, and neither side is reported. */
  readonly end?: 'close' | 'reset' | 'half' | 'swallow'
}

export interface Outcome {
  readonly toClient?: Flow
  readonly toServer?: Flow
}

export interface Connection {
  /** From 0, in the order in which they came. */
  readonly index: number
  /** By which the server knows it: its socket's `remotePort`. */
  readonly port: number
}

export interface FaultProxy {
  readonly port: number
  readonly url: string
  /** Bytes that reached the client, by the index of the connection. */
  readonly passed: number[]
  /** Of connections of which nothing has come yet. */
  outcomeOf: (connection: Connection) => Outcome
}

export const openFaultProxy = async (t: Test, serverPort: number, outcomeOf: FaultProxy['outcomeOf'] = () => ({})): Promise<FaultProxy> => {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, async (client) => {
    const index = proxy.passed.push(0) - 1
    const upstream = connect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    await once(upstream, 'connect').catch(() => client.resetAndDestroy())
    const connection = { index, port: upstream.localPort ?? 0 }
    void carry(client, upstream, () => proxy.outcomeOf(connection).toServer)
    void carry(
      upstream,
      client,
      () => proxy.outcomeOf(connection).toClient,
      (bytes) => {
        proxy.passed[index] = (proxy.passed[index] ?? 0) + bytes
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  const proxy: FaultProxy = { port, url: `http://127.0.0.1:${port}`, passed: [], outcomeOf }
  return proxy
}

const carry = async (
  from: Socket,
  to: Socket,
  flowOf: () => Flow | undefined,
  passed: (bytes: number) => void = () => {},
): Promise<void> => {
  let flow: Flow | undefined
  let left = Number.POSITIVE_INFINITY
  try {
    for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (!flow) {
        flow = flowOf() ?? {}
        left = flow.after ?? left
        if (flow.delayMs !== undefined) await sleep(flow.delayMs)
      }
      const bytes = flow.drip?.bytes ?? chunk.length
      for (let at = 0; at < chunk.length && left > 0; at += bytes) {
        const piece = chunk.subarray(at, Math.min(chunk.length, at + bytes, at + left))
        if (flow.drip) await sleep(flow.drip.everyMs)
        await new Promise((done) => to.write(piece, done))
        passed(piece.length)
        left -= piece.length
      }
      if (left === 0) return finish(from, to, flow.end ?? 'close')
    }
    to.end()
  } catch {
    // One side was reset: so is the other.
    to.resetAndDestroy()
  }
}

const finish = (from: Socket, to: Socket, how: NonNullable<Flow['end']>): void => {
  if (how === 'reset') for (const socket of [from, to]) socket.resetAndDestroy()
  else if (how === 'close') for (const socket of [to, from]) socket.destroySoon()
  else if (how === 'half') to.end()
}
