// Spec texts: found, read once with limits, and handed on whole to the processes that run parts of the same spec.

import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { fault } from '../error.js'
import { describeForeignByte } from '../line/utf8-flaw.js'
import { preview } from '../preview.js'
import { readBytes } from '../read-bytes.js'
import type { Result } from '../result.js'
import { systemReason } from '../system-reason.js'

/** Larger than any spec written by hand. */
const MAX_SPEC_BYTES = 8 * 1024 * 1024

/** Everything that was read, so that a child sees the same text even if a file has changed since. */
export interface Bundle {
  readonly entry: string
  readonly files: { readonly [path: string]: string }
  /** `FROM\u0000NAME` → path, for modules by name. */
  readonly modules: { readonly [fromAndName: string]: string }
  readonly around?: Around
  /** The values of params: JSON text by file and name. */
  readonly params?: { readonly [path: string]: { readonly [name: string]: string } }
}

/** Other files that the tools of a program must not change. Paths are absolute. */
export interface Around {
  /** Texts of the programs that started this one. */
  readonly files: { readonly [path: string]: string }
  /** Files and directories, such as a policy. */
  readonly paths: readonly string[]
  /** What plumb itself writes and believes later: files, and directories with all in them, whether they exist or not. */
  readonly outputs?: readonly string[]
  /** The state of programs when they were loaded, by path. */
  readonly seen?: { readonly [path: string]: string }
}

export interface SourceFiles {
  read(path: string): Result<string>
  find(name: string, from: string): string | undefined
  beside(path: string, from: string): string
  bundle(entry: string): Bundle
}

export interface ReadFilesOptions {
  /** The text of a path, which is read once. */
  readonly readText: (path: string) => Result<string>
  /** Name → text; its files are called `<stdlib>/NAME.plumb`. */
  readonly standardLibrary: Readonly<Record<string, string>>
  /** The path of a module by name that is not in the standard library. */
  readonly locate: (name: string, from: string, read: (path: string) => Result<string>) => string | undefined
  /** Known texts, which are not read: path → text. */
  readonly given?: Readonly<Record<string, string>>
}

/** Records what is read and found, so that it can be handed on. */
export const readFiles = ({ readText, standardLibrary, locate, given }: ReadFilesOptions): SourceFiles => {
  const files: Record<string, string> = Object.assign(Object.create(null), given)
  const modules: Record<string, string> = Object.create(null)
  const read = (path: string): Result<string> => {
    const known = files[path]
    if (known !== undefined) return { ok: true, value: known }
    const text = readText(path)
    if (text.ok) files[path] = text.value
    return text
  }
  const pathOf = (name: string, from: string): string | undefined => {
    if (!Object.hasOwn(standardLibrary, name)) return locate(name, from, read)
    const path = `<stdlib>/${name}.plumb`
    files[path] = standardLibrary[name] ?? ''
    return path
  }
  return {
    read,
    find: (name, from) => {
      const path = pathOf(name, from)
      if (path !== undefined) modules[`${from}\u0000${name}`] = path
      return path
    },
    beside: besideSpec,
    bundle: (entry) => ({ entry, files: { ...files }, modules: { ...modules } }),
  }
}

/** Reads from disk. A module by name is looked up in `standardLibrary`, then beside `from`, then along `directories`. */
export const diskFiles = (directories: readonly string[], standardLibrary: Readonly<Record<string, string>> = {}): SourceFiles =>
  readFiles({
    readText: readSpec,
    standardLibrary,
    locate: (name, from) => [dirname(from), ...directories].map((directory) => join(directory, `${name}.plumb`)).find(isFile),
  })

/** Reads what a parent handed over, and nothing from disk. */
export const bundledFiles = (bundle: Bundle): SourceFiles => ({
  read: (path) => {
    const text = Object.hasOwn(bundle.files, path) ? bundle.files[path] : undefined
    if (text !== undefined) return { ok: true, value: text }
    return { ok: false, error: fault('file_not_found', `the sources handed over hold no '${preview(path)}'`, { path }) }
  },
  find: (name, from) => bundle.modules[`${from}\u0000${name}`],
  beside: besideSpec,
  bundle: () => bundle,
})

/** The same texts, plus one that is not a file: processes that run a part of an inline spec get its text like any other. */
export const withText = (files: SourceFiles, path: string, text: string): SourceFiles => ({
  ...files,
  bundle: (entry) => {
    const bundle = files.bundle(entry)
    return { ...bundle, files: { ...bundle.files, [path]: text } }
  },
})

/** The search path for modules by name: PLUMB_PATH. */
export const searchPath = (): string[] => (process.env.PLUMB_PATH ?? '').split(':').filter((directory) => directory !== '')

/** The same texts, with the values of params. */
export const withParams = (files: SourceFiles, params: NonNullable<Bundle['params']>): SourceFiles => ({
  ...files,
  bundle: (entry) => ({ ...files.bundle(entry), params }),
})

/** The same texts, with more programs around them. */
export const withAround = (files: SourceFiles, around: Partial<Around>): SourceFiles => ({
  ...files,
  bundle: (entry) => {
    const bundle = files.bundle(entry)
    const { around: before } = bundle
    return {
      ...bundle,
      around: {
        files: { ...before?.files, ...around.files },
        paths: [...(before?.paths ?? []), ...(around.paths ?? [])],
        outputs: [...(before?.outputs ?? []), ...(around.outputs ?? [])],
        seen: { ...before?.seen, ...around.seen },
      },
    }
  },
})

/** Resolves a file name in a spec: relative to the spec's own directory. `from`: the path of the spec. */
export const besideSpec = (path: string, from: string): string => (isAbsolute(path) ? path : join(dirname(from), path))

/** The whole text of a spec: UTF-8, a regular file (or a descriptor such as `/dev/fd/63`), at most 8 MiB. */
export const readSpec = (path: string): Result<string> => {
  let fd: number | undefined
  try {
    // Non-blocking, so as not to wait forever for the writer of a FIFO.
    fd = openSync(path, constants.O_RDONLY | (isDescriptor(path) ? 0 : constants.O_NONBLOCK))
    const stat = fstatSync(fd)
    if (stat.isDirectory()) return unreadable(path, 'file_not_found', 'it is a directory')
    if (!stat.isFile() && !isDescriptor(path)) return unreadable(path, 'file_not_found', 'it is not a regular file')
    return textOf(readUpTo(fd, MAX_SPEC_BYTES + 1), path)
  } catch (error) {
    return unreadable(path, 'file_not_found', reasonOf(error))
  } finally {
    if (fd !== undefined) closeQuietly(fd)
  }
}

// Errors on closing lose nothing: it was only read.
const closeQuietly = (fd: number): void => {
  try {
    closeSync(fd)
  } catch {
    // As said.
  }
}

/** A spec from a stream, with the same limits; errors call it `name`. */
export const readSpecFrom = async (stream: Readable, name: string): Promise<Result<string>> => {
  try {
    return textOf(await readBytes(stream, MAX_SPEC_BYTES), name)
  } catch (error) {
    return unreadable(name, 'file_not_found', reasonOf(error))
  }
}

const textOf = (bytes: Buffer, path: string): Result<string> => {
  if (bytes.length > MAX_SPEC_BYTES) return unreadable(path, 'spec_invalid', `it is larger than ${MAX_SPEC_BYTES} bytes`)
  return isUtf8(bytes)
    ? { ok: true, value: bytes.toString('utf8') }
    : unreadable(path, 'spec_invalid', describeForeignByte(bytes, 'it', true))
}

const unreadable = (path: string, code: 'file_not_found' | 'spec_invalid', why: string): Result<string> => ({
  ok: false,
  error: fault(code, `cannot read '${preview(path, 200)}': ${why}`, { path }),
})

const isDescriptor = (path: string): boolean => /^\/(dev\/(fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/.test(resolve(path))

const readUpTo = (fd: number, limit: number): Buffer => {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(65536, limit - total))
    const n = chunk.length === 0 ? 0 : readSync(fd, chunk)
    if (n === 0) return Buffer.concat(chunks, total)
    chunks.push(chunk.subarray(0, n))
    total += n
  }
}

// What cannot be examined, as in a directory without permission, counts as missing.
const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const reasonOf = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'no such file'
  return code === 'EACCES' ? 'permission denied' : systemReason(error as NodeJS.ErrnoException)
}
