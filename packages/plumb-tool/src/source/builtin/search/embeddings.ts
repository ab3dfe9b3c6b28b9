// The embedding endpoint of PLUMB_EMBEDDINGS_ENDPOINT, _MODEL and _KEY, and the vectors of an index.

import { addSecret, type Fault, fail, nowMs, preview, type Result, succeed } from '@plumb/wire'
import { askEndpoint, type EmbeddingCall } from './ask-endpoint.js'
import { readAbout, setAbout } from './index-tables.js'
import type { SqliteDatabase } from './sqlite.js'
import { readVectors, type Vector } from './vector.js'

export interface Embeddings {
  readonly model: string
  /** One vector for each text, in order. */
  readonly embed: (texts: readonly string[], call: EmbeddingCall) => Promise<Result<readonly Vector[]>>
}

/** Undefined if none is configured. */
export const readEmbeddings = (env: NodeJS.ProcessEnv): Result<Embeddings | undefined> => {
  const { PLUMB_EMBEDDINGS_ENDPOINT: endpoint = '', PLUMB_EMBEDDINGS_MODEL: model = '', PLUMB_EMBEDDINGS_KEY: key = '' } = env
  if (endpoint === '') return succeed(undefined)
  if (model === '')
    return fail('missing_option', 'PLUMB_EMBEDDINGS_ENDPOINT is set, and PLUMB_EMBEDDINGS_MODEL, the model to ask there, is not')
  const url = readUrl(endpoint)
  if (!url.ok) return url
  if (key !== '') addSecret(key)
  return succeed({
    model,
    embed: async (texts, call) => {
      const body = JSON.stringify({ model, input: texts, encoding_format: 'float' })
      const reply = await askEndpoint(url.value, key, body, call)
      return reply.ok ? readVectors(reply.value, texts.length, url.value.host) : reply
    },
  })
}

// The user sets it, as PLUMB_ENDPOINT, so private addresses are allowed.
const readUrl = (text: string): Result<URL> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const shown = preview(url ? `${url.protocol}//${url.host}${url.pathname}` : 'what it holds')
  if (!url || !/^https?:$/.test(url.protocol))
    return fail('config_invalid', `PLUMB_EMBEDDINGS_ENDPOINT is not a URL of a server: ${shown}; write https://host or https://host/path`)
  if (url.username !== '' || url.password !== '')
    return fail(
      'config_invalid',
      `PLUMB_EMBEDDINGS_ENDPOINT holds a name or password for '${url.host}'; the key goes into PLUMB_EMBEDDINGS_KEY`,
    )
  if (url.search !== '' || url.hash !== '')
    return fail('config_invalid', `PLUMB_EMBEDDINGS_ENDPOINT has more than a path: '${shown}'; leave out what follows ? or #`)
  // A bare origin gets /v1, as OpenAI-compatible providers have it.
  url.pathname = `${url.pathname.replace(/\/+$/, '') || '/v1'}/embeddings`
  return succeed(url)
}

const BATCH = 64
const KEEP_EVERY_MS = 5000

/** An error of the endpoint is the value, not a failure: the index works without vectors. */
export const embedMissing = async (
  database: SqliteDatabase,
  { model, embed }: Embeddings,
  call: EmbeddingCall,
  keep: () => Promise<Result<void>>,
): Promise<Result<Fault | undefined>> => {
  if (readAbout(database, 'model') !== model) database.run('update chunk set vector = null')
  setAbout(database, 'model', model)
  for (let kept = nowMs(); ; ) {
    const batch = [...database.rows('select id, heading, text from chunk where vector is null order by id limit ?', [BATCH])]
    if (batch.length === 0) return succeed(undefined)
    const vectors = await embed(batch.map(toText), call)
    if (!vectors.ok) return succeed(vectors.error)
    for (const [i, [id]] of batch.entries())
      database.run('update chunk set vector = ? where id = ?', [vectors.value[i] as Int8Array, Number(id)])
    if (nowMs() - kept > KEEP_EVERY_MS) {
      const written = await keep()
      if (!written.ok) return written
      kept = nowMs()
    }
  }
}

const toText = ([, heading, text]: readonly unknown[]): string => (heading === '' ? String(text) : `${heading}\n\n${text}`)
