// What is served of a run: its page, single inputs, rows and matches, always as the files are now.

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { type Result, succeed } from '@plumb/wire'
import { article } from './article.js'
import { type InputModel, inputsOf } from './inputs.js'
import { inputRow } from './list.js'
import { contextOf, runPage } from './page.js'
import type { Selection } from './page-limits.js'
import { type RunParts, readRunParts } from './run-parts.js'

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
/** Of a search: inputs that are named, and milliseconds. */
const MAX_FOUND = 10_000
const SEARCH_MS = 20_000
/** Inputs that are searched before others have their turn. */
const SLICE = 50

interface Loaded {
  readonly version: string
  readonly parts: RunParts
  readonly inputs: readonly InputModel[]
  readonly page: string
}

export class ServedRun {
  #loaded: Loaded | undefined
  #loading: Promise<Result<Loaded>> | undefined

  constructor(
    private readonly path: string,
    private readonly selection: Selection,
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
    const { page, parts, inputs } = loaded.value
    if (name === '') return { status: 200, type: 'text/html', body: page }
    const [, what, number] = /^(input|rows)\/(\d{1,15})$/.exec(name) ?? []
    if (what === 'input') return this.#article(inputs, parts, Number(number))
    if (what === 'rows') {
      const rows = inputs.slice(Number(number), Number(number) + MAX_ROWS)
      return { status: 200, type: 'text/html', body: rows.map((input) => inputRow(input).text).join('') }
    }
    if (name === 'find') return this.#find(loaded.value, new URLSearchParams(query).get('q') ?? '')
    return { status: 404, type: 'text/plain', body: 'nothing is here\n' }
  }

  #article(inputs: readonly InputModel[], parts: RunParts, seq: number): Answer {
    const input = inputs.find((one) => one.seq === seq)
    if (!input) return { status: 404, type: 'text/plain', body: `there is no input ${seq}\n` }
    return { status: 200, type: 'text/html', body: article(input, contextOf(parts)).text }
  }

  // Of the text as it is shown, without tags.
  async #find({ inputs, parts }: Loaded, text: string): Promise<Answer> {
    const wanted = text.toLowerCase()
    const until = Date.now() + SEARCH_MS
    const context = contextOf(parts)
    const found: [seq: number, count: number][] = []
    let searched = 0
    for (const input of inputs) {
      if (wanted === '' || found.length >= MAX_FOUND || Date.now() > until) break
      const count = countIn(shownText(article(input, context).text), wanted)
      if (count > 0) found.push([input.seq, count])
      if (++searched % SLICE === 0) await pause()
    }
    return { status: 200, type: 'application/json', body: JSON.stringify({ found, searched, total: inputs.length }) }
  }

  #version(): string {
    const directory = statSync(this.path, { throwIfNoEntry: false })?.isDirectory() ? this.path : dirname(this.path)
    const files = [this.path, ...FILES.map((name) => join(directory, name))]
    const states = files.map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false })
      return stats?.isFile() ? `${stats.size}.${Math.round(stats.mtimeMs)}` : '-'
    })
    return states.join(' ')
  }

  // Requests at the same time share one reading.
  async #load(): Promise<Result<Loaded>> {
    const version = this.#version()
    if (this.#loaded?.version === version) return succeed(this.#loaded)
    this.#loading ??= this.#read(version).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #read(version: string): Promise<Result<Loaded>> {
    const parts = await readRunParts(this.path, this.selection)
    if (!parts.ok) return parts
    const loaded = { version, parts: parts.value, inputs: inputsOf(parts.value.run), page: runPage({ ...parts.value, isServed: true }) }
    this.#loaded = loaded
    return succeed(loaded)
  }
}

const plain = (body: string): Answer => ({ status: 200, type: 'text/plain', body })

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

const shownText = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] as string)
    .toLowerCase()

const countIn = (text: string, wanted: string): number => {
  let count = 0
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) count++
  return count
}
