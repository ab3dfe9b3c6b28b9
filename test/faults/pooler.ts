// A pooler in transaction mode before a PostgreSQL: each transaction of a client gets the session that was free last, or a new one.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SOCKET = '.s.PGSQL.5432'
const READY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)

export const openPooler = async (serverDirectory: string): Promise<{ readonly url: string; readonly close: () => void }> => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-pool-'))
  const sockets = new Set<Socket>()
  const kept = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const idle: Socket[] = []
  /** Sends what a client says to a session, and reports what comes of it, until the session is free again. */
  const ask = (session: Socket, words: Buffer, report: (words: Buffer) => void): Promise<void> =>
    new Promise((resolve) => {
      let left = Buffer.alloc(0)
      session.removeAllListeners('data').on('data', (chunk: Buffer) => {
        left = Buffer.concat([left, chunk])
        while (left.length >= 5 && left.length > left.readUInt32BE(1)) {
          const message = left.subarray(0, 1 + left.readUInt32BE(1))
          left = left.subarray(message.length)
          report(message)
          if (message[0] === READY && message[5] === IDLE) resolve()
        }
      })
      session.write(words)
    })
  const server = createServer((client) => {
    kept(client)
    let start: Buffer | undefined
    let session: Socket | undefined
    const report = (words: Buffer) => void client.write(words)
    client.on('data', async (words: Buffer) => {
      const isStart = start === undefined
      start ??= words
      if (session) return void session.write(words)
      const free = isStart ? undefined : idle.pop()
      session = free ?? kept(connect(join(serverDirectory, SOCKET)))
      const own = session
      if (!free && !isStart) await ask(own, start, () => {})
      await ask(own, words, report)
      session = undefined
      if (!isStart || idle.length === 0) idle.push(own)
      else own.destroy()
    })
  })
  server.listen(join(directory, SOCKET))
  await once(server, 'listening')
  return {
    url: `postgres://plumb@/postgres?host=${encodeURIComponent(directory)}`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
