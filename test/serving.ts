// A server under test, as a process, and requests to it by Node's own client, which sends what it is told.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { scaled } from '../packages/wire/test/patience.js'

const SERVER = resolve('packages/plumb-serve/bin/plumb-serve')

export interface Serving {
  readonly directory: string
  readonly child: ChildProcess
  readonly port: number
  readonly url: string
  /** The lines of its log, without the first. */
  log(): readonly Record<string, unknown>[]
  err(): string
  call(path: string, body?: string | Buffer, more?: Asking): Promise<Answer>
  /** Its status or signal. */
  stop(signal?: NodeJS.Signals): Promise<number | string | null>
}

export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Called with each piece of the answer. */
  readonly onPiece?: (text: string) => void
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: Record<string, unknown>
}

export interface ServingOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Where it runs; by default one of its own. */
  readonly directory?: string
}

/** `files`: written to its directory; those called NAME.plumb are served. */
export const serve = async (
  files: Readonly<Record<string, string>>,
  { args = [], env = {}, directory }: ServingOptions = {},
): Promise<Serving> => {
  const at = directory ?? mkdtempSync(join(tmpdir(), 'plumb-serve-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 })
  const specs = Object.keys(files).filter((name) => name.endsWith('.plumb'))
  const child = spawn(SERVER, ['--listen', '0', ...args, ...specs], {
    cwd: at,
    env: { PATH: process.env.PATH ?? '', HOME: at, TMPDIR: tmpdir(), LANG: 'C.UTF-8', PLUMB_ERRORS: 'json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  const exited = new Promise<number | string | null>((over) => child.on('close', (status, signal) => over(signal ?? status)))
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    out += piece
  })
  const port = await new Promise<number>((found, fail) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), scaled(60_000))
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      err += piece
      const [, digits] = /"listening":"http:\/\/[^"]*:(\d+)"/.exec(err) ?? []
      if (digits === undefined) return
      clearTimeout(timer)
      found(Number(digits))
    })
    void exited.then(() => {
      clearTimeout(timer)
      fail(new Error(`not started: ${err}`))
    })
  })
  const serving: Serving = {
    directory: at,
    child,
    port,
    url: `http://127.0.0.1:${port}`,
    log: () => linesOf(out).filter(({ listening }) => listening === undefined),
    err: () => err,
    call: (path, body, more) => ask(port, path, body, more),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      const ended = await exited
      if (directory === undefined) rmSync(at, { recursive: true, force: true })
      return ended
    },
  }
  const isReady = () => serving.call('/readyz').then(({ status }) => status === 200)
  try {
    while (!(await isReady())) await new Promise((done) => setTimeout(done, 20))
  } catch {
    await exited
    throw new Error(`not ready: ${err}`)
  }
  return serving
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const ask = (port: number, path: string, body?: string | Buffer, { method, headers = {}, onPiece, signal }: Asking = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = httpRequest(
      { host: '127.0.0.1', port, path, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, ...(signal ? { signal } : {}) },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
          onPiece?.(piece)
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** The events of a stream: their ids, names and data. */
export const eventsOf = (text: string): { readonly id: string; readonly event: string; readonly data: Record<string, unknown> }[] =>
  text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => {
      const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
      return { id: field('id'), event: field('event'), data: parsed(field('data')) }
    })
