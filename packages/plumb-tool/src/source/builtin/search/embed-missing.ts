// Vectors for the chunks that have none yet, in batches; what is done is kept now and then, so that the next run goes on from there.

import { type Fault, nowMs, type Result, succeed } from '@plumb/wire'
import type { Embeddings } from './embeddings.js'
import { readAbout, setAbout } from './index-tables.js'
import type { Database } from './sqlite.js'

const BATCH = 64
const KEEP_EVERY_MS = 5000

/** A fault of the endpoint is the value: the index is none the worse for it. */
export const embedMissing = async (
  database: Database,
  { model, embed }: Embeddings,
  signal: AbortSignal,
  keep: () => Promise<Result<void>>,
): Promise<Result<Fault | undefined>> => {
  if (readAbout(database, 'model') !== model) database.run('update chunk set vector = null')
  setAbout(database, 'model', model)
  for (let kept = nowMs(); ; ) {
    const batch = [...database.rows('select id, heading, text from chunk where vector is null order by id limit ?', [BATCH])]
    if (batch.length === 0) return succeed(undefined)
    const vectors = await embed(batch.map(toText), signal)
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
