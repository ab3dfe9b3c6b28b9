// Streams on descriptors, of the kind that suits what is behind the number.

import {
  close,
  createReadStream,
  createWriteStream,
  ReadStream as FileStream,
  fstatSync,
  open,
  read,
  statSync,
  write,
  writev,
} from 'node:fs'
import { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { isatty, ReadStream, WriteStream } from 'node:tty'
import type { LineSink, LineSource } from '../line/stream.js'
import { launcherFds } from './launcher.js'
import { openNativeInput, openNativeOutput } from './native-pipe.js'
import { openFileInput, openFileOutput } from './sync-file.js'

const DEVICE = '/dev/null'

/** A descriptor that cannot be read, such as a stdin that was never open, gives a stream that fails when it is. */
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

/** A descriptor that cannot be written, such as a stdout that was never open, gives a stream that fails when it is. */
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

/** As `openInput`, for a LineReader alone, and sooner where it is a pipe or a file. */
export const openLineInput = (fd: number): LineSource => {
  const kind = launcherFds()?.closed.has(fd) ? undefined : kindIfOpen(fd)
  if (kind === 'file' && !isDevice(fd)) return openFileInput(fd)
  return (kind === 'pipe' ? openNativeInput(fd) : undefined) ?? openInput(fd)
}

/** As `openOutput`, for a LineWriter alone, and sooner where it is a pipe or a file. */
export const openLineOutput = (fd: number): LineSink => {
  const kind = launcherFds()?.closed.has(fd) ? undefined : kindIfOpen(fd)
  if (kind === 'file') return openFileOutput(fd)
  return (kind === 'pipe' ? openNativeOutput(fd) : undefined) ?? openOutput(fd)
}

/**
 * What `openInput` gave is a file, which has all that will ever be read. Node loads its class
 * of files when it is named, so a pipe is recognised first.
 */
export const isFileInput = (stream: Readable): boolean => !(stream instanceof Socket) && stream instanceof FileStream

// Every socket that closes compares itself with `process.stderr`, which Node makes when it is first asked for: it would open the descriptor
// once more, and that throws while one of ours waits for room in it. The socket would stay open for ever.
const asStderr = (fd: number, stream: Writable): Writable => {
  if (fd === 2) Object.defineProperty(process, 'stderr', { value: stream, configurable: true, enumerable: true })
  return stream
}

// Ending a socket shuts it down for every process that has it, such as the next command of the shell that we share stdout with.
const keptOpen = (socket: Socket): Socket => {
  socket._final = (done) => done()
  return socket
}

// Streams of files must not be used here: each blocked read takes a thread of four, and keeps the process from ending.
const kindOf = (fd: number): 'terminal' | 'pipe' | 'file' => {
  const stat = fstatSync(fd)
  if (stat.isFIFO() || stat.isSocket()) return 'pipe'
  return stat.isCharacterDevice() && isatty(fd) ? 'terminal' : 'file'
}

const kindIfOpen = (fd: number): ReturnType<typeof kindOf> | undefined => {
  try {
    return kindOf(fd)
  } catch {
    return undefined
  }
}

// One that may keep its reader waiting: any but /dev/null.
const isDevice = (fd: number): boolean => {
  const stat = fstatSync(fd)
  return !stat.isFile() && stat.rdev !== statSync(DEVICE).rdev
}

/** What isatty says, without what it costs to ask it of a pipe or a file. */
export const isTerminal = (fd: number): boolean => kindIfOpen(fd) === 'terminal'

// Node aborts when 0, 1 or 2 is closed as files are.
const closing = (fd: number) => ({ open, read, write, writev, close: fd > 2 ? close : leaveOpen })

const leaveOpen = ((_fd: number, done: () => void) => done()) as typeof close

// Also when nothing was to be written: output was asked for and could not come.
const failing = (error: Error): Writable => new Writable({ write: (_chunk, _encoding, done) => done(error), final: (done) => done(error) })
