// What is served of a run, or of two: the page, single inputs, rows and matches, always as the files are now.

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { type Result, succeed } from '@plumb/wire'
import type { Listed } from './page-room.js'
import { countIn, shownText } from './shown-text.js'

export interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly location?: string
}

/** Whatever changes while a run goes on. */
const FILES = ['trace.json', 'run.json', 'events.jsonl', 'approvals.jsonl', 'growing.json']
/** Rows that are fetched at once. */
const MAX_ROWS = 5000
/** Of one request of a search, which others go on with: inputs that are named, and milliseconds. */
const MAX_FOUND = 10_000
const SEARCH_MS = 1000
/** Inputs that are searched before others have their turn. */
const SLICE = 50

export interface ServedPage {
  readonly page: string
  readonly items: readonly Listed[]
}

interface Loaded extends ServedPage {
  readonly version: string
}

export class ServedRun {
  #loaded: Loaded | undefined
  #loading: Promise<Result<Loaded>> | undefined

  /** `paths`: the records, or a trace. */
  constructor(
    private readonly paths: readonly string[],
    private readonly read: () => Promise<Result<ServedPage>>,
  ) {}

  async page(): Promise<Result<string>> {
    const loaded = await this.#load()
    return loaded.ok ? succeed(loaded.value.page) : loaded
  }

  /** `rest`: the address behind the token. */
  async answer(rest: string): Promise<Answer> {
    const [name = '', query = ''] = rest.split('?', 2)
    if (name === 'version') return plain(this.#version())
    const loaded = await this.#load()
    if (!loaded.ok) return { status: 500, type: 'text/plain', body: `${loaded.error.detail}\n` }
    const { page, items } = loaded.value
    if (name === '') return { status: 200, type: 'text/html', body: page }
    const [, what, number] = /^(input|rows)\/(\d{1,15})$/.exec(name) ?? []
    if (what === 'input') return this.#article(items, Number(number))
    if (what === 'rows') {
      const rows = items.slice(Number(number), Number(number) + MAX_ROWS)
      return { status: 200, type: 'text/html', body: rows.map((item) => item.row().text).join('') }
    }
    if (name === 'find') {
      const asked = new URLSearchParams(query)
      return this.#find(loaded.value, asked.get('q') ?? '', Number(/^\d{1,15}$/.exec(asked.get('from') ?? '0')?.[0] ?? 0))
    }
    return { status: 404, type: 'text/plain', body: 'nothing is here\n' }
  }

  #article(items: readonly Listed[], seq: number): Answer {
    const item = items.find((one) => one.seq === seq)
    if (!item) return { status: 404, type: 'text/plain', body: `there is no input ${seq}\n` }
    return { status: 200, type: 'text/html', body: item.article().text }
  }

  // Of the text as it is shown, without tags. `searched`: how many inputs have been searched then, with those before `from`.
  async #find({ items }: Loaded, text: string, from: number): Promise<Answer> {
    const wanted = text.toLowerCase()
    const until = Date.now() + SEARCH_MS
    const found: [seq: number, count: number][] = []
    let searched = from
    for (const item of wanted === '' ? [] : items.slice(from)) {
      const count = countIn(shownText(item.article().text).toLowerCase(), wanted)
      if (count > 0) found.push([item.seq, count])
      searched++
      if (found.length >= MAX_FOUND || Date.now() > until) break
      if (searched % SLICE === 0) await pause()
    }
    return { status: 200, type: 'application/json', body: JSON.stringify({ found, searched, total: items.length }) }
  }

  #version(): string {
    return this.paths.flatMap(statesOf).join(' ')
  }

  // Requests at the same time share one reading.
  async #load(): Promise<Result<Loaded>> {
    const version = this.#version()
    if (this.#loaded?.version === version) return succeed(this.#loaded)
    this.#loading ??= this.#readAt(version).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #readAt(version: string): Promise<Result<Loaded>> {
    const read = await this.read()
    if (!read.ok) return read
    this.#loaded = { version, ...read.value }
    return succeed(this.#loaded)
  }
}

const statesOf = (path: string): readonly string[] => {
  const directory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path)
  return [path, ...FILES.map((name) => join(directory, name))].map((file) => {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats?.isFile() ? `${stats.size}.${Math.round(stats.mtimeMs)}` : '-'
  })
}

const plain = (body: string): Answer => ({ status: 200, type: 'text/plain', body })
