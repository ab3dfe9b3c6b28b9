// Plans the changes of a patch, file by file, before anything is written.

import { dirname } from 'node:path'
import {
  absolutePath,
  type ExpectedFile,
  type FileStamp,
  pathDenied,
  type ResolvedPath,
  resolvePath,
  whyTogetherForbidden,
} from '@plumb/sandbox'
import { fail, preview, type Result, sha256Of, succeed } from '@plumb/wire'
import type { BuiltinContext } from '../builtin.js'
import { asTextFile, encodeText, readWholeFile, type WholeFile } from '../file/text-file.js'
import { applyHunks, type LineEdit } from './apply-hunks.js'
import { toDiff } from './diff.js'
import { joinLines, splitLines, type TextLine } from './lines.js'
import type { MatchLevel } from './match-lines.js'
import type { Hunk, Section } from './patch.js'

/** One file created, replaced or removed. */
export type FileChange =
  | {
      readonly kind: 'write'
      readonly path: ResolvedPath
      readonly bytes: Uint8Array
      readonly expect: ExpectedFile
      /** Mode of a moved file. */
      readonly mode?: number
    }
  | { readonly kind: 'remove'; readonly path: ResolvedPath; readonly expect: FileStamp }

/** The result of one section. */
export interface PatchSummary {
  readonly path: string
  readonly operation: 'add' | 'update' | 'move' | 'delete'
  readonly to?: string
  readonly added: number
  readonly removed: number
  readonly hunks: number
  readonly matched?: MatchLevel
  readonly sha256?: string
}

export interface Planned {
  readonly changes: readonly FileChange[]
  readonly summary: PatchSummary
  readonly diff: string
}

/** The context in which paths are resolved, and the expected checksums. */
export interface PlanOptions {
  readonly context: BuiltinContext
  readonly root?: string
  /** By path as written in the patch. */
  readonly sums: ReadonlyMap<string, string>
}

export const planSections = async (sections: readonly Section[], options: PlanOptions): Promise<Result<readonly Planned[]>> => {
  const clash = findClash(claimsOf(sections, options))
  if (clash) return clash
  const planned: Planned[] = []
  for (const section of sections) {
    const plan = await planSection(section, options)
    if (!plan.ok) return { ok: false, error: { ...plan.error, section: section.line } }
    planned.push(plan.value)
  }
  return refuseRepository(planned)
}

/** A path that a section changes. */
interface Claim {
  readonly path: string
  readonly shown: string
  readonly line: number
}

// A path that is refused has none: its section is refused when it is planned.
const claimsOf = (sections: readonly Section[], { context, root }: PlanOptions): readonly Claim[] =>
  sections.flatMap((section) => {
    const paths = section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
    return paths.flatMap((path) => {
      const resolved = resolvePath(path, 'write', context, root)
      return resolved.ok ? [{ path: absolutePath(resolved.value), shown: resolved.value.shown, line: section.line }] : []
    })
  })

// Two sections for one path, or for a file and one below it. A move to itself is refused when it is planned.
const findClash = (claims: readonly Claim[]): ReturnType<typeof fail> | undefined => {
  const taken = new Map<string, Claim>()
  for (const claim of claims) {
    const first = taken.get(claim.path)
    if (first && first.line !== claim.line) return refuseTwice(claim, first)
    taken.set(claim.path, claim)
  }
  for (const claim of claims) {
    for (let above = dirname(claim.path); above !== dirname(above); above = dirname(above)) {
      const outer = taken.get(above)
      if (outer) return refuseBelow(claim, outer)
    }
  }
  return undefined
}

// Several files that are harmless by themselves could make a git repository together.
const refuseRepository = (planned: readonly Planned[]): Result<readonly Planned[]> => {
  const written = planned.flatMap(({ changes }) => changes.flatMap((change) => (change.kind === 'write' ? [change.path] : [])))
  const [first] = written
  const why = first && whyTogetherForbidden(first.root, written.map(absolutePath))
  return first && why !== undefined ? pathDenied(first.shown, why) : succeed(planned)
}

const planSection = (section: Section, options: PlanOptions): Promise<Result<Planned>> => {
  switch (section.kind) {
    case 'add':
      return planAdd(section, options)
    case 'delete':
      return planDelete(section, options)
    case 'update':
      return planUpdate(section, options)
  }
}

const planAdd = async ({ path, lines, isOpen }: Section & { kind: 'add' }, { context, root }: PlanOptions): Promise<Result<Planned>> => {
  const resolved = resolvePath(path, 'write', context, root)
  if (!resolved.ok) return resolved
  const { shown } = resolved.value
  if (resolved.value.exists) return refuseExisting(shown, 'to change it, write *** Update File')
  const added = lines.map((text, i): TextLine => ({ text, end: isOpen && i === lines.length - 1 ? '' : '\n' }))
  const bytes = encodeText(joinLines(added), shown)
  if (!bytes.ok) return bytes
  return succeed({
    changes: [{ kind: 'write', path: resolved.value, bytes: bytes.value, expect: 'absent' }],
    summary: { path: shown, operation: 'add', added: added.length, removed: 0, hunks: 0, sha256: sha256Of(bytes.value) },
    diff: toDiff('/dev/null', shown, [], added, { edits: added.length > 0 ? [{ from: 0, removed: [], added }] : [], marks: 'none' }),
  })
}

const planDelete = async ({ path }: Section & { kind: 'delete' }, options: PlanOptions): Promise<Result<Planned>> => {
  const old = await readOld(path, options, true)
  if (!old.ok) return old
  const { resolved, file } = old.value
  const { shown } = resolved
  const text = asTextFile(file, shown)
  const lines = text.ok ? splitLines(text.value.text) : []
  const edits = lines.length > 0 ? [{ from: 0, removed: lines, added: [] }] : []
  return succeed({
    changes: [{ kind: 'remove', path: resolved, expect: file.stamp }],
    summary: { path: shown, operation: 'delete', added: 0, removed: lines.length, hunks: 0 },
    diff: text.ok
      ? toDiff(shown, '/dev/null', lines, [], { edits, marks: text.value.hasMark ? 'before' : 'none' })
      : `Binary file ${shown} deleted`,
  })
}

const planUpdate = async ({ path, moveTo, hunks }: Section & { kind: 'update' }, options: PlanOptions): Promise<Result<Planned>> => {
  const old = await readOld(path, options, moveTo !== undefined)
  if (!old.ok) return old
  const { resolved, file } = old.value
  const to = moveTo === undefined ? succeed(resolved) : resolveFree(moveTo, absolutePath(resolved), options)
  if (!to.ok) return to
  // A file that is only moved may be binary.
  const updated =
    hunks.length === 0
      ? succeed(moveUnchanged(file, resolved.shown, to.value.shown))
      : updateText(file, resolved.shown, to.value.shown, hunks)
  if (!updated.ok) return updated
  const { bytes, diff, counts } = updated.value
  if (moveTo === undefined && bytes.equals(file.bytes)) return refuseNothing(resolved.shown)
  const summary = { ...counts, hunks: hunks.length, sha256: sha256Of(bytes) }
  if (moveTo === undefined) {
    const change: FileChange = { kind: 'write', path: resolved, bytes, expect: file.stamp }
    return succeed({ changes: [change], summary: { path: resolved.shown, operation: 'update', ...summary }, diff })
  }
  const changes: FileChange[] = [
    { kind: 'write', path: to.value, bytes, expect: 'absent', mode: file.mode },
    { kind: 'remove', path: resolved, expect: file.stamp },
  ]
  return succeed({ changes, summary: { path: resolved.shown, operation: 'move', to: to.value.shown, ...summary }, diff })
}

interface Updated {
  readonly bytes: Buffer
  readonly diff: string
  readonly counts: Pick<PatchSummary, 'added' | 'removed' | 'matched'>
}

const moveUnchanged = ({ bytes }: WholeFile, from: string, to: string): Updated => ({
  bytes,
  diff: `rename from ${from}\nrename to ${to}`,
  counts: { added: 0, removed: 0 },
})

const updateText = (file: WholeFile, from: string, to: string, hunks: readonly Hunk[]): Result<Updated> => {
  const text = asTextFile(file, from)
  if (!text.ok) return text
  const before = splitLines(text.value.text)
  const applied = applyHunks(from, before, text.value.hasMark ? hunks.map(withoutMark) : hunks)
  if (!applied.ok) return applied
  const { lines, edits, rung } = applied.value
  const bytes = encodeText(joinLines(lines), from, text.value)
  if (!bytes.ok) return bytes
  const diff = toDiff(from, to, before, lines, { edits, marks: text.value.hasMark ? 'both' : 'none' })
  return succeed({ bytes: bytes.value, diff, counts: { ...countLines(edits), matched: rung } })
}

// The byte-order mark that `read_file` gives is not part of the first line.
const withoutMark = (hunk: Hunk): Hunk => {
  const plain = (text: string): string => text.replace(/^\ufeff/, '')
  const first = [hunk.lines.findIndex(({ sign }) => sign !== '+'), hunk.lines.findIndex(({ sign }) => sign === '+')]
  const lines = hunk.lines.map((line, i) => (first.includes(i) ? { ...line, text: plain(line.text) } : line))
  return { ...hunk, anchors: hunk.anchors.map(plain), lines }
}

const resolveFree = (path: string, from: string, { context, root }: PlanOptions): Result<ResolvedPath> => {
  const resolved = resolvePath(path, 'write', context, root)
  if (!resolved.ok || !resolved.value.exists) return resolved
  const isItself = absolutePath(resolved.value) === from
  return refuseExisting(
    resolved.value.shown,
    isItself ? "it is the file that is to move: leave '*** Move to:' out, or name another path" : 'move it to another path',
  )
}

const readOld = async (
  path: string,
  { context, root, sums }: PlanOptions,
  isTakenAway: boolean,
): Promise<Result<{ resolved: ResolvedPath; file: WholeFile }>> => {
  const resolved = resolvePath(path, 'edit', context, root)
  if (!resolved.ok) return resolved
  const { shown } = resolved.value
  const itself = isTakenAway ? resolvePath(path, 'remove', context, root) : resolved
  if (itself.ok && absolutePath(itself.value) !== absolutePath(resolved.value))
    return pathDenied(path, `it is a link to '${preview(shown, 200)}': name that`)
  const file = await readWholeFile(resolved.value, sums.get(path))
  return file.ok ? succeed({ resolved: resolved.value, file: file.value }) : file
}

const countLines = (edits: readonly LineEdit[]): { added: number; removed: number } => ({
  added: edits.reduce((sum, { added }) => sum + added.length, 0),
  removed: edits.reduce((sum, { removed }) => sum + removed.length, 0),
})

const refuseExisting = (shown: string, remedy: string): ReturnType<typeof fail> =>
  fail('file_exists', `'${preview(shown, 200)}' exists already: ${remedy}`, { path: preview(shown, 200) })

const refuseNothing = (shown: string): ReturnType<typeof fail> =>
  fail('patch_invalid', `the update of '${preview(shown, 200)}' changes nothing: the lines that come are those that go`, {
    path: preview(shown, 200),
  })

const refuseTwice = ({ shown, line }: Claim, first: Claim): ReturnType<typeof fail> =>
  fail(
    'patch_invalid',
    `'${preview(shown, 200)}' is changed by two sections, on lines ${first.line} and ${line}: make them one; ` +
      "to rewrite a whole file, one '*** Update File' takes its old lines away and puts the new ones in",
    { path: preview(shown, 200), line, section: line },
  )

const refuseBelow = ({ shown, line }: Claim, outer: Claim): ReturnType<typeof fail> =>
  fail(
    'patch_invalid',
    `'${preview(shown, 200)}', on line ${line}, would be below '${preview(outer.shown, 200)}', which is a file by line ${outer.line}: ` +
      'give one of them another path',
    { path: preview(shown, 200), line, section: line },
  )
