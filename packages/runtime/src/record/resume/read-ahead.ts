// The input of a resumed run, which may be read twice: first by a scout that looks for what is not in the record (head-start.ts), then by
// the run. What the scout has read is kept until then: the beginning in memory, and the rest in an unnamed file.
//
//            scout()          passThrough(), or the scout ends     all that was kept is read
//   waiting  ahead            behind                               -
//   ahead    -                behind                               -
//   behind   -                -                                    through: chunks come as they are read

import { EventEmitter } from 'node:events'
import { closeSync, readSync, writeSync } from 'node:fs'
import { type LineSource, openAnonymousFile } from '@plumb/wire'

/** More of the input is not read ahead. */
const MAX_BYTES = 256 * 1024 * 1024
const MAX_IN_MEMORY = 1024 * 1024
const CHUNK_BYTES = 64 * 1024
/** An input that brings nothing for so long, or little, is not waited for: its answers are. */
const STALL_MS = 100
const [SLOW_AFTER, SLOW_BYTES] = [5, 32 * 1024]

export class ReadAhead extends EventEmitter implements LineSource {
  readonly #kept = new KeptChunks()
  #state: 'waiting' | 'ahead' | 'behind' | 'through' | 'stopped' = 'waiting'
  #scout: Scout | undefined
  #stall: NodeJS.Timeout | undefined
  /** How the input has ended. */
  #end: { readonly error?: NodeJS.ErrnoException } | undefined
  #isPaused = true
  #next: NodeJS.Immediate | undefined

  constructor(private readonly input: LineSource) {
    super()
  }

  /** Reads first. It ends with the input, when it is stopped, or when it has read enough, which `done` says. */
  scout(done: () => void): LineSource {
    this.#scout = new Scout(() => this.#fallBehind(), done)
    this.#state = 'ahead'
    let ticks = 0
    let before = 0
    this.#stall = setInterval(() => {
      // By ticks, not by the clock: a file brings a chunk for each, however rarely this process gets its turn.
      const isSlow = ++ticks > SLOW_AFTER && this.#kept.bytes < ticks * SLOW_BYTES
      const isStalled = this.#kept.bytes === before
      before = this.#kept.bytes
      if (isSlow) this.#fallBehind()
      else if (isStalled) this.#pollOnce(() => this.#kept.bytes === before && this.#fallBehind())
    }, STALL_MS)
    setImmediate(() => this.#listen())
    return this.#scout
  }

  /** Nothing reads first. */
  passThrough(): void {
    if (this.#state !== 'waiting') return
    this.#listen()
    this.#fallBehind()
  }

  isPaused(): boolean {
    return this.#isPaused
  }

  resume(): void {
    if (!this.#isPaused || this.#state === 'stopped') return
    this.#isPaused = false
    if (this.#state === 'through') this.input.resume()
    if (this.#state === 'behind') this.#next ??= setImmediate(this.#give)
  }

  pause(): void {
    this.#isPaused = true
    clearImmediate(this.#next)
    this.#next = undefined
    if (this.#state === 'through') this.input.pause()
  }

  destroy(): void {
    if (this.#state === 'stopped') return
    this.#leaveScout()
    this.pause()
    this.#state = 'stopped'
    this.#kept.close()
    this.input.destroy()
  }

  #listen(): void {
    if (this.#state === 'stopped') return
    this.input.on('data', (chunk) => this.#take(chunk))
    this.input.on('error', (error) => this.#ended({ error }))
    this.input.on('end', () => this.#ended({}))
    this.input.on('close', () => this.#ended({}))
    if (this.#state === 'ahead') this.input.resume()
  }

  #take(chunk: Buffer): void {
    if (this.#state === 'stopped') return
    if (this.#state === 'through') return void this.emit('data', chunk)
    const isFull = !this.#kept.add(chunk) || this.#kept.bytes >= MAX_BYTES
    if (this.#state !== 'ahead') return
    this.#scout?.emit('data', chunk)
    if (isFull) this.#fallBehind()
  }

  #ended(end: { readonly error?: NodeJS.ErrnoException }): void {
    if (this.#end || this.#state === 'stopped') return
    this.#end = end
    if (this.#state === 'through') return this.#finish()
    if (this.#state !== 'ahead') return
    if (!end.error) this.#scout?.emit('end')
    this.#fallBehind()
  }

  // This process may have been the one that waited. The event loop polls all streams between two immediates.
  #pollOnce(then: () => void): void {
    setImmediate(() => setImmediate(then))
  }

  /** From here on the run reads. */
  #fallBehind(): void {
    if (this.#state !== 'waiting' && this.#state !== 'ahead') return
    this.input.pause()
    this.#state = 'behind'
    if (!this.#isPaused) this.#next ??= setImmediate(this.#give)
    this.#leaveScout()
  }

  #leaveScout(): void {
    clearInterval(this.#stall)
    const scout = this.#scout
    this.#scout = undefined
    scout?.done()
  }

  // One chunk a turn, so that other work gets its turn too.
  readonly #give = (): void => {
    this.#next = undefined
    const chunk = this.#kept.next()
    if (chunk) {
      this.emit('data', chunk)
      if (!this.#isPaused) this.#next ??= setImmediate(this.#give)
      return
    }
    this.#state = 'through'
    this.#kept.close()
    if (this.#end) this.#finish()
    else this.input.resume()
  }

  #finish(): void {
    const error = this.#end?.error
    if (error) this.emit('error', error)
    else this.emit('end')
  }
}

class Scout extends EventEmitter implements LineSource {
  constructor(
    private readonly stop: () => void,
    readonly done: () => void,
  ) {
    super()
  }

  isPaused(): boolean {
    return false
  }

  resume(): void {}

  // What it has read is kept anyway.
  pause(): void {}

  destroy(): void {
    this.stop()
  }
}

/** Bytes in the order in which they came: the first in memory, the next in a file, and in memory again what finds no room there. */
class KeptChunks {
  bytes = 0
  readonly #first: Buffer[] = []
  #file: number | undefined
  #written = 0
  #read = 0
  readonly #last: Buffer[] = []

  /** False: no more should be kept. */
  add(chunk: Buffer): boolean {
    this.bytes += chunk.length
    if (this.bytes <= MAX_IN_MEMORY) return this.#first.push(chunk) > 0
    if (this.#last.length === 0 && this.#write(chunk)) return true
    this.#last.push(chunk)
    return false
  }

  /** Undefined: there are none left. */
  next(): Buffer | undefined {
    const first = this.#first.shift()
    if (first) return first
    if (this.#file === undefined || this.#read >= this.#written) return this.#last.shift()
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.#written - this.#read))
    const bytes = readSync(this.#file, chunk, 0, chunk.length, this.#read)
    this.#read += bytes
    return chunk.subarray(0, bytes)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#first.length = this.#last.length = 0
  }

  // A part of it that a full disk has taken is written over.
  #write(chunk: Buffer): boolean {
    try {
      this.#file ??= openAnonymousFile(chunk.subarray(0, 0))
      for (let at = 0; at < chunk.length; ) at += writeSync(this.#file, chunk, at, chunk.length - at, this.#written + at)
      this.#written += chunk.length
      return true
    } catch {
      return false
    }
  }
}
