// Notices that a program has taken inputs and tells nothing for a long time: most often it holds its output back until a buffer is full, as
// libraries do where they write into a pipe.

import { nowMs, parseJson, type Telemetry } from '@plumb/wire'

/** Of a program that is waited for. */
export const SILENCE_MS = 30_000

type SilentProgram = Extract<Telemetry, { kind: 'silent' }> & { readonly agent: string }

const KIND = Buffer.from('{"kind":"silent"')

/** Undefined: other telemetry. */
export const silentIn = (buf: Buffer, start: number, end: number): SilentProgram | undefined => {
  if (buf.compare(KIND, 0, KIND.length, start, Math.min(end, start + KIND.length)) !== 0) return undefined
  const parsed = parseJson(buf, start, end)
  return parsed.ok ? (parsed.value as SilentProgram) : undefined
}

export interface SilenceOptions {
  readonly ms: number
  /** The inputs that it has in hand. */
  readonly inHand: () => number
  /** Called once. */
  readonly tell: (inputs: number) => void
}

export class Silence {
  readonly #o: SilenceOptions
  #lastMs = 0
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(options: SilenceOptions) {
    this.#o = options
  }

  /** It was sent a message. */
  sent(): void {
    if (this.#isOver || this.#timer) return
    this.#lastMs = nowMs()
    this.#wait(this.#o.ms)
  }

  /** It has written a line. */
  heard(): void {
    this.#lastMs = nowMs()
  }

  /** It has ended. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms).unref()
  }

  #look(): void {
    this.#timer = undefined
    const { ms, inHand, tell } = this.#o
    const inputs = inHand()
    const left = this.#lastMs + ms - nowMs()
    if (inputs === 0) return
    if (left > 0) return this.#wait(left)
    this.#isOver = true
    tell(inputs)
  }
}
