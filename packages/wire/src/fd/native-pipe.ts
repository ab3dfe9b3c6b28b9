// Pipes without Node's streams: loading and using those costs a start a fifth of Node's own. These bindings are what node:net is built on.
// Node does not guarantee them, so they are used only in known versions; elsewhere `undefined` is returned, and streams are used.

import { EventEmitter } from 'node:events'
import { getSystemErrorName } from 'node:util'
import type { LineSink, LineSource } from '../line/stream.js'
import { internalBinding } from './node-internals.js'

interface Handle {
  /** 0, or an error number. */
  open(fd: number): number | undefined
  /** `state[kReadBytesOrError]` is the number of bytes, or an error number. */
  onread: ((bytes: ArrayBuffer) => void) | undefined
  readStart(): number
  readStop(): number
  writeBuffer(request: WriteRequest, bytes: Buffer): number
  close(): void
}

interface WriteRequest {
  /** Buffers that are being written must not be collected. */
  buffer?: Buffer
  oncomplete?: (status: number) => void
}

interface Internals {
  readonly Pipe: new (kind: number) => Handle
  readonly kind: number
  readonly WriteWrap: new () => WriteRequest
  /** The result of the latest call, at the indexes below. */
  readonly state: Readonly<Record<number, number>>
  readonly readBytesOrError: number
  readonly arrayBufferOffset: number
  readonly lastWriteWasAsync: number
}

/** Undefined: use streams. */
export const openNativeInput = (fd: number): LineSource | undefined => {
  const opened = openHandle(fd)
  return opened && new NativeInput(opened.handle, opened.parts)
}

/** Undefined: use streams. The pipe is not shut down at its end: other processes may have it too. */
export const openNativeOutput = (fd: number): LineSink | undefined => {
  const opened = openHandle(fd)
  return opened && new NativeOutput(opened.handle, opened.parts, fd)
}

const openHandle = (fd: number): { readonly handle: Handle; readonly parts: Internals } | undefined => {
  const known = internals()
  if (!known) return undefined
  const handle = new known.Pipe(known.kind)
  try {
    if (!handle.open(fd)) return { handle, parts: known }
  } catch {
    // Node's own streams report the error.
  }
  handle.close()
  return undefined
}

let parts: Internals | 'none' | undefined

const internals = (): Internals | undefined => {
  parts ??= findInternals() ?? 'none'
  return parts === 'none' ? undefined : parts
}

const EOF = -4095

const findInternals = (): Internals | undefined => {
  const { Pipe, constants } = (internalBinding('pipe_wrap') ?? {}) as { Pipe?: Internals['Pipe']; constants?: { SOCKET: number } }
  const { WriteWrap, streamBaseState, kReadBytesOrError, kArrayBufferOffset, kLastWriteWasAsync } = internalBinding('stream_wrap') ?? {}
  const places = [constants?.SOCKET, kReadBytesOrError, kArrayBufferOffset, kLastWriteWasAsync]
  if (typeof Pipe !== 'function' || typeof WriteWrap !== 'function' || !(streamBaseState instanceof Int32Array)) return undefined
  if (!places.every((place) => typeof place === 'number')) return undefined
  const [kind, readBytesOrError, arrayBufferOffset, lastWriteWasAsync] = places as [number, number, number, number]
  return {
    Pipe,
    kind,
    WriteWrap: WriteWrap as Internals['WriteWrap'],
    state: streamBaseState,
    readBytesOrError,
    arrayBufferOffset,
    lastWriteWasAsync,
  }
}

class NativeInput extends EventEmitter implements LineSource {
  readonly #handle: Handle
  readonly #parts: Internals
  #isFlowing = false
  #isClosed = false

  constructor(handle: Handle, parts: Internals) {
    super()
    this.#handle = handle
    this.#parts = parts
    handle.onread = (bytes) => this.#take(bytes)
  }

  isPaused(): boolean {
    return !this.#isFlowing
  }

  resume(): void {
    if (this.#isClosed || this.#isFlowing) return
    this.#isFlowing = true
    const status = this.#handle.readStart()
    if (status !== 0) process.nextTick(() => this.#fail(status))
  }

  pause(): void {
    if (this.#isClosed || !this.#isFlowing) return
    this.#isFlowing = false
    this.#handle.readStop()
  }

  destroy(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#handle.close()
    process.nextTick(() => this.emit('close'))
  }

  #take(bytes: ArrayBuffer): void {
    const { state, readBytesOrError, arrayBufferOffset } = this.#parts
    const count = state[readBytesOrError] as number
    if (this.#isClosed || count === 0) return
    if (count > 0) this.emit('data', Buffer.from(bytes, state[arrayBufferOffset], count))
    else if (count === EOF) {
      this.destroy()
      this.emit('end')
    } else this.#fail(count)
  }

  #fail(status: number): void {
    if (this.#isClosed) return
    this.destroy()
    this.emit('error', errorOf(status, 'read'))
  }
}

class NativeOutput extends EventEmitter implements LineSink {
  writableLength = 0
  readonly #handle: Handle
  readonly #parts: Internals
  #isClosed = false
  #onEnd: (() => void) | undefined

  /** `fd`, as streams have it. */
  constructor(
    handle: Handle,
    parts: Internals,
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

  // In a later tick, as streams do: never within the write.
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
