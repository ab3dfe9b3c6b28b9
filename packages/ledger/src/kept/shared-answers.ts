// Answers that several machines share: the processes of one of them ask over a socket, a line of JSON for each request, and who serves it,
// the worker of a run, has the answers.
//
//   {"id":N,"ask":KEY}                                  is it kept?
//   {"id":N,"nth":N,"answer":ANSWER?,"miss":true?}      its number among equal ones of the run, and the answer; or it must not be requested
//   {"id":N,"keep":KEY,"nth":N,"answer":ANSWER,...}
//   {"id":N}                                            it is kept
//
// Instead of either reply, {"id":N,"fault":FAULT}.

import { connect, createServer, type Socket } from 'node:net'
import { type Fault, fault, isFault, isRecord, LineReader, LineWriter, type Result, scrub, succeed, systemReason } from '@plumb/wire'
import { MAX_ENTRY_BYTES } from './store.js'

/** What identifies a request whatever worker makes it, and however often. */
export interface SharedKey {
  /** The hash of the canonical request, and the process that asks, as `placeName` writes it. */
  readonly hash: string
  readonly place: string
  /** The message that it is made for; its number among equal ones for that message, from 1. */
  readonly delivery: string
  readonly k: number
}

/** `miss`: it is not kept, and must not be requested. */
export type SharedReply = { readonly nth: number; readonly answer?: unknown; readonly miss?: true }

export interface SharedEntry {
  /** As the reply to `ask` has it; 0: it was not asked for. */
  readonly nth: number
  readonly answer: unknown
  /** If the cache keeps requests. */
  readonly request?: unknown
  readonly isCached: boolean
  /** In the record of the run. */
  readonly isRecorded: boolean
}

/** The end that has the answers. */
export interface AnswerService {
  ask(key: SharedKey): Promise<Result<SharedReply>>
  /** Resolves when it is kept, as far as it will be. */
  keep(key: SharedKey, entry: SharedEntry): Promise<Fault | undefined>
}

const MAX_LINE = MAX_ENTRY_BYTES + 1024 * 1024

/** Serves the processes of this machine until it is closed. `write_failed` if no socket can be made at the path. */
export const serveAnswers = async (path: string, service: AnswerService): Promise<Result<() => void>> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    const writer = new LineWriter(socket)
    const reply = (line: object): void => writer.writeText(JSON.stringify(line))
    readLines(socket, async ({ id, ask, keep, ...entry }) => {
      if (isKey(ask)) {
        const found = await service.ask(ask)
        reply(found.ok ? { id, ...found.value } : { id, fault: found.error })
      } else if (isKey(keep)) {
        const failed = await service.keep(keep, entry as unknown as SharedEntry)
        reply(failed ? { id, fault: failed } : { id })
      }
    })
  })
  const failed = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve).listen(path, () => resolve(undefined))
  })
  if (failed) return { ok: false, error: fault('write_failed', `no socket for kept answers at '${path}': ${systemReason(failed)}`) }
  return succeed(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
}

/** The end that asks: connects with the first request. When the other end is gone everything is a fault. */
export const joinAnswers = (path: string): AnswerService => {
  const waiting = new Map<number, (reply: Readonly<Record<string, unknown>>) => void>()
  let made = 0
  let open: { readonly socket: Socket; readonly writer: LineWriter } | undefined
  let lost: Fault | undefined
  const lose = (error?: Error): void => {
    lost ??= fault('connection_failed', `the worker that keeps the answers has ended${error ? `: ${systemReason(error)}` : ''}`)
    for (const resolve of waiting.values()) resolve({ fault: lost })
    waiting.clear()
  }
  const connected = (): NonNullable<typeof open> => {
    if (open) return open
    const socket = connect(path)
    socket.on('error', lose)
    socket.on('close', () => lose())
    readLines(socket, async (reply) => {
      const { id } = reply
      const resolve = waiting.get(Number(id))
      waiting.delete(Number(id))
      // It keeps the process alive while a reply is waited for.
      if (waiting.size === 0) socket.unref()
      resolve?.(reply)
    })
    open = { socket, writer: new LineWriter(socket) }
    return open
  }
  const send = (line: object): Promise<Readonly<Record<string, unknown>>> =>
    new Promise((resolve) => {
      if (lost) return resolve({ fault: lost })
      const id = ++made
      waiting.set(id, resolve)
      const { socket, writer } = connected()
      socket.ref()
      writer.writeText(scrub(JSON.stringify({ id, ...line })))
    })
  return {
    ask: async (key) => {
      const { fault: failed, nth, answer, miss } = await send({ ask: key })
      if (isFault(failed)) return { ok: false, error: failed }
      return succeed({ nth: Number(nth), ...(answer === undefined ? {} : { answer }), ...(miss === true ? { miss } : {}) })
    },
    keep: async (key, entry) => {
      const { fault: failed } = await send({ keep: key, ...entry })
      return isFault(failed) ? failed : undefined
    },
  }
}

const readLines = (socket: Socket, take: (line: Readonly<Record<string, unknown>>) => Promise<void>): void => {
  const readAll = (): void => {
    while (reader.next()) {
      if (reader.fault) continue
      const line = JSON.parse(reader.buf.toString('utf8', reader.start, reader.end)) as unknown
      if (isRecord(line)) void take(line)
    }
  }
  const reader = new LineReader(socket, { maxLine: MAX_LINE, onReadable: readAll })
}

const isKey = (value: unknown): value is SharedKey =>
  isRecord(value) &&
  typeof value.hash === 'string' &&
  typeof value.place === 'string' &&
  typeof value.delivery === 'string' &&
  Number.isSafeInteger(value.k)
