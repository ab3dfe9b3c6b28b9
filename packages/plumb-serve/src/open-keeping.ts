// Where runs and conversations are kept beyond the life of the server: in a directory, in PostgreSQL, or nowhere.

import { fail, type Reporter, type Result, succeed } from '@plumb/wire'
import type { Binding } from './binding/binding.js'
import type { ServeOptions } from './options.js'
import { RunDirectory } from './run/run-files.js'
import type { ServiceOptions } from './service.js'

type Keeping = Pick<ServiceOptions, 'store' | 'directory' | 'memoryTables' | 'funds'>

export const openKeeping = async (
  { serve: { record, on, isInsecure }, limits }: ServeOptions,
  bindings: readonly Binding[],
  reporter: Reporter,
): Promise<Result<Keeping>> => {
  if (on === undefined) {
    if (record === undefined) return succeed({ store: undefined, directory: undefined, memoryTables: undefined, funds: undefined })
    const files = RunDirectory.open(record, bindings, (warning) => reporter.warn(warning))
    return files.ok ? succeed({ store: files.value, directory: files.value.directory, memoryTables: undefined, funds: undefined }) : files
  }
  if (record !== undefined) return fail('usage', '--record and --on exclude each other: runs are kept in one place')
  const { RunTables } = await import('./run/run-tables.js')
  const tables = await RunTables.open({ url: on, isInsecure, bindings, limits, reporter })
  if (!tables.ok) return tables
  return succeed({ store: tables.value, directory: undefined, memoryTables: tables.value.tables, funds: tables.value.funds })
}
