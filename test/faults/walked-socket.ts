// A socket before that of a PostgreSQL, which counts what one process sends to it, and at one of its messages lets nothing more through.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SOCKET = '.s.PGSQL.5432'

/** Where a process ends: at its nth message, which the server has had or not. */
export interface Step {
  readonly at: number
  readonly isSent: boolean
}

export interface Walk {
  readonly url: string
  /** Messages so far. */
  readonly count: () => number
  /** Ends all connections; new ones are let through. */
  readonly cut: () => void
  readonly close: () => void
}

/** Says of each message of a connection, in their order, whether it counts. The first has no letter before its length. */
export type Counts = (message: Buffer) => boolean

/** `kill` is called at that step; `counter` once a connection. */
export const openWalk = async (
  serverDirectory: string,
  step: Step | undefined,
  kill: () => void,
  counter: () => Counts = () => () => true,
): Promise<Walk> => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-walk-'))
  let count = 0
  let isOver = false
  const clients = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(join(serverDirectory, SOCKET)).on('error', () => {})
    clients.add(client)
    client.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.on('data', (chunk) => isOver || client.write(chunk)).on('close', () => client.destroy())
    const counts = counter()
    let left = Buffer.alloc(0)
    let isBegun = false
    client.on('data', (chunk: Buffer) => {
      left = Buffer.concat([left, chunk])
      for (;;) {
        const head = isBegun ? 1 : 0
        if (left.length < head + 4) return
        const end = head + left.readUInt32BE(head)
        if (left.length < end) return
        isBegun = true
        const message = left.subarray(0, end)
        left = left.subarray(end)
        if (isOver) return
        if (counts(message)) isOver = step?.at === ++count
        if (!isOver || step?.isSent) upstream.write(message)
        if (isOver) kill()
      }
    })
  })
  server.listen(join(directory, SOCKET))
  await once(server, 'listening')
  return {
    url: `postgres://plumb@/postgres?host=${encodeURIComponent(directory)}`,
    count: () => count,
    cut: () => {
      isOver = false
      for (const client of clients) client.destroy()
      clients.clear()
    },
    close: () => {
      server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const PARSE = 'P'
const BIND = 'B'
const EXECUTE = 'E'
const QUERY = 'Q'
const SYNC = 'S'

/** Counts where what a statement alone that `pattern` fits has done is committed: its answer comes after that. */
export const commitsOf = (pattern: RegExp) => (): Counts => {
  const isExecuted = writesOf(pattern)()
  let isDue = false
  return (message) => {
    isDue ||= isExecuted(message)
    const isCommitted = isDue && String.fromCharCode(message[0] ?? 0) === SYNC
    if (isCommitted) isDue = false
    return isCommitted
  }
}

/** Counts where a statement that `pattern` fits is executed, and where what it did is committed. */
export const writesOf = (pattern: RegExp) => (): Counts => {
  const statements = new Map<string, boolean>()
  let isBound = false
  let isOpen = false
  return (message) => {
    const kind = String.fromCharCode(message[0] ?? 0)
    const [first = '', second = ''] = message.toString('utf8', 5).split('\0')
    if (kind === PARSE) statements.set(first, pattern.test(second))
    if (kind === BIND) isBound = statements.get(second) === true
    if (kind === EXECUTE && isBound) {
      isOpen = true
      return true
    }
    if (kind !== QUERY || !/^(COMMIT|ROLLBACK)$/.test(first)) return false
    const isLast = isOpen
    isOpen = false
    return isLast
  }
}
