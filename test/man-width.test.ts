// The manual pages hold at 80 columns: as groff and mandoc print them no line is longer, no cell is torn, no word is hyphenated, and no code goes beyond.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t from 'tap'
import { GLOSSARY } from '../packages/plumb/src/command/glossary.js'

const COLUMNS = 80
// A terminal of 80 columns gets lines of 78 from man(1).
const TEXT = 78
/** Spaces before and between the columns of a table, and the least that the last column needs to be read. */
const INDENT = 5
const GAP = 4
const LEAST_LAST = 20

interface Table {
  readonly widths: readonly string[]
  readonly head?: readonly unknown[]
  readonly rows: readonly (readonly unknown[])[]
}

/** A page as `scripts/pages/mdoc.mjs` reads it: tables are blocks, or in the items of lists. */
interface Page {
  readonly blocks: readonly ({ readonly kind: string; readonly items?: readonly (Page | Page['blocks'])[] } & Partial<Table>)[]
}

const tablesOf = ({ blocks }: Page): readonly Table[] =>
  blocks.flatMap((block) => {
    const { widths, rows, items = [] } = block
    if (widths !== undefined && rows !== undefined) return [{ ...block, widths, rows }]
    return items.flatMap((item) => tablesOf('blocks' in item ? item : { blocks: item }))
  })

const pages = readdirSync('man').filter((file) => /\.[1-8]$/.test(file))

/** Lines that are too long, with their numbers. Accents and marks take no column of their own. */
const tooLong = (text: string): string[] =>
  text.split('\n').flatMap((line, i) => ([...line.replace(/\p{M}/gu, '')].length > COLUMNS ? [`${i + 1}: ${line.trim()}`] : []))

/** Lines of a single word far to the right, three below each other: a cell that has no room. */
const torn = (text: string): string[] => text.match(/(?:^ {40,}\S{1,12}\n){3,}/gm) ?? []

/** Words that were cut at the end of a line, as codes and paths must not be: a hyphen that the page itself does not have. */
const hyphenated = (text: string, source: string): string[] => {
  const plain = source.replaceAll('\\-', '-').replace(/\\f[BIPR]/g, '')
  return [...text.matchAll(/(\S*[a-z_])[‐-]\n +(\S+)/gu)].flatMap(([, before = '', behind = '']) =>
    plain.includes(`${before.slice(-8)}-${behind.slice(0, 4)}`) ? [] : [`${before}-${behind}`],
  )
}

const FORMATTERS: Readonly<Record<string, (file: string) => readonly string[]>> = {
  groff: (file) => ['-mdoc', '-Tutf8', '-Kutf8', '-wall', `-rLL=${TEXT}n`, `-rLT=${TEXT}n`, '-P-c', '-P-b', '-P-u', '-P-o', file],
  mandoc: (file) => ['-Tutf8', `-Owidth=${TEXT}`, file],
}

for (const [name, argsOf] of Object.entries(FORMATTERS)) {
  const skip = spawnSync(name, ['/dev/null']).error === undefined ? false : `${name} is not here`
  t.test(`as ${name} prints them`, { skip }, async (t) => {
    for (const page of pages) {
      const { stdout, stderr } = spawnSync(name, argsOf(`man/${page}`), { encoding: 'utf8', maxBuffer: 1 << 24 })
      const text = stdout.replace(/.[\b]/gu, '')
      t.ok(text.length > 1000, page)
      t.strictSame(hyphenated(text, readFileSync(`man/${page}`, 'utf8')), [], page)
      t.strictSame([...tooLong(text), ...torn(text), ...(stderr.match(/.*can't break line.*/g) ?? [])], [], page)
    }
  })
}

t.test('a table has room for its cells', async (t) => {
  const { readMdoc } = (await import(resolve('scripts/pages/mdoc.mjs'))) as { readMdoc: (text: string, file: string) => Page }
  const { textOf } = (await import(resolve('scripts/pages/inline.mjs'))) as { textOf: (spans: unknown) => string }
  let count = 0
  for (const page of pages) {
    for (const { widths, head, rows } of tablesOf(readMdoc(readFileSync(`man/${page}`, 'utf8'), page))) {
      count += 1
      const all = [...(head === undefined ? [] : [head]), ...rows]
      const wide = widths.flatMap((width, column) =>
        all
          .filter((cells) => cells.length > column + 1 && textOf(cells[column]).length > width.length)
          .map((cells) => textOf(cells[column])),
      )
      t.strictSame(wide, [], `${page}: as wide as its widest cell: ${widths[0]}`)
      t.ok(
        all.every((cells) => cells.length <= widths.length + 1),
        `${page}: the last column has no width, so that its text wraps below itself: ${widths[0]}`,
      )
      t.ok(
        all.some((cells) => cells.length === widths.length + 1),
        `${page}: the last column is the one without a width: ${widths[0]}`,
      )
      const last = TEXT - INDENT - widths.reduce((sum, width) => sum + width.length + GAP, 0)
      const longest = Math.max(...all.map((cells) => (cells.length > widths.length ? textOf(cells[widths.length]).length : 0)))
      t.ok(last >= Math.min(LEAST_LAST, longest), `${page}: ${last} columns for the last: ${widths[0]}`)
    }
  }
  t.ok(count > 30)
})

t.test('each listing of a file has its name over it', async (t) => {
  for (const page of pages) {
    const lines = readFileSync(`man/${page}`, 'utf8').replaceAll('\\-', '-').split('\n')
    const unnamed = lines.flatMap((line, i) => {
      const name = /^\.\\" file (\S+)/.exec(line)?.[1]
      if (name === undefined) return []
      const above = lines.slice(0, i)
      const from = Math.max(i - 12, above.findLastIndex((one) => /^\.(Ed|S[hs])\b/.test(one)) + 1)
      return above.slice(from).some((one) => one.includes(name)) ? [] : [`${i + 1}: ${name}`]
    })
    t.strictSame(unnamed, [], page)
  }
})

t.test('the glossary of plumb(7) is what plumb explain says', async (t) => {
  const { readMdoc } = (await import(resolve('scripts/pages/mdoc.mjs'))) as {
    readMdoc: (text: string, file: string) => { blocks: Terms[] }
  }
  const { textOf } = (await import(resolve('scripts/pages/inline.mjs'))) as { textOf: (spans: unknown) => string }
  const { blocks } = readMdoc(readFileSync('man/plumb.7', 'utf8'), 'plumb.7')
  const at = blocks.findIndex(({ kind, text }) => kind === 'heading' && text === 'GLOSSARY')
  const items = blocks.slice(at).find(({ kind }) => kind === 'terms')?.items ?? []
  const said = items.map(({ term, blocks }) => [textOf(term), textOf(blocks[0]?.spans ?? [])])
  t.strictSame(
    said,
    Object.entries(GLOSSARY).map(([word, meaning]) => [word, meaning.replaceAll('`', '')]),
  )
})

interface Terms {
  readonly kind: string
  readonly text?: string
  readonly items?: readonly { readonly term: unknown; readonly blocks: readonly { readonly spans?: unknown }[] }[]
}
