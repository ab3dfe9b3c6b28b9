// Pipes without Node's streams: to load those, and to go through them, costs a start a fifth of Node's own. This is what node:net stands on.
// Node promises it to nobody, so it is used where it is known to be there, and everywhere else streams are: `undefined` says so.

import { EventEmitter } from 'node:events'
import { getSystemErrorName } from 'node:util'
import type { Drainable } from '../child/wait-for-eof.js'
import type { LineSink, LineSource } from '../line/stream.js'
import { bindingOf } from './node-internals.js'

interface Handle {
  /** 0, or what is wrong. */
  open(fd: number): number | undefined
  /** `state[kReadBytesOrError]` tells of how much, or of what is wrong. */
  onread: ((bytes: ArrayBuffer) => void) | undefined
  readStart(): number
  readStop(): number
  writeBuffer(request: WriteRequest, bytes: Buffer): number
  close(): void
}

interface WriteRequest {
  /** What is not written yet must not be collected. */
  buffer?: Buffer
  oncomplete?: (status: number) => void
}

interface Parts {
  readonly Pipe: new (kind: number) => Handle
  readonly kind: number
  readonly WriteWrap: new () => WriteRequest
  /** Of the latest call, at the places that follow. */
  readonly state: Readonly<Record<number, number>>
  readonly readBytesOrError: number
  readonly arrayBufferOffset: number
  readonly lastWriteWasAsync: number
}

/** Whether there are any. */
export const hasBarePipes = (): boolean => knownParts() !== undefined

/** One that a process is started with, which has its other end. */
export interface BarePipe {
  /** What the system calls it, for `startBare`. */
  readonly handle: object
  /** One of these, once it is started. */
  toInput(): BareSource
  toOutput(): LineSink
  close(): void
}

export type BareSource = LineSource & Drainable

/** Undefined: streams have to do. */
export const makeBarePipe = (): BarePipe | undefined => {
  const known = knownParts()
  if (!known) return undefined
  const handle = new known.Pipe(known.kind)
  return {
    handle,
    toInput: () => new BareInput(handle, known),
    toOutput: () => new BareOutput(handle, known),
    close: () => handle.close(),
  }
}

/** Undefined: streams have to do. */
export const openBareInput = (fd: number): BareSource | undefined => {
  const opened = openHandle(fd)
  return opened && new BareInput(opened.handle, opened.parts)
}

/** Undefined: streams have to do. It is not shut down at its end: others may have it too. */
export const openBareOutput = (fd: number): LineSink | undefined => {
  const opened = openHandle(fd)
  return opened && new BareOutput(opened.handle, opened.parts, fd)
}

const openHandle = (fd: number): { readonly handle: Handle; readonly parts: Parts } | undefined => {
  const known = knownParts()
  if (!known) return undefined
  const handle = new known.Pipe(known.kind)
  try {
    if (!handle.open(fd)) return { handle, parts: known }
  } catch {
    // Node's own streams tell what is wrong with it.
  }
  handle.close()
  return undefined
}

let parts: Parts | 'none' | undefined

const knownParts = (): Parts | undefined => {
  parts ??= findParts() ?? 'none'
  return parts === 'none' ? undefined : parts
}

const EOF = -4095

const findParts = (): Parts | undefined => {
  const { Pipe, constants } = (bindingOf('pipe_wrap') ?? {}) as { Pipe?: Parts['Pipe']; constants?: { SOCKET: number } }
  const { WriteWrap, streamBaseState, kReadBytesOrError, kArrayBufferOffset, kLastWriteWasAsync } = bindingOf('stream_wrap') ?? {}
  const places = [constants?.SOCKET, kReadBytesOrError, kArrayBufferOffset, kLastWriteWasAsync]
  if (typeof Pipe !== 'function' || typeof WriteWrap !== 'function' || !(streamBaseState instanceof Int32Array)) return undefined
  if (!places.every((place) => typeof place === 'number')) return undefined
  const [kind, readBytesOrError, arrayBufferOffset, lastWriteWasAsync] = places as [number, number, number, number]
  return {
    Pipe,
    kind,
    WriteWrap: WriteWrap as Parts['WriteWrap'],
    state: streamBaseState,
    readBytesOrError,
    arrayBufferOffset,
    lastWriteWasAsync,
  }
}

class BareInput extends EventEmitter implements BareSource {
  bytesRead = 0
  readableEnded = false
  destroyed = false
  readableFlowing: boolean | null = null
  readonly #handle: Handle
  readonly #parts: Parts

  constructor(handle: Handle, parts: Parts) {
    super()
    this.#handle = handle
    this.#parts = parts
    handle.onread = (bytes) => this.#take(bytes)
  }

  isPaused(): boolean {
    return this.readableFlowing !== true
  }

  resume(): void {
    if (this.destroyed || this.readableFlowing) return
    this.readableFlowing = true
    const status = this.#handle.readStart()
    if (status !== 0) process.nextTick(() => this.#fail(status))
  }

  pause(): void {
    if (this.destroyed || !this.readableFlowing) return
    this.readableFlowing = false
    this.#handle.readStop()
  }

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#handle.close()
    process.nextTick(() => this.emit('close'))
  }

  #take(bytes: ArrayBuffer): void {
    const { state, readBytesOrError, arrayBufferOffset } = this.#parts
    const count = state[readBytesOrError] as number
    if (this.destroyed || count === 0) return
    if (count > 0) {
      this.bytesRead += count
      this.emit('data', Buffer.from(bytes, state[arrayBufferOffset], count))
    } else if (count === EOF) {
      this.readableEnded = true
      this.destroy()
      this.emit('end')
    } else this.#fail(count)
  }

  #fail(status: number): void {
    if (this.destroyed) return
    this.destroy()
    this.emit('error', errorOf(status, 'read'))
  }
}

class BareOutput extends EventEmitter implements LineSink {
  writableLength = 0
  readonly #handle: Handle
  readonly #parts: Parts
  #isClosed = false
  #onEnd: (() => void) | undefined

  /** `fd` as streams have it that are on one. */
  constructor(
    handle: Handle,
    parts: Parts,
    readonly fd?: number,
  ) {
    super()
    this.#handle = handle
    this.#parts = parts
  }

  write(chunk: Buffer, done: (error?: Error | null) => void): void {
    if (this.#isClosed || this.#onEnd) return
    const { WriteWrap, state, lastWriteWasAsync } = this.#parts
    const request = new WriteWrap()
    const status = this.#handle.writeBuffer(request, chunk)
    if (status !== 0) this.#fail(status)
    else if (state[lastWriteWasAsync] === 0) done()
    else {
      this.writableLength += chunk.length
      request.buffer = chunk
      request.oncomplete = (status) => this.#complete(status, chunk.length, done)
    }
  }

  end(done: () => void): void {
    this.#onEnd = done
    this.#finish()
  }

  destroy(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#handle.close()
    process.nextTick(() => this.emit('close'))
  }

  #complete(status: number, bytes: number, done: () => void): void {
    if (this.#isClosed) return
    if (status < 0) return this.#fail(status)
    this.writableLength -= bytes
    done()
    this.#finish()
  }

  #finish(): void {
    if (this.#isClosed || !this.#onEnd || this.writableLength > 0) return
    this.#isClosed = true
    this.#handle.close()
    this.#onEnd()
  }

  // Later, as streams do: whoever writes is not told while he does.
  #fail(status: number): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#handle.close()
    process.nextTick(() => {
      this.emit('error', errorOf(status, 'write'))
      this.emit('close')
    })
  }
}

const errorOf = (status: number, syscall: string): NodeJS.ErrnoException => {
  const code = getSystemErrorName(status)
  return Object.assign(new Error(`${syscall} ${code}`), { errno: status, code, syscall })
}
