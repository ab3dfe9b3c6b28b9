// The memory of the processes of a part, on a descriptor (plumb-wire(5), Memory): its initial content is their memory, and each change is
// appended as a line, before telemetry reports that the input has settled.

import { closeSync, fstatSync, readSync, writeSync } from 'node:fs'
import { isRecord } from '../is-record.js'
import { fail, type Result, succeed } from '../result.js'
import { systemReason } from '../system-reason.js'
import { openAnonymousLog } from './anonymous-file.js'
import { openLedger } from './ledger.js'

export interface Remembered {
  /** The process, by its place in the graph. */
  readonly place: string
  /** The input of the part that caused it, from 1; 0: unknown. */
  readonly seq: number
  readonly messages: readonly unknown[]
  /** As JSON text, the key of the conversation that it belongs to, if the process keeps several. */
  readonly conversation?: string | undefined
  /** These replace all earlier memory. */
  readonly replaces?: boolean
}

/** Of one conversation, or of all if there is one. */
export interface InitialMemory {
  readonly messages: readonly unknown[]
  readonly conversation?: string | undefined
}

export interface StateFile {
  /** The initial memory of the process at this place; the conversations in the order of their last messages. */
  memoriesOf(place: string): readonly InitialMemory[]
  /** The same of a process that keeps one. */
  memoryOf(place: string): readonly unknown[]
  append(remembered: Remembered): void
}

const MAX_BYTES = 1024 * 1024 * 1024

/** `fd`: a file, open for reading and writing. */
export const openStateFile = (fd: number): Result<StateFile> => {
  try {
    const { size } = fstatSync(fd)
    if (size > MAX_BYTES) return fail('too_large', `descriptor ${fd} holds ${size} bytes of memory, and 1 GiB is the most`)
    const read = readMemories(readWhole(fd, size))
    if (!read.ok) return fail('fd_invalid', `descriptor ${fd} holds no memory: ${read.error.detail}`)
    return succeed({
      memoriesOf: (place) => [...(read.value.get(place)?.values() ?? [])],
      memoryOf: (place) => [...(read.value.get(place)?.values() ?? [])].flatMap(({ messages }) => messages),
      append: (remembered) => void writeSync(fd, `${JSON.stringify(remembered)}\n`, fstatSync(fd).size),
    })
  } catch (error) {
    return fail(
      'fd_invalid',
      `descriptor ${fd} is not a file that can be read and written: ${systemReason(error as NodeJS.ErrnoException)}`,
    )
  }
}

/** The other end: gives a part its memory, and reads what it adds. */
export interface StateLog {
  readonly fd: number
  /** The next line that it has added. Undefined: none yet. */
  next(): string | undefined
  close(): void
}

/** Throws if no file can be made. */
export const openStateLog = (lines: readonly string[]): StateLog => {
  const fd = openAnonymousLog()
  writeSync(fd, lines.map((line) => `${line}\n`).join(''))
  const ledger = openLedger(fd, fstatSync(fd).size)
  return { fd, next: () => ledger.next(), close: () => closeSync(fd) }
}

const readWhole = (fd: number, size: number): string => {
  const bytes = Buffer.alloc(size)
  let at = 0
  for (let read = -1; read !== 0 && at < size; at += read) read = readSync(fd, bytes, at, size - at, at)
  return bytes.toString('utf8', 0, at)
}

type Memories = Map<string | undefined, InitialMemory & { messages: unknown[] }>

const readMemories = (text: string): Result<Map<string, Memories>> => {
  const places = new Map<string, Memories>()
  for (const [i, line] of text.split('\n').entries()) {
    if (line === '') continue
    const remembered = readRemembered(line)
    if (!remembered) return fail('fd_invalid', `line ${i + 1} is not a {"place","seq","messages"}`)
    const { place, messages, replaces, conversation } = remembered
    const memories: Memories = places.get(place) ?? new Map()
    const memory = { conversation, messages: (replaces ? undefined : memories.get(conversation)?.messages) ?? [] }
    memory.messages.push(...messages)
    memories.delete(conversation)
    places.set(place, memories.set(conversation, memory))
  }
  return succeed(places)
}

/** Undefined: not a line of this form. */
export const readRemembered = (line: string): Remembered | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    if (!isRecord(value) || typeof value.place !== 'string' || !Number.isSafeInteger(value.seq) || !Array.isArray(value.messages))
      return undefined
    return value as unknown as Remembered
  } catch {
    return undefined
  }
}
