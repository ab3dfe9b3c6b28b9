// read_directory: lists names, sorted, one a line; directories end with a slash.

import {
  asDirectory,
  childPath,
  type DirectoryEntry,
  openDirectory,
  type ResolvedPath,
  readEntries,
  resolvePath,
  shownName,
  systemFault,
} from '@plumb/sandbox'
import { type Result, succeed } from '@plumb/wire'
import type { Builtin, BuiltinContext } from '../builtin.js'
import { refuseNonDirectory } from './is-directory.js'
import { namedPath, type PathInput } from './path-input.js'
import { isPermitted } from './permitted-file.js'
import { stoppedNotes } from './stopped-notes.js'

interface Input extends PathInput {
  readonly depth?: number
}

const MAX_NAMES = 10_000

export const readDirectory: Builtin<Input> = {
  paths: namedPath,
  run: async ({ path, depth = 1, root }, context) => {
    const resolved = resolvePath(path, 'list', context, root)
    if (!resolved.ok) return resolved
    const listing: Listing = { names: [], more: 0, unopened: 0 }
    const failure = await list(resolved.value, '', depth, listing, context)
    if (failure) return failure.error.error === 'no_such_file' ? refuseNonDirectory(resolved.value) : failure
    const names = listing.names.sort()
    const more = listing.more + Math.max(0, names.length - MAX_NAMES)
    const notes = [
      ...(more > 0 ? [`[truncated: ${more} more names]`] : []),
      ...(listing.unopened > 0 ? [`[not listed: ${listing.unopened} directories]`] : []),
      ...stoppedNotes(context.call.signal, context.call.record, 'listed', listing.names.length),
    ]
    return succeed([...names.slice(0, MAX_NAMES), ...notes].join('\n'))
  },
}

interface Listing {
  readonly names: string[]
  more: number
  /** Number of directories that could not or may not be opened. */
  unopened: number
}

// Links are listed, not followed.
const list = async (
  resolved: ResolvedPath,
  prefix: string,
  depth: number,
  listing: Listing,
  context: BuiltinContext,
): Promise<Extract<Result<never>, { ok: false }> | undefined> => {
  const inside = asDirectory(resolved)
  const found = await look(inside, context)
  if (!found.ok) return found
  const { entries, more } = found.value
  listing.more += more
  for (const entry of entries) listing.names.push(prefix + shownName(entry))
  if (depth === 1) return undefined
  for (const entry of entries) {
    if (entry.kind !== 'directory') continue
    const directory = childPath(inside, entry.name)
    const isOpen = listing.names.length < MAX_NAMES && !context.call.signal.aborted && isPermitted(directory, context)
    const failure = isOpen ? await list(directory, prefix + shownName(entry), depth - 1, listing, context) : true
    if (failure) listing.unopened++
  }
  return undefined
}

const look = async (
  inside: ResolvedPath,
  { call }: BuiltinContext,
): Promise<Result<{ readonly entries: readonly DirectoryEntry[]; readonly more: number }>> => {
  const directory = await openDirectory(inside)
  if (!directory.ok) return directory
  try {
    return succeed(await readEntries(directory.value, MAX_NAMES, call.signal))
  } catch (error) {
    return systemFault(error, 'list', inside.shown)
  } finally {
    await directory.value.close()
  }
}
