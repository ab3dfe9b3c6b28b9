// plumb prices: what models cost by the table that counts for this user, and of which day it is; newer prices for this user.

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { loadPriceTables, PRICES_SOURCE, type Rate, type UserPrices } from '@plumb/ledger'
import { writeWhole } from '@plumb/runtime/record'
import {
  escapeLines,
  type Fault,
  fault,
  preview,
  Reporter,
  type Result,
  stdoutColumns,
  stdoutIsStyled,
  succeed,
  systemReason,
  wrappedTable,
} from '@plumb/wire'
import { readSource } from './read-source.js'

/** Resolves to the exit status. */
export const prices = async (text: string | undefined, { update: source }: { readonly update?: string | undefined }): Promise<number> => {
  const reporter = new Reporter('plumb')
  const failure = source === undefined ? await show(text, reporter) : await update(source)
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

const show = async (text: string | undefined, reporter: Reporter): Promise<Fault | undefined> => {
  const { readUserPrices, entriesOf, SHIPPED } = await loadPriceTables()
  const read = readUserPrices()
  if (read?.ok === false) reporter.report(read.error)
  const own = read?.ok ? read.value : undefined
  const listed = entriesOf(own?.table ?? SHIPPED, Date.now()).map(([provider, name, { price }]) => row(provider, name, price))
  const given = Object.entries(own?.given ?? {}).map(([model, price]) => row('', model, price))
  const rows = [...given, ...listed].filter(
    ([provider, name]) => text === undefined || `${provider} ${name}`.toLowerCase().includes(text.toLowerCase()),
  )
  if (rows.length === 0) return fault('usage', `there is no price of '${preview(text ?? '')}'; 'plumb prices' alone lists all`)
  const width = stdoutColumns()
  const all = [HEAD, ...rows]
  // Names in a file of others may be anything.
  const table =
    width === undefined ? aligned(all).map(escapeLines) : wrappedTable(all, { width, numbers: HEAD.slice(2), isStyled: stdoutIsStyled() })
  return writeWhole(Buffer.from(`${[escapeLines(sourceOf(own)), '', ...table].join('\n')}\n`), undefined)
}

const sourceOf = (own: UserPrices | undefined): string =>
  own === undefined
    ? `prices: ${PRICES_SOURCE}`
    : `prices: ${own.source}, taken on ${own.date}${own.table ? '' : `; else ${PRICES_SOURCE}`}`

const HEAD = ['provider', 'model', 'input', 'output', 'cache read', 'cache creation']

const row = (provider: string, name: string, price: { input: Rate; output: Rate; cache_read?: Rate; cache_creation?: Rate }): string[] => [
  provider,
  name,
  ...[price.input, price.output, price.cache_read, price.cache_creation].map(dollars),
]

// With a plus: long inputs cost more.
const dollars = (rate: Rate | undefined): string => (rate === undefined ? '' : typeof rate === 'number' ? String(rate) : `${rate.base}+`)

const aligned = (rows: readonly string[][]): string[] => {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

// Checked whole before it replaces anything.
const update = async (source: string): Promise<Fault | undefined> => {
  const { MAX_PRICES_BYTES, pricesIn, userPricesPath } = await loadPriceTables()
  const path = userPricesPath()
  if (path === undefined) return fault('config_invalid', 'there is no home directory to keep prices in: set HOME or XDG_DATA_HOME')
  const text = await readSource(source, MAX_PRICES_BYTES)
  if (!text.ok) return text.error
  const taken = pricesIn(text.value)
  if (!taken.ok) return fault('config_invalid', `'${preview(source, 200)}' holds no prices: ${taken.error.detail}; nothing was changed`)
  const kept: UserPrices = { source: shown(source), date: new Date().toISOString().slice(0, 10), ...taken.value }
  const made = makeDirectory(dirname(path))
  if (!made.ok) return made.error
  const failure = await writeWhole(Buffer.from(`${JSON.stringify(kept)}\n`), path)
  if (failure) return failure
  const count = Object.keys(taken.value.given ?? {}).length + Object.values(taken.value.table ?? {}).flat().length
  return writeWhole(Buffer.from(escapeLines(`${count} prices of ${kept.source} are in ${path}\n`)), undefined)
}

// Without a password or a token.
const shown = (source: string): string => (URL.canParse(source) ? `${new URL(source).origin}${new URL(source).pathname}` : source)

const makeDirectory = (directory: string): Result<undefined> => {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return succeed(undefined)
  } catch (error) {
    return { ok: false, error: fault('write_failed', `cannot make '${directory}': ${systemReason(error as NodeJS.ErrnoException)}`) }
  }
}
