// The folders of skills that a path names: on disk, or as a parent handed them over. It reads the files, and not what is in them.

import { isUtf8 } from 'node:buffer'
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { findLinkStat, findRealPath, whySecret } from '@plumb/sandbox'
import { fail, isRecord, parseJson, preview, type Result, sha256Of, succeed, systemReason } from '@plumb/wire'

export const SKILL_FILE = 'SKILL.md'

export interface SkillFolder {
  /** Its own name, which is the skill's by custom. */
  readonly name: string
  /** As errors show it: behind the path that was named. */
  readonly shown: string
  /** Its real path: one that is reached twice is one folder. */
  readonly at: string
  /** Undefined: they are on disk, below `at`. */
  readonly handed?: HandedFiles
}

/** By relative path; null: it is not UTF-8 text. */
type HandedFiles = Readonly<Record<string, string | null>>

const MAX_ENTRIES = 10_000
const MAX_DEPTH = 16
/** Of one file. */
export const MAX_SKILL_BYTES = 16 * 1024 * 1024
/** Of all that is handed over for one path. */
const MAX_HANDED = 64 * 1024 * 1024

/** The folder itself, or else the folders in it, that have a SKILL.md; in the order of their names by bytes. Other entries are passed over. */
export const skillFoldersAt = (path: string, shown: string): Result<readonly SkillFolder[]> => {
  const at = findRealPath(path)
  if (at === undefined) return fail('file_not_found', 'there is no such folder')
  if (isThere(join(at, SKILL_FILE))) return succeed([{ name: basename(at), shown, at }])
  const names = entriesOf(at)
  if (!names.ok) return names
  const folders = names.value.filter((entry) => entry.isDirectory() && isThere(join(at, entry.name, SKILL_FILE)))
  if (folders.length === 0) return fail('file_not_found', whyNone(linkedSkillsAt(path), misspelt(at, names.value)))
  const found = folders.map(({ name }) => ({ name, shown: join(shown, name), at: join(at, name) }))
  return succeed(found.sort((a, b) => byBytes(a.name, b.name)))
}

const whyNone = ([link]: readonly LinkedSkill[], other: string | undefined): string => {
  if (link !== undefined)
    return `no folder in it has a ${SKILL_FILE}, but the link '${preview(link.name)}' leads to one: name where it leads`
  const none = `neither it nor a folder in it has a ${SKILL_FILE}`
  return other === undefined ? none : `${none}, but there is '${preview(other)}': give it that name`
}

/** A file that has the name in other letters, in the folder or in one of its own. */
const misspelt = (at: string, entries: readonly Dirent[]): string | undefined => {
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  for (const folder of ['', ...folders]) {
    const inside = folder === '' ? succeed(entries) : entriesOf(join(at, folder))
    const found = inside.ok ? inside.value.find((entry) => entry.isFile() && /^skills?\.md$/i.test(entry.name)) : undefined
    if (found) return join(folder, found.name)
  }
  return undefined
}

export interface LinkedSkill {
  readonly name: string
  /** The real path that it leads to. */
  readonly at: string
}

/** The links at a path that lead to skills: they are passed over, for what they lead to may be anybody's. */
export const linkedSkillsAt = (path: string): readonly LinkedSkill[] => {
  const at = findRealPath(path)
  if (at === undefined || isThere(join(at, SKILL_FILE))) return []
  const names = entriesOf(at)
  const links = names.ok ? names.value.filter((entry) => entry.isSymbolicLink()) : []
  return links.flatMap(({ name }) => {
    const real = findRealPath(join(at, name))
    return real !== undefined && isThere(join(real, SKILL_FILE)) ? [{ name, at: real }] : []
  })
}

export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

// A link to it is found too, so that reading it is an error, and not in silence another thing than what the user sees.
const isThere = (path: string): boolean => findLinkStat(path)?.isDirectory() === false

const entriesOf = (directory: string) => {
  try {
    return succeed(readdirSync(directory, { withFileTypes: true }))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail(
      'file_not_found',
      code === 'ENOTDIR' ? 'it is not a folder: name the one that holds it' : systemReason(error as NodeJS.ErrnoException),
    )
  }
}

/**
 * The paths of the files beside its SKILL.md, in the order of bytes; without links, files of keys, what git keeps, and names that a list with
 * one of them a line cannot hold.
 */
export const filesBeside = ({ at, handed }: SkillFolder): Result<readonly string[]> => {
  const all = handed ? succeed(Object.keys(handed)) : filesBelow(at)
  return all.ok ? succeed(all.value.filter((file) => file !== SKILL_FILE).sort(byBytes)) : all
}

const UNLISTED = /[\p{Cc}\u2028\u2029\ufffd]/u

const filesBelow = (root: string): Result<readonly string[]> => {
  const files: string[] = []
  const open = [{ path: '', depth: 0 }]
  let count = 0
  for (const { path, depth } of open) {
    const entries = entriesOf(join(root, path))
    if (!entries.ok) continue
    for (const entry of entries.value) {
      if (++count > MAX_ENTRIES) return fail('too_large', `it holds more than ${MAX_ENTRIES} files and folders`)
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (whySecret(below.split('/')) !== undefined || UNLISTED.test(entry.name)) continue
      if (entry.isFile()) files.push(below)
      else if (entry.isDirectory() && entry.name !== '.git' && depth < MAX_DEPTH) open.push({ path: below, depth: depth + 1 })
    }
  }
  return succeed(files)
}

/** The bytes of a file on disk, through no link. */
export const bytesOf = (path: string): Result<Buffer> => {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = fstatSync(fd)
    if (!stat.isFile()) return fail('file_not_found', 'it is not a regular file')
    if (stat.size > MAX_SKILL_BYTES) return fail('too_large', `it is larger than ${MAX_SKILL_BYTES} bytes`)
    return succeed(readFileSync(fd))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail('file_not_found', code === 'ELOOP' ? 'it is a link, and skills are read through none' : reasonOf(code, error))
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const reasonOf = (code: string | undefined, error: unknown): string =>
  code === 'ENOENT' ? 'no such file' : systemReason(error as NodeJS.ErrnoException)

/** What a machine gets that has none of these files. */
export const packFolders = (folders: readonly SkillFolder[]): Result<string> => {
  let bytes = 0
  const packed: SkillFolder[] = []
  for (const { name, shown, at } of folders) {
    const beside = filesBeside({ name, shown, at })
    if (!beside.ok) return beside
    const handed: Record<string, string | null> = Object.create(null)
    for (const file of [SKILL_FILE, ...beside.value]) {
      const read = bytesOf(join(at, file))
      const text = read.ok && isUtf8(read.value) ? read.value.toString() : null
      bytes += text === null ? 0 : Buffer.byteLength(text)
      if (bytes > MAX_HANDED) return fail('too_large', `'${preview(shown)}' and what is beside it have more than ${MAX_HANDED} bytes`)
      handed[file] = text
    }
    packed.push({ name, shown, at, handed })
  }
  return succeed(JSON.stringify(packed))
}

/** Reads what `packFolders` made. */
export const unpackFolders = (text: string): Result<readonly SkillFolder[]> => {
  const bytes = Buffer.from(text)
  const read = parseJson(bytes, 0, bytes.length)
  const isFolder = (one: unknown): one is SkillFolder =>
    isRecord(one) && ['name', 'shown', 'at'].every((key) => typeof one[key] === 'string') && isRecord(one.handed)
  const folders = read.ok ? read.value : undefined
  if (Array.isArray(folders) && folders.every(isFolder)) return succeed(folders)
  return fail('fd_invalid', 'the skills that were handed over cannot be read')
}

/** All files of the skills at a path, below the path as it is written; none if it has no skills. */
export const filesOfSkillsAt = (path: string): readonly string[] => {
  const folders = skillFoldersAt(path, path)
  if (!folders.ok) return []
  return folders.value.flatMap((folder) => {
    const beside = filesBeside(folder)
    return [SKILL_FILE, ...(beside.ok ? beside.value : [])].map((file) => join(folder.shown, file))
  })
}

/** Of what the skills at a path say and hold. Undefined: there are none. */
export const digestOfSkills = (path: string): string | undefined => {
  const files = filesOfSkillsAt(path)
  if (files.length === 0) return undefined
  const digests = files.map((file) => {
    const bytes = bytesOf(file)
    return [relative(path, file), bytes.ok ? sha256Of(bytes.value) : null]
  })
  return sha256Of(JSON.stringify(digests))
}
