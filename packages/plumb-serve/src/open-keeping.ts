// Where runs and conversations are kept beyond the life of the server: in a directory, in PostgreSQL, or nowhere.

import { type Fault, fail, type Reporter, type Result, succeed } from '@plumb/wire'
import type { Binding } from './binding/binding.js'
import type { ServeOptions } from './options.js'
import { MemoryFiles } from './run/memory-files.js'
import { RunDirectory } from './run/run-files.js'
import type { ServiceOptions } from './service.js'

type Keeping = Pick<ServiceOptions, 'store' | 'memoryFiles' | 'memoryTables' | 'funds'>

export const openKeeping = async (
  { serve: { record, on, isInsecure }, limits }: ServeOptions,
  bindings: readonly Binding[],
  reporter: Reporter,
): Promise<Result<Keeping>> => {
  if (on === undefined) {
    if (record === undefined) return succeed({ store: undefined, memoryFiles: undefined, memoryTables: undefined, funds: undefined })
    const warn = (warning: Fault): void => reporter.warn(warning)
    const runs = RunDirectory.open(record, bindings, warn)
    if (!runs.ok) return runs
    const memoryFiles = new MemoryFiles(runs.value.directory, warn)
    return succeed({ store: runs.value, memoryFiles, memoryTables: undefined, funds: undefined })
  }
  if (record !== undefined) return fail('usage', '--record and --on exclude each other: runs are kept in one place')
  const { RunTables } = await import('./run/run-tables.js')
  const tables = await RunTables.open({ url: on, isInsecure, bindings, limits, reporter })
  if (!tables.ok) return tables
  return succeed({ store: tables.value, memoryFiles: undefined, memoryTables: tables.value.tables, funds: tables.value.funds })
}
