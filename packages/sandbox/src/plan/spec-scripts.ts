// Scripts that the command line of a spec names, as in `node /srv/notes/dist/index.js`: they are the program as much as its interpreter is.

import { dirname, extname, resolve } from 'node:path'
import { findStat, firstLineOf } from '../path/look-up.js'
import { listProgramPaths } from './installation.js'

/** Files that an interpreter runs, by their endings; others have `#!`. */
const ENDINGS: ReadonlySet<string> = new Set([
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.cts',
  '.py',
  '.pyz',
  '.rb',
  '.pl',
  '.php',
  '.sh',
  '.lua',
  '.jar',
  '.jl',
  '.R',
  '.tcl',
  '.exs',
])

/** Files that programs keep data in and no interpreter runs: a database or a log named on a command line is there to be written. */
const DATA_ENDINGS: ReadonlySet<string> = new Set([
  ...['.db', '.db3', '.sqlite', '.sqlite3', '.duckdb', '.parquet'],
  ...['.csv', '.tsv', '.jsonl', '.ndjson', '.log'],
])

/** For each script among the words: it, its directory, and what it is installed in. Words of a call, which a model may write, do not belong here. */
export const listScriptPaths = (words: readonly string[], cwd: string, docroot: string): readonly string[] =>
  words
    .filter((word) => word.includes('/') && !word.startsWith('-') && !word.includes('://'))
    .map((word) => resolve(cwd, word))
    .filter(isScript)
    .flatMap((file) => [dirname(file), ...listProgramPaths(file, docroot)])

/** By its ending, whether it is there or not. */
export const isScriptName = (file: string): boolean => ENDINGS.has(extname(file))

/** By its ending. */
export const isDataName = (file: string): boolean => DATA_ENDINGS.has(extname(file))

const isScript = (file: string): boolean =>
  findStat(file)?.isFile() === true && (isScriptName(file) || firstLineOf(file)?.startsWith('#!') === true)
