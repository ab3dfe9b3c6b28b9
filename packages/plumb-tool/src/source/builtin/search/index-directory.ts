// index_markdown_docs and index_code: index the files of a directory; later runs cost only what has changed.

import { absolutePath, type ExpectedFile, type ResolvedPath, resolvePath, writeFileAtomically } from '@plumb/sandbox'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Builtin, BuiltinContext } from '../builtin.js'
import { isDirectoryAt } from '../file/is-directory.js'
import { namedPath } from '../file/path-input.js'
import { CODE, type DocumentKind, MARKDOWN } from './document-kind.js'
import { type Embeddings, embedMissing, readEmbeddings } from './embeddings.js'
import { checkName, indexFileOf, loadIndex, nameFor, writeIndex } from './index-file.js'
import { lockIndex } from './index-lock.js'
import { countContents, emptyContents, readAbout, setAbout } from './index-tables.js'
import { NO_ENDPOINT } from './rank.js'
import type { SqliteDatabase } from './sqlite.js'
import { type UpdateSummary, updateIndex } from './update-index.js'

interface Input {
  readonly root: string
  readonly index?: string
  readonly description?: string
}

/** Attempts if another process writes the index meanwhile. */
const ATTEMPTS = 3

const indexer = (kind: DocumentKind): Builtin<Input> => ({
  paths: (input, context) => {
    const directory = directoryOf(input.root, context)
    return directory.ok ? [absolutePath(directory.value.resolved)] : namedPath({ path: input.root }, context)
  },
  writes: (input, context) => {
    const target = targetOf(input, kind, context)
    return target.ok ? [absolutePath(target.value.indexPath)] : []
  },
  run: async (input, context) => {
    const target = targetOf(input, kind, context)
    if (!target.ok) return target
    if (!(await isDirectoryAt(target.value.directory)))
      return fail('no_such_file', `'${preview(target.value.directory.shown, 200)}' is not a directory: an index is made of a directory`)
    const embeddings = readEmbeddings(process.env)
    if (!embeddings.ok) return embeddings
    const lock = await lockIndex(target.value.indexPath, context.call.signal)
    if (!lock.ok) return lock
    try {
      return await new Indexing(target.value, kind, context, embeddings.value).run()
    } finally {
      await lock.value.release()
    }
  },
})

export const indexMarkdownDocs = indexer(MARKDOWN)
export const indexCode = indexer(CODE)

interface Target {
  readonly directory: ResolvedPath
  readonly index: string
  /** Path of the index. */
  readonly indexPath: ResolvedPath
  readonly description: string | undefined
}

const targetOf = ({ root: path, index, description }: Input, kind: DocumentKind, context: BuiltinContext): Result<Target> => {
  const directory = directoryOf(path, context)
  if (!directory.ok) return directory
  const name = checkName(index ?? nameFor(directory.value.resolved.shown))
  if (!name.ok) return name
  const resolved = indexFileOf(kind, name.value, context, directory.value.root, 'write')
  return resolved.ok
    ? succeed({ directory: directory.value.resolved, index: name.value, indexPath: resolved.value, description })
    : resolved
}

/** Resolves a directory with the name of its root. The name of a root stands for the root, unless a directory has that name. */
const directoryOf = (path: string, context: BuiltinContext): Result<{ readonly resolved: ResolvedPath; readonly root: string }> => {
  const names = [...context.roots.keys()]
  const first = names[0] ?? ''
  const asPath = resolvePath(path, 'list', context)
  const isName = !asPath.ok && context.roots.has(path)
  const resolved = isName ? resolvePath('.', 'list', context, path) : asPath
  if (!resolved.ok) return resolved
  const root = isName ? path : (names.find((name) => resolvePath(path, 'list', context, name).ok && path.startsWith('/')) ?? first)
  return succeed({ resolved: resolved.value, root })
}

const MAX_ENDINGS = 8

/** Explains an empty index by the kinds of files that were found instead. */
const nothingFound = ({ what, endings }: DocumentKind, others: UpdateSummary['others']): string => {
  const seen = [...others]
    .sort(([, a], [, b]) => b - a)
    .map(([ending, count]) => `${count} ${ending === '' ? 'without an ending' : preview(ending)}`)
  const more = seen.length > MAX_ENDINGS ? ` and ${seen.length - MAX_ENDINGS} other endings` : ''
  const found =
    seen.length === 0 ? 'there are no files at all, or .gitignore names them' : `there are ${seen.slice(0, MAX_ENDINGS).join(', ')}${more}`
  return `no ${what} are here (${endings}); ${found}`
}

class Indexing {
  constructor(
    private readonly target: Target,
    private readonly kind: DocumentKind,
    private readonly context: BuiltinContext,
    private readonly embeddings: Embeddings | undefined,
  ) {}

  async run(): ReturnType<Builtin['run']> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.#once()
      if (result.ok || result.error.error !== 'file_changed' || attempt === ATTEMPTS) return result
    }
  }

  async #once(): ReturnType<Builtin['run']> {
    const { indexPath, directory } = this.target
    const stored = await loadIndex(indexPath)
    if (!stored.ok && stored.error.error !== 'no_such_file') return stored
    const old = stored.ok ? stored.value : { database: undefined, stamp: 'absent' as const }
    const database = old.database ?? (await emptyContents(this.kind))
    try {
      const { context } = this
      const done = await updateIndex(database, directory, this.kind, context)
      if (!done) return fail('cancelled', `the index '${this.target.index}' was cancelled before it was done; it is unchanged`)
      return await this.#keep(database, old.stamp, done, stored.ok && !old.database)
    } finally {
      database.close()
    }
  }

  async #keep(database: SqliteDatabase, stamp: ExpectedFile, done: UpdateSummary, wasDamaged: boolean): ReturnType<Builtin['run']> {
    const { indexPath, index, directory, description } = this.target
    const isOther = readAbout(database, 'folder') !== directory.shown
    setAbout(database, 'folder', directory.shown)
    if (description !== undefined) setAbout(database, 'description', description)
    if (stamp === 'absent') await this.#hideFromGit()
    let current: ExpectedFile = stamp
    const keep = async (): Promise<Result<void>> => {
      const written = await writeIndex(indexPath, database, current)
      if (!written.ok) return written
      current = written.value
      return succeed(undefined)
    }
    // Saved before embedding, so that full-text search works even if the endpoint fails.
    const isNews = isOther || description !== undefined || done.added + done.changed + done.removed + done.restamped > 0
    const kept = isNews || stamp === 'absent' || wasDamaged ? await keep() : succeed(undefined)
    if (!kept.ok) return kept
    const note = await this.#embed(database, keep)
    if (!note.ok) return note
    const { files, chunks } = countContents(database)
    const { added, changed, removed, unchanged, skipped, reasons } = done
    const counts = { files, chunks, added, changed, removed, unchanged, skipped }
    const notes = [
      ...(files === 0 ? [nothingFound(this.kind, done.others)] : []),
      ...(wasDamaged ? ['the index that was there could not be used and was made again'] : []),
      note.value,
    ]
    return succeed({
      index,
      path: indexPath.shown,
      ...counts,
      ...(reasons.length > 0 ? { left_out: reasons } : {}),
      note: notes.join('; '),
    })
  }

  async #embed(database: SqliteDatabase, keep: () => Promise<Result<void>>): Promise<Result<string>> {
    if (!this.embeddings) return succeed(NO_ENDPOINT)
    const missing = countContents(database)
    if (missing.vectors === missing.chunks && readAbout(database, 'model') === this.embeddings.model)
      return succeed('full text and vectors')
    const failed = await embedMissing(database, this.embeddings, this.context.call, keep)
    if (!failed.ok) return failed
    const kept = await keep()
    if (!kept.ok) return kept
    const { vectors, chunks } = countContents(database)
    if (!failed.value) return succeed('full text and vectors')
    return succeed(`${vectors} of ${chunks} pieces have vectors; index again for the rest: ${failed.value.detail}`)
  }

  /** The index is derived data and need not be committed. */
  async #hideFromGit(): Promise<void> {
    const { indexPath } = this.target
    await writeFileAtomically({ ...indexPath, name: '.gitignore', shown: `${this.kind.directory}/.gitignore` }, Buffer.from('*\n'), {
      expect: 'absent',
    })
  }
}
