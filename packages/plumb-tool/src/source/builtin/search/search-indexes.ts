// markdown_search and code_search: return the best chunks of one index or of all, with their position.

import { resolvePath } from '@plumb/sandbox'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Builtin, BuiltinContext } from '../builtin.js'
import type { EmbeddingCall } from './ask-endpoint.js'
import { CODE, type DocumentKind, MARKDOWN } from './document-kind.js'
import { type Embeddings, readEmbeddings } from './embeddings.js'
import { withIndex } from './index-cache.js'
import { checkName, indexFileOf, indexNames } from './index-file.js'
import { readAbout } from './index-tables.js'
import { byScore, type Hit, NO_ENDPOINT, rank } from './rank.js'
import type { Vector } from './vector.js'

interface Input {
  readonly query: string
  readonly k?: number
  readonly index?: string
}

const DEFAULT_K = 5

const searcher = (kind: DocumentKind): Builtin<Input> => ({
  run: async ({ query, k = DEFAULT_K, index }, context) => {
    const chosen = await chooseIndexes(kind, index, context)
    if (!chosen.ok) return chosen
    const embeddings = readEmbeddings(process.env)
    if (!embeddings.ok) return embeddings
    const asked = await embedQuery(query, embeddings.value, context.call)
    const found: Found[] = []
    let withVectors = 0
    for (const { name, root } of chosen.value) {
      const hits = await searchOne(kind, name, root, { query, asked }, context)
      if (!hits.ok) return hits
      if (hits.value.isByMeaning) withVectors++
      found.push(...hits.value.hits.map((hit) => ({ ...hit, root, index: name })))
    }
    return succeed({ results: toResults(found, k, kind, context), ranking: rankingOf(asked, withVectors, chosen.value.length) })
  },
})

export const markdownSearch = searcher(MARKDOWN)
export const codeSearch = searcher(CODE)

interface Chosen {
  readonly name: string
  readonly root: string
}

interface Found extends Hit, Omit<Chosen, 'name'> {
  readonly index: string
}

/** The query as a vector, or the reason why there is none. */
interface Asked {
  readonly model: string
  readonly vector: Vector | undefined
  readonly why: string
}

const chooseIndexes = async (
  kind: DocumentKind,
  wanted: string | undefined,
  context: BuiltinContext,
): Promise<Result<readonly Chosen[]>> => {
  if (wanted !== undefined) {
    const checked = checkName(wanted)
    if (!checked.ok) return checked
  }
  const all: Chosen[] = []
  for (const root of context.roots.keys()) for (const name of await indexNames(kind, context, root)) all.push({ name, root })
  const chosen = all.filter(({ name }) => wanted === undefined || name === wanted)
  if (chosen.length > 0) return succeed(chosen)
  if (all.length === 0) {
    const make = `make one with ${kind.indexer} {"root":"."}`
    return fail('no_such_file', `there is no index of ${kind.what} here: ${make}`, { indexer: kind.indexer })
  }
  const names = [...new Set(all.map(({ name }) => name))]
  const known = names.slice(0, 20).map((name) => `'${preview(name)}'`)
  return fail('no_such_file', `no index is named '${preview(wanted ?? '')}'; there is ${known.join(', ')}`, { indexes: names.slice(0, 20) })
}

const embedQuery = async (query: string, embeddings: Embeddings | undefined, call: EmbeddingCall): Promise<Asked> => {
  if (!embeddings) return { model: '', vector: undefined, why: NO_ENDPOINT }
  const vectors = await embeddings.embed([query], call)
  const why = vectors.ok ? '' : `full text only: ${vectors.error.detail}`
  return { model: embeddings.model, vector: vectors.ok ? vectors.value[0] : undefined, why }
}

const searchOne = async (
  kind: DocumentKind,
  name: string,
  root: string,
  { query, asked }: { readonly query: string; readonly asked: Asked },
  context: BuiltinContext,
): Promise<Result<{ readonly hits: readonly Hit[]; readonly isByMeaning: boolean }>> => {
  const resolved = indexFileOf(kind, name, context, root, 'read')
  if (!resolved.ok) return resolved
  const hits = await withIndex(resolved.value, (database) => {
    const isByMeaning = asked.vector !== undefined && readAbout(database, 'model') === asked.model
    return { hits: rank(database, kind, query, isByMeaning ? asked.vector : undefined), isByMeaning }
  })
  if (!hits.ok) return hits
  if (hits.value) return succeed(hits.value)
  const advice = `make it again with ${kind.indexer}`
  return fail('read_failed', `the index '${preview(resolved.value.shown)}' is damaged or of another version: ${advice}`, {
    indexer: kind.indexer,
  })
}

const rankingOf = ({ vector, why }: Asked, withVectors: number, all: number): string => {
  if (!vector) return why
  if (withVectors === all) return 'full text and vectors'
  return withVectors === 0
    ? 'full text only: the index has no vectors of this model; index again'
    : `full text and vectors; of ${all} indexes ${all - withVectors} have no vectors of this model`
}

/** Leaves out files that no longer exist or are protected, and duplicates from several indexes. */
const toResults = (found: readonly Found[], k: number, kind: DocumentKind, context: BuiltinContext) => {
  const seen = new Set<string>()
  const results = []
  const sorted = found.toSorted(byScore)
  const best = sorted[0]?.score ?? 1
  for (const { path, startLine, endLine, heading, score, snippet, root } of sorted) {
    if (results.length === k) break
    const key = `${root}:${path}:${startLine}:${snippet}`
    if (seen.has(key) || !resolvePath(path, 'read', context, root).ok) continue
    seen.add(key)
    const where = { path, ...(context.roots.size > 1 ? { root } : {}), start_line: startLine, end_line: endLine }
    results.push({
      ...where,
      ...(heading === '' ? {} : { heading }),
      score: Number((score / best).toFixed(3)),
      snippet: kind.show(heading, snippet),
    })
  }
  return results
}
