// The tables of an index: files with their checksums, chunks, and a full-text index of the chunks.

import { HEADING_SEPARATOR } from './chunk.js'
import type { DocumentKind } from './document-kind.js'
import { SqliteDatabase } from './sqlite.js'

/** 'plmb' */
const APPLICATION_ID = 0x706c_6d62
/** Version of the tables, the chunking and the tokenizing: an index of another version is rebuilt. */
const VERSION = 3

const schema = ({ tokenizer }: DocumentKind): string => `
  create table about(key text primary key, value text not null) without rowid;
  create table file(id integer primary key, path text not null unique, sha256 text not null, stamp text not null);
  create table chunk(
    id integer primary key, file integer not null, start_line integer not null, end_line integer not null,
    heading text not null, text text not null, vector blob
  );
  create index chunk_of_file on chunk(file);
  create virtual table words using fts5(text, heading, above, path, content='', contentless_delete=1, tokenize='${tokenizer}');
  insert into words(words, rank) values ('hashsize', 16777216);
  pragma application_id = ${APPLICATION_ID};
  pragma user_version = ${VERSION};
`

export const emptyContents = async (kind: DocumentKind): Promise<SqliteDatabase> => {
  const database = await SqliteDatabase.open()
  database.script(schema(kind))
  return database
}

/** Undefined if the bytes are damaged, of another version, or no index at all. */
export const openContents = async (bytes: Uint8Array): Promise<SqliteDatabase | undefined> => {
  const database = await SqliteDatabase.open(bytes).catch(() => undefined)
  try {
    const isOurs = database?.row('pragma application_id')?.[0] === APPLICATION_ID && database.row('pragma user_version')?.[0] === VERSION
    if (isOurs) return database
  } catch {
    // Damaged.
  }
  database?.close()
  return undefined
}

export interface IndexedFile {
  readonly id: number
  readonly sha256: string
  /** Identity and times of the file; empty if it had just been written, so that times cannot tell whether it changes again. */
  readonly stamp: string
}

export const filesOf = (database: SqliteDatabase): Map<string, IndexedFile> => {
  const files = new Map<string, IndexedFile>()
  for (const [id, path, sha256, stamp] of database.rows('select id, path, sha256, stamp from file'))
    files.set(String(path), { id: Number(id), sha256: String(sha256), stamp: String(stamp) })
  return files
}

export const addIndexedFile = (
  database: SqliteDatabase,
  kind: DocumentKind,
  path: string,
  file: Omit<IndexedFile, 'id'> & { readonly text: string },
): void => {
  const wordsOf = (text: string): string => kind.words(text).join(' ')
  const words = wordsOf(path)
  database.run('insert into file(path, sha256, stamp) values (?, ?, ?)', [path, file.sha256, file.stamp])
  const [id] = database.row('select last_insert_rowid()') ?? []
  for (const { startLine, endLine, heading, text } of kind.chunk(file.text)) {
    const [own = '', ...above] = heading.split(HEADING_SEPARATOR).reverse()
    const row = [Number(id), startLine, endLine, heading, text]
    database.run('insert into chunk(file, start_line, end_line, heading, text) values (?, ?, ?, ?, ?)', row)
    database.run('insert into words(rowid, text, heading, above, path) values (last_insert_rowid(), ?, ?, ?, ?)', [
      wordsOf(text),
      wordsOf(own),
      wordsOf(above.join(' ')),
      words,
    ])
  }
}

export const removeIndexedFile = (database: SqliteDatabase, { id }: IndexedFile): void => {
  database.run('delete from words where rowid in (select id from chunk where file = ?)', [id])
  database.run('delete from chunk where file = ?', [id])
  database.run('delete from file where id = ?', [id])
}

export const setStamp = (database: SqliteDatabase, { id }: IndexedFile, stamp: string): void =>
  database.run('update file set stamp = ? where id = ?', [stamp, id])

/** Metadata of the index: `folder`, `description`, `model`. */
export const readAbout = (database: SqliteDatabase, key: string): string => {
  const [value = ''] = database.row('select value from about where key = ?', [key]) ?? []
  return String(value)
}

export const setAbout = (database: SqliteDatabase, key: string, value: string): void =>
  database.run('insert or replace into about values (?, ?)', [key, value])

export const countContents = (database: SqliteDatabase): { readonly files: number; readonly chunks: number; readonly vectors: number } => {
  const [files, chunks, vectors] = database.row('select (select count(*) from file), count(*), count(vector) from chunk') ?? []
  return { files: Number(files), chunks: Number(chunks), vectors: Number(vectors) }
}
