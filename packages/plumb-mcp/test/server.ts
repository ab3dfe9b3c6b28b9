// Servers under test: in a directory of their own, spoken to by the SDK's own client, or by raw lines.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { scaled } from '../../wire/test/patience.js'

export const SERVER = resolve('packages/plumb-mcp/bin/plumb-mcp')

export interface Place {
  readonly directory: string
  readonly env: Record<string, string>
  lay(files: Readonly<Record<string, string>>): void
  remove(): void
}

export const openPlace = (files: Readonly<Record<string, string>>): Place => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-mcp-'))
  const place: Place = {
    directory,
    env: { PATH: process.env.PATH ?? '', HOME: directory, TMPDIR: directory, LANG: 'C.UTF-8', PLUMB_ERRORS: 'json' },
    lay: (laid) => {
      for (const [name, text] of Object.entries(laid)) {
        mkdirSync(dirname(join(directory, name)), { recursive: true })
        writeFileSync(join(directory, name), text)
      }
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
  place.lay(files)
  return place
}

/** The SDK's client, on stdio. */
export const connect = async ({ directory, env }: Place, args: readonly string[], client = newClient()): Promise<Client> => {
  const transport = new StdioClientTransport({ command: SERVER, args: [...args], cwd: directory, env, stderr: 'ignore' })
  await client.connect(transport)
  return client
}

export const newClient = (capabilities = {}): Client => new Client({ name: 'test', version: '1' }, { capabilities })

/** What a tool answered: its texts, and the code of an error. */
export const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult
  const text = result.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')
  const error = result.isError ? codeIn(text) : undefined
  return { ...result, text, ...(error === undefined ? {} : { error }) }
}

const codeIn = (text: string): string => {
  const line = text.split('\n').find((part) => part.startsWith('{"error"')) ?? ''
  return line === '' ? text : String((JSON.parse(line) as { error: unknown }).error)
}

export interface Raw {
  readonly child: ChildProcessWithoutNullStreams
  send(message: unknown): void
  /** The next message that has what is asked for. */
  receive(matches: (message: Message) => boolean): Promise<Message>
  readonly received: Message[]
  readonly exited: Promise<{ readonly status: number | null; readonly signal: string | null; readonly err: string }>
}

export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

const DEADLINE_MS = scaled(60_000)

/** Raw lines; `say` takes text as it is. */
export const spawnRaw = ({ directory, env }: Place, args: readonly string[], more: Record<string, string> = {}): Raw => {
  const child = spawn(SERVER, args, { cwd: directory, env: { ...env, ...more } })
  const received: Message[] = []
  const waiting = new Set<() => void>()
  let [rest, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    received.push(...lines.map((line) => JSON.parse(line) as Message))
    for (const look of [...waiting]) look()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk
  })
  child.stdin.on('error', () => {})
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  const exited = new Promise<{ status: number | null; signal: string | null; err: string }>((done) => {
    child.on('close', (status, signal) => {
      clearTimeout(timer)
      done({ status, signal, err })
    })
  })
  const receive = (matches: (message: Message) => boolean): Promise<Message> =>
    new Promise((done, fail) => {
      const look = (): void => {
        const found = received.find(matches)
        if (!found) return
        waiting.delete(look)
        done(found)
      }
      waiting.add(look)
      void exited.then(() => fail(new Error(`the server has ended: ${err}`)))
      look()
    })
  const send = (message: unknown): void => {
    child.stdin.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`)
  }
  return { child, send, receive, received, exited }
}

export const initialize = (protocolVersion = '2025-03-26', id: string | number = 'init') => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

export const request = (id: string | number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
export const notification = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params })
