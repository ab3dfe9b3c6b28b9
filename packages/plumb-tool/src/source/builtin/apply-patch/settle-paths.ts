// Decides which paths the sections of a patch mean: without quotes around them, and below the directory that its here-document goes to.

import { statSync } from 'node:fs'
import { absolutePath, resolvePath } from '@plumb/sandbox'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { CallRecord } from '../../../call/call.js'
import type { BuiltinContext } from '../builtin.js'
import { parsePatch } from './parse-patch.js'
import type { Section } from './patch.js'

interface PatchInput {
  readonly patch: string
  readonly root?: string
}

/** Decided once for a call, so that what a policy has permitted is what is changed. */
const settled = new WeakMap<CallRecord, { readonly input: PatchInput; readonly sections: Result<readonly Section[]> }>()

/** The sections with the paths that are meant. */
export const readSections = (input: PatchInput, context: BuiltinContext): Result<readonly Section[]> => {
  const known = settled.get(context.call.record)
  if (known?.input.patch === input.patch && known.input.root === input.root) return known.sections
  const parsed = parsePatch(input.patch)
  const sections = parsed.ok ? settle(parsed.value, input.root, context) : parsed
  settled.set(context.call.record, { input, sections })
  return sections
}

/** The path that is meant by one that may be in quotes. */
export const settlePath = (path: string, root: string | undefined, context: BuiltinContext): string =>
  isThere(path, root, context) ? path : bare(path)

const settle = (sections: readonly Section[], root: string | undefined, context: BuiltinContext): Result<readonly Section[]> => {
  const [first] = sections
  const directory = first?.directory
  const below = directory === undefined ? succeed('') : prefixOf(directory, sections, root, context)
  if (!below.ok) return below
  const toPath = (path: string): string => {
    const plain = settlePath(path, root, context)
    return plain.startsWith('/') || below.value === '' ? plain : settlePath(`${below.value}${bare(path)}`, root, context)
  }
  return succeed(
    sections.map((section) =>
      section.kind === 'update' && section.moveTo !== undefined
        ? { ...section, path: toPath(section.path), moveTo: toPath(section.moveTo) }
        : { ...section, path: toPath(section.path) },
    ),
  )
}

// A directory that is not there is the caller's idea of where it stands: the paths may still be there as they are.
const prefixOf = (directory: string, sections: readonly Section[], root: string | undefined, context: BuiltinContext): Result<string> => {
  const resolved = resolvePath(directory, 'list', context, root)
  if (resolved.ok && isDirectoryNow(absolutePath(resolved.value))) return succeed(`${directory.replace(/\/+$/, '')}/`)
  const old = sections.filter(({ kind }) => kind !== 'add')
  const isElsewhere = resolved.ok || resolved.error.error !== 'no_such_file'
  if (!isElsewhere && old.length > 0 && old.every(({ path }) => isThere(settlePath(path, root, context), root, context))) return succeed('')
  return resolved.ok ? fail('no_such_file', `'${preview(directory, 200)}', where the patch goes first, is not a directory`) : resolved
}

const isThere = (path: string, root: string | undefined, context: BuiltinContext): boolean => {
  const resolved = resolvePath(path, 'write', context, root)
  return resolved.ok ? resolved.value.exists : resolved.error.error !== 'no_such_file'
}

/** Without quotes around it, or what closes a decorated marker. */
const bare = (path: string): string => path.replace(/ \*{3}$/, '').replace(/^(["'`])(.+)\1$/, '$2')

const isDirectoryNow = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
