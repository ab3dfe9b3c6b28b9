// Keys that a command gives: the first line of its output, kept in memory alone, until its server refuses it or it is about to expire. Of one
// command there is one key in a process, and one call at a time.

import {
  addSecret,
  childEnv,
  type Fault,
  FOR_KEY_COMMANDS,
  fault,
  preview,
  type Result,
  scrub,
  spawnChild,
  startDeadline,
  succeed,
} from '@plumb/wire'
import { isKey, type KeyCommandWords, MAX_KEY } from './key-words.js'

const TIMEOUT_MS = 30_000
/** So long before it expires a key is no longer used. */
const MARGIN_MS = 60_000
const MAX_OUTPUT = 65_536
/** Of stderr, from its end. */
const MAX_STDERR = 4_096
/** Keys of before that are still removed from what is told: a server may name one. */
const MAX_REMEMBERED = 16

export interface KeyCommand {
  get(): Promise<Result<string>>
  /** The next `get` asks for another one, unless that was done meanwhile. */
  refuse(key: string): void
}

const commands = new Map<string, KeyCommand>()

/** `timeoutMs`: for tests. */
export const keyCommand = (command: KeyCommandWords, timeoutMs = TIMEOUT_MS): KeyCommand => {
  const id = JSON.stringify([command.words, command.directory])
  const known = commands.get(id) ?? new SharedKey(command, timeoutMs)
  commands.set(id, known)
  return known
}

class SharedKey implements KeyCommand {
  readonly #command: KeyCommandWords
  readonly #timeoutMs: number
  #key: { readonly value: string; readonly untilMs: number } | undefined
  #running: Promise<Result<string>> | undefined
  readonly #forget: (() => void)[] = []

  constructor(command: KeyCommandWords, timeoutMs: number) {
    this.#command = command
    this.#timeoutMs = timeoutMs
  }

  get(): Promise<Result<string>> {
    if (this.#key && Date.now() < this.#key.untilMs) return Promise.resolve(succeed(this.#key.value))
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  refuse(key: string): void {
    if (this.#key?.value === key) this.#key = undefined
  }

  async #ask(): Promise<Result<string>> {
    this.#key = undefined
    const given = await runCommand(this.#command, this.#timeoutMs)
    if (!given.ok) return given
    const { value } = given
    this.#forget.push(addSecret(value))
    if (this.#forget.length > MAX_REMEMBERED) this.#forget.shift()?.()
    this.#key = { value, untilMs: expiryOf(value) - MARGIN_MS }
    return given
  }
}

/** Of a JWT, in ms; other keys say nothing of it. */
export const expiryOf = (key: string): number => {
  const [, payload = '', signature] = key.split('.')
  if (signature === undefined) return Number.POSITIVE_INFINITY
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly exp?: unknown }
    return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const runCommand = async ({ words, directory, env }: KeyCommandWords, timeoutMs: number): Promise<Result<string>> => {
  const refuse = (why: string, extras: Readonly<Record<string, unknown>> = {}): Result<never> => ({
    ok: false,
    error: noKey(words, why, extras),
  })
  const started = spawnChild({ command: words, cwd: directory, env: childEnv('foreign', [...FOR_KEY_COMMANDS, ...env]), isForeign: true })
  if (!started.ok) return refuse(`cannot be run: ${started.error.detail}`)
  const child = started.value
  child.stdin.end()
  const output = firstLineOf(child.stdout)
  const errors = tailOf(child.stderr)
  let isLate = false
  const clear = startDeadline(timeoutMs, () => {
    isLate = true
    child.kill('SIGKILL')
  })
  const { status, signal } = await child.exited
  clear()
  const key = output()
  // A command that failed may have said a key all the same, and name it in its error.
  const forget = addSecret(key)
  const said = lastLine(scrub(errors()))
  forget()
  const behind = said === '' ? '' : `: ${preview(said, 300)}`
  if (isLate) return refuse(`gave no key within ${timeoutMs / 1000} s, and was ended${behind}`)
  if (status !== 0) return refuse(`ended with ${status === null ? signal : `status ${status}`}${behind}`, status === null ? {} : { status })
  if (key === '') return refuse(`said nothing${behind}`)
  return isKey(key)
    ? succeed(key)
    : refuse(`gave what is not a key: expected one line of at most ${MAX_KEY} characters that a header can hold, without blanks`)
}

const noKey = (words: readonly string[], why: string, extras: Readonly<Record<string, unknown>>): Fault =>
  fault('missing_key', `a key is needed, and its command '${preview(words.join(' '), 100)}' ${why}`, {
    key_command: preview(words[0] ?? ''),
    ...extras,
  })

interface Chunks {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
}

/** Without what ends it; what is longer than any key has no end. */
const firstLineOf = (stream: Chunks): (() => string) => {
  let text = ''
  stream.on('data', (chunk) => {
    if (text.length <= MAX_OUTPUT && !text.includes('\n')) text += chunk.toString('latin1')
  })
  return () => (text.split('\n', 1)[0] ?? '').trim()
}

const tailOf = (stream: Chunks): (() => string) => {
  let tail = Buffer.alloc(0)
  stream.on('data', (chunk) => {
    tail = Buffer.concat([tail, chunk])
    if (tail.length > MAX_STDERR) tail = tail.subarray(-MAX_STDERR)
  })
  return () => tail.toString()
}

const lastLine = (text: string): string => text.trimEnd().split(/\r?\n/).at(-1)?.trim() ?? ''
