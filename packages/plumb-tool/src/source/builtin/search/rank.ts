// Ranks the chunks of one index for a query: by its words (BM25), and by meaning if there are vectors.

import { HEADING_SEPARATOR } from './chunk.js'
import type { DocumentKind } from './document-kind.js'
import type { SqliteDatabase } from './sqlite.js'
import { cosineSimilarity, type Vector } from './vector.js'

export const NO_ENDPOINT = 'full text only: no embedding endpoint is configured'

export interface Hit {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  readonly heading: string
  readonly snippet: string
  readonly score: number
}

/** Far more terms than a query has. */
const MAX_TERMS = 64
/** Terms of at least this length also match as prefixes. */
const PREFIX_LETTERS = 4
/** Length of each of the two ranked lists. */
const CANDIDATES = 200
/** The constant k of reciprocal rank fusion. */
const RANK_DAMPING = 60

/** Rows for one term; later ones could not rank high. */
const MAX_ROWS = 5000

// A term in a heading has double weight.
const BY_WORD = `
  select rowid, -bm25(words, 1.0, 2.0, 1.0, 1.0) as score from words where words match ? order by score desc, rowid limit ${MAX_ROWS}
`
const IN_HEADING = `select rowid from words where words match ? limit ${MAX_ROWS}`
const CHUNK = 'select path, start_line, end_line, heading, text from chunk join file on file.id = chunk.file where chunk.id = ?'

/** Best first; ties by path and line, so that the result does not depend on the history of the index. */
export const rank = (database: SqliteDatabase, kind: DocumentKind, query: string, vector: Vector | undefined): Hit[] => {
  const words = byWords(database, kind, query)
  const scored = vector ? fuse(words, byMeaning(database, vector)) : words
  const hits = scored.flatMap(({ id, score }) => {
    const [path, startLine, endLine, heading, text] = database.row(CHUNK, [id]) ?? []
    const lines = { startLine: Number(startLine), endLine: Number(endLine) }
    return path === undefined ? [] : [{ path: String(path), ...lines, heading: String(heading), snippet: String(text), score }]
  })
  return hits.sort(byScore)
}

export const byScore = (a: Hit, b: Hit): number =>
  b.score - a.score || compare(a.path, b.path) || a.startLine - b.startLine || compare(a.snippet, b.snippet)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

interface Scored {
  readonly id: number
  readonly score: number
}

/** BM25, scaled up for chunks with more of the terms, or with a heading made of them. */
const byWords = (database: SqliteDatabase, kind: DocumentKind, query: string): Scored[] => {
  const terms = [...new Set(kind.significantTerms(query))].slice(0, MAX_TERMS)
  const found = new Map<number, { score: number; terms: number; inHeading: number }>()
  for (const term of terms) {
    const inHeading = new Set<number>()
    for (const [id] of database.rows(IN_HEADING, [`heading : "${term}"`])) inHeading.add(Number(id))
    for (const [row, score] of database.rows(BY_WORD, [toMatch(term)])) {
      const id = Number(row)
      const hit = found.get(id) ?? { score: 0, terms: 0, inHeading: 0 }
      found.set(id, hit)
      hit.score += Number(score)
      hit.terms++
      if (inHeading.has(id)) hit.inHeading++
    }
  }
  const scored = [...found].map(([id, hit]) => ({ id, inHeading: hit.inHeading, score: (hit.score * hit.terms) / terms.length }))
  return best(scored).map(({ id, inHeading, score }) => ({ id, score: precise(score * (1 + shareOf(database, kind, id, inHeading))) }))
}

const best = <T extends Scored>(scored: T[]): T[] => scored.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, CANDIDATES)

/** The share of the terms of its heading that the query has. */
const shareOf = (database: SqliteDatabase, kind: DocumentKind, id: number, inHeading: number): number => {
  const [heading = ''] = inHeading === 0 ? [] : (database.row('select heading from chunk where id = ?', [id]) ?? [])
  const words = kind.significantTerms(String(heading).split(HEADING_SEPARATOR).at(-1) ?? '')
  return words.length === 0 ? 0 : Math.min(1, inHeading / words.length)
}

// Quoted, since FTS5 has keywords; terms hold only letters, digits and marks.
const toMatch = (term: string): string => (term.length >= PREFIX_LETTERS ? `"${term}" OR "${term}"*` : `"${term}"`)

const byMeaning = (database: SqliteDatabase, vector: Vector): Scored[] => {
  const scored: Scored[] = []
  for (const [id, bytes] of database.rows('select id, vector from chunk where vector is not null')) {
    if (!(bytes instanceof Uint8Array)) continue
    scored.push({ id: Number(id), score: cosineSimilarity(vector, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)) })
  }
  return best(scored)
}

const fuse = (...lists: readonly (readonly Scored[])[]): Scored[] => {
  const scores = new Map<number, number>()
  for (const list of lists)
    for (const [place, { id }] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_DAMPING + place + 1))
  return [...scores].map(([id, score]) => ({ id, score: precise(score) }))
}

/** Rounds to six digits, beyond which sums depend on the order of addition. */
const precise = (score: number): number => Number(score.toPrecision(6))
