// Opens streams on descriptors, by the kind of file behind the number.

import {
  close,
  createReadStream,
  createWriteStream,
  ReadStream as FileStream,
  fstatSync,
  open,
  read,
  type Stats,
  statSync,
  write,
  writev,
} from 'node:fs'
import { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { isatty, ReadStream, WriteStream } from 'node:tty'
import type { LineSink, LineSource } from '../line/stream.js'
import { escapeLines } from '../preview.js'
import { launcherFds } from './launcher.js'
import { openNativeInput, openNativeOutput } from './native-pipe.js'
import { openFileInput, openFileOutput } from './sync-file.js'

const DEVICE = '/dev/null'

/** A descriptor that cannot be read, such as a stdin that was never open, gives a stream that fails when it is read. */
export const openInput = (fd: number): Readable => {
  try {
    if (launcherFds()?.closed.has(fd)) throw new Error(`descriptor ${fd} is not open; '<${DEVICE}' gives an empty input`)
    const kind = kindOf(fd)
    if (kind === 'terminal') return new ReadStream(fd)
    if (kind === 'pipe') return new Socket({ fd, readable: true, writable: false })
    return createReadStream('', { fd, fs: closing(fd) })
  } catch (error) {
    return new Readable({
      read() {
        this.destroy(error as Error)
      },
    })
  }
}

/** A descriptor that cannot be written, such as a stdout that was never open, gives a stream that fails when it is written. */
export const openOutput = (fd: number): Writable => {
  if (launcherFds()?.closed.has(fd)) return failing(new Error(`descriptor ${fd} is not open`))
  try {
    const kind = kindOf(fd)
    if (kind === 'terminal') return new WriteStream(fd)
    if (kind === 'pipe') return asStderr(fd, keptOpen(new Socket({ fd, readable: false, writable: true })))
    return createWriteStream('', { fd, fs: closing(fd) })
  } catch (error) {
    return failing(error as Error)
  }
}

/** As `openInput`, for a LineReader only: faster for a pipe or a file. */
export const openLineInput = (fd: number): LineSource => {
  const kind = launcherFds()?.closed.has(fd) ? undefined : kindIfOpen(fd)
  if (kind === 'file' && !isDevice(fd)) return openFileInput(fd)
  return (kind === 'pipe' ? openNativeInput(fd) : undefined) ?? openInput(fd)
}

/** As `openOutput`, for a LineWriter only: faster for a pipe or a file. */
export const openLineOutput = (fd: number): LineSink => {
  const kind = launcherFds()?.closed.has(fd) ? undefined : kindIfOpen(fd)
  if (kind === 'file') return openFileOutput(fd)
  return (kind === 'pipe' ? openNativeOutput(fd) : undefined) ?? openDataOutput(fd)
}

/** As `openOutput`, for data that models and strangers wrote: a terminal gets it as a person may read it. */
export const openDataOutput = (fd: number): Writable => {
  const stream = openOutput(fd)
  if (stream instanceof Socket && stream instanceof WriteStream) showClean(stream)
  return stream
}

const showClean = (stream: Writable): void => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const write = stream.write.bind(stream) as (text: string, ...more: readonly unknown[]) => boolean
  const clean = (chunk: Uint8Array | string): string =>
    escapeLines(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
  stream.write = ((chunk: Uint8Array | string, ...more: readonly unknown[]) => write(clean(chunk), ...more)) as typeof stream.write
}

/**
 * Whether the result of `openInput` is a file, which is complete already. Accessing Node's class of file streams loads it, so pipes are
 * checked first.
 */
export const isFileInput = (stream: Readable): boolean => !(stream instanceof Socket) && stream instanceof FileStream

// Every socket that closes compares itself with `process.stderr`, which Node creates on first access: it would open the descriptor again,
// and that throws while one of these streams waits for space in it. The socket would then never close.
const asStderr = (fd: number, stream: Writable): Writable => {
  if (fd === 2) Object.defineProperty(process, 'stderr', { value: stream, configurable: true, enumerable: true })
  return stream
}

// Ending a socket shuts it down for every process that has it, such as the next command of the shell that shares our stdout.
const keptOpen = (socket: Socket): Socket => {
  socket._final = (done) => done()
  return socket
}

// File streams must not be used here: each blocked read occupies one of four threads, and keeps the process from ending.
const kindOf = (fd: number): 'terminal' | 'pipe' | 'file' => {
  const stat = fstatSync(fd)
  if (stat.isFIFO() || stat.isSocket()) return 'pipe'
  // To ask costs 4 ms, as Node loads its streams for it.
  return stat.isCharacterDevice() && !isNull(stat) && isatty(fd) ? 'terminal' : 'file'
}

const kindIfOpen = (fd: number): ReturnType<typeof kindOf> | undefined => {
  try {
    return kindOf(fd)
  } catch {
    return undefined
  }
}

// A device that may block its reader: any except /dev/null.
const isDevice = (fd: number): boolean => {
  const stat = fstatSync(fd)
  return !stat.isFile() && !isNull(stat)
}

const isNull = ({ rdev }: Stats): boolean => rdev === statSync(DEVICE, { throwIfNoEntry: false })?.rdev

/** As isatty, without its cost for a pipe or a file. */
export const isTerminal = (fd: number): boolean => kindIfOpen(fd) === 'terminal'

// Node aborts if 0, 1 or 2 is closed like a file.
const closing = (fd: number) => ({ open, read, write, writev, close: fd > 2 ? close : leaveOpen })

const leaveOpen = ((_fd: number, done: () => void) => done()) as typeof close

// Also if nothing was written: output was expected, and is impossible.
const failing = (error: Error): Writable => new Writable({ write: (_chunk, _encoding, done) => done(error), final: (done) => done(error) })
