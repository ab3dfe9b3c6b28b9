// Files without Node's streams, which cost a start as much as for pipes (native-pipe.ts). Reads and writes do not block, so no thread is
// needed; Node writes a stdout that is a file in the same way.

import { EventEmitter } from 'node:events'
import { closeSync, readSync, writeSync } from 'node:fs'
import type { LineSink, LineSource } from '../line/stream.js'

const CHUNK = 64 * 1024

/** For a file, or /dev/null. */
export const openFileInput = (fd: number): LineSource => new FileInput(fd)

/** For a file, or a device that does not block its writer. */
export const openFileOutput = (fd: number): LineSink => new FileOutput(fd)

// Node aborts if 0, 1 or 2 is closed.
const release = (fd: number): void => {
  if (fd > 2) closeSync(fd)
}

class FileInput extends EventEmitter implements LineSource {
  readonly #fd: number
  #next: NodeJS.Immediate | undefined
  #isPaused = true
  #isClosed = false

  constructor(fd: number) {
    super()
    this.#fd = fd
  }

  isPaused(): boolean {
    return this.#isPaused
  }

  resume(): void {
    if (this.#isClosed || !this.#isPaused) return
    this.#isPaused = false
    this.#next ??= setImmediate(this.#read)
  }

  pause(): void {
    this.#isPaused = true
    clearImmediate(this.#next)
    this.#next = undefined
  }

  destroy(): void {
    if (this.#isClosed) return
    this.pause()
    this.#isClosed = true
    release(this.#fd)
  }

  // One chunk a turn, so that other work gets its turn too.
  readonly #read = (): void => {
    this.#next = undefined
    const chunk = Buffer.allocUnsafeSlow(CHUNK)
    let bytes: number
    try {
      bytes = readSync(this.#fd, chunk, 0, CHUNK, null)
    } catch (error) {
      this.destroy()
      this.emit('error', error)
      return
    }
    if (bytes > 0) {
      this.emit('data', chunk.subarray(0, bytes))
      if (!this.#isPaused) this.#next ??= setImmediate(this.#read)
    } else {
      this.destroy()
      this.emit('end')
    }
  }
}

class FileOutput extends EventEmitter implements LineSink {
  readonly writableLength = 0
  readonly fd: number
  #isClosed = false

  constructor(fd: number) {
    super()
    this.fd = fd
  }

  write(chunk: Buffer, done: (error?: Error | null) => void): void {
    if (this.#isClosed) return
    try {
      for (let at = 0; at < chunk.length; ) at += writeSync(this.fd, chunk, at)
    } catch (error) {
      this.#isClosed = true
      this.#report(error)
      return
    }
    done()
  }

  end(done: () => void): void {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      release(this.fd)
    } catch (error) {
      // A network file system reports lost writes on close.
      this.#report(error)
      return
    }
    done()
  }

  destroy(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      release(this.fd)
    } finally {
      process.nextTick(() => this.emit('close'))
    }
  }

  // In a later tick, as streams do: never within the write.
  #report(error: unknown): void {
    process.nextTick(() => this.emit('error', error))
    process.nextTick(() => this.emit('close'))
  }
}
