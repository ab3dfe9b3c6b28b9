// Files without Node's streams, which costs a start as much as with pipes (bare-pipe.ts): there is nothing to
// wait for, so no thread is needed either. Node writes its own stdout so where it is a file.

import { EventEmitter } from 'node:events'
import { closeSync, readSync, writeSync } from 'node:fs'
import type { LineSink, LineSource } from '../line/stream.js'

const CHUNK = 64 * 1024

/** Of a file, or of /dev/null. */
export const openFileInput = (fd: number): LineSource => new FileInput(fd)

/** Of a file, or of a device that does not keep its writer waiting. */
export const openFileOutput = (fd: number): LineSink => new FileOutput(fd)

// Node aborts when 0, 1 or 2 is closed.
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

  // A chunk a turn, so that all else has its turn too.
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
      this.#tell(error)
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
      // What a disk behind a network could not keep is reported then.
      this.#tell(error)
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

  // Later, as streams do: never within the write.
  #tell(error: unknown): void {
    process.nextTick(() => this.emit('error', error))
    process.nextTick(() => this.emit('close'))
  }
}
