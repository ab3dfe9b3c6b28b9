// A socket before that of a PostgreSQL, whose connections can be cut as a network is: nothing more passes, the server gives the session up, and
// the client hears nothing of it until the network is back.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface CutNetwork {
  readonly url: string
  readonly cut: () => void
  readonly heal: () => void
  readonly close: () => void
}

const SOCKET = '.s.PGSQL.5432'

export const openCutNetwork = async (serverDirectory: string): Promise<CutNetwork> => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-cut-'))
  const pairs: { readonly client: Socket; readonly upstream: Socket }[] = []
  let isCut = false
  const server = createServer((client) => {
    client.on('error', () => {})
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(join(serverDirectory, SOCKET)).on('error', () => {})
    pairs.push({ client, upstream })
    client.on('data', (chunk) => isCut || upstream.write(chunk)).on('close', () => upstream.destroy())
    upstream.on('data', (chunk) => isCut || client.write(chunk)).on('close', () => isCut || client.destroy())
  })
  server.listen(join(directory, SOCKET))
  await once(server, 'listening')
  const heal = (): void => {
    isCut = false
    for (const { client } of pairs.splice(0)) client.destroy()
  }
  return {
    url: `postgres://plumb@/postgres?host=${encodeURIComponent(directory)}`,
    cut: () => {
      isCut = true
      for (const { upstream } of pairs) upstream.destroy()
    },
    heal,
    close: () => {
      server.close()
      heal()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
