// Which chunks of one index answer a query best: by its words (BM25), and by its meaning where there are vectors.

import type { Database } from './database.js'
import { nearness, type Vector } from './vector.js'

export const NO_ENDPOINT = 'full text only: no embedding endpoint is configured'

export interface Hit {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  readonly heading: string
  readonly snippet: string
  readonly score: number
}

/** Far more words than a question has; more would only cost time. */
const MAX_TERMS = 64
/** So many letters are enough to stand for what begins with them. */
const PREFIX_LETTERS = 4
/** Of each of the two lists, those that can come into the result. */
const CANDIDATES = 200
/** Reciprocal rank fusion: how fast a place in a list loses weight. */
const RANK_DAMPING = 60

// A word in a heading counts for two.
const BY_WORDS = `
  select rowid, -bm25(words, 1.0, 2.0, 1.0) as score from words where words match ? order by score desc, rowid limit ${CANDIDATES}
`
const CHUNK = 'select path, start_line, end_line, heading, text from chunk join file on file.id = chunk.file where chunk.id = ?'

/** Best first; equals in the order of paths and lines, so that the history of the index does not show. */
export const rank = (database: Database, terms: readonly string[], vector: Vector | undefined): Hit[] => {
  const words = terms.length === 0 ? [] : byWords(database, terms)
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

const byWords = (database: Database, terms: readonly string[]): Scored[] => {
  const scored: Scored[] = []
  for (const [id, score] of database.rows(BY_WORDS, [toMatch(terms)])) scored.push({ id: Number(id), score: precise(Number(score)) })
  return scored
}

// Terms hold letters, digits and marks, so that the quotes keep what FTS5 would take for words of its own.
const toMatch = (terms: readonly string[]): string =>
  [...new Set(terms)]
    .slice(0, MAX_TERMS)
    .flatMap((term) => (term.length >= PREFIX_LETTERS ? [`"${term}"`, `"${term}"*`] : [`"${term}"`]))
    .join(' OR ')

const byMeaning = (database: Database, vector: Vector): Scored[] => {
  const scored: Scored[] = []
  for (const [id, bytes] of database.rows('select id, vector from chunk where vector is not null')) {
    if (!(bytes instanceof Uint8Array)) continue
    scored.push({ id: Number(id), score: nearness(vector, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)) })
  }
  return scored.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, CANDIDATES)
}

const fuse = (...lists: readonly (readonly Scored[])[]): Scored[] => {
  const scores = new Map<number, number>()
  for (const list of lists)
    for (const [place, { id }] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_DAMPING + place + 1))
  return [...scores].map(([id, score]) => ({ id, score: precise(score) }))
}

/** What is behind the sixth digit is noise of the addition. */
const precise = (score: number): number => Number(score.toPrecision(6))
