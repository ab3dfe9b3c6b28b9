// The files of an explicit docroot: listed page by page, read whole, without those that are closed to tools.

import { isUtf8 } from 'node:buffer'
import { extname } from 'node:path'
import { permit } from '@plumb/policy'
import { absolutePath, openFile, type ResolvedPath, resolvePath, systemFault, walkFiles, whyKeptFromReaders } from '@plumb/sandbox'
import { fail, type Result, succeed } from '@plumb/wire'
import type { ServerAuthority } from '../grant.js'
import type { ResourceBlob, ResourceText } from '../tools/answer.js'
import { pathOfUri, toUri } from './uri.js'

export interface ResourceFile {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string
}

export interface ResourceFiles {
  /** Absolute. */
  readonly docroot: string
  /** Those after the path `after`, in order, `most` of them; `next` is the path to continue after. */
  list(
    after: string | undefined,
    most: number,
    signal: AbortSignal,
  ): Promise<{ readonly files: readonly ResourceFile[]; readonly next?: string }>
  read(uri: string): Promise<Result<ResourceText | ResourceBlob>>
  /** Paths with this beginning. */
  complete(start: string, most: number, signal: AbortSignal): Promise<readonly string[]>
  /** The path of a resource that may be read, for watchers. */
  locate(uri: string): Result<string>
}

/** Maximum bytes of one resource. */
const MAX_BYTES = 8 * 1024 * 1024

export const openResourceFiles = (docroot: string, authority: ServerAuthority): ResourceFiles => {
  const roots = { roots: new Map([['docroot', docroot]]) }
  const isPermitted = (resolved: ResolvedPath): boolean =>
    permit({ tool: 'resources', effects: ['fs.read'], paths: [absolutePath(resolved)] }, authority, Date.now()).kind === 'allow'
  const isReadable = (resolved: ResolvedPath): boolean => whyKeptFromReaders(resolved) === undefined && isPermitted(resolved)

  async function* readable(signal: AbortSignal): AsyncGenerator<string> {
    const top = resolvePath('.', 'list', roots)
    if (!top.ok) return
    for await (const { file, path } of walkFiles(top.value, signal)) if (isReadable(file)) yield path
  }
  const locate = (uri: string): Result<ResolvedPath> => {
    const path = pathOfUri(uri)
    const resolved = path.ok ? resolvePath(path.value, 'read', roots) : path
    if (!resolved.ok || isPermitted(resolved.value)) return resolved
    return fail('permission_denied', 'the policy does not let this file be read')
  }
  return {
    docroot,
    list: async (after, most, signal) => {
      const files: ResourceFile[] = []
      let last = ''
      for await (const path of readable(signal)) {
        if (after !== undefined && comparePaths(path, after) <= 0) continue
        if (files.length === most) return { files, next: last }
        files.push(resourceOf(docroot, path))
        last = path
      }
      return { files }
    },
    read: async (uri) => {
      const resolved = locate(uri)
      return resolved.ok ? readWhole(uri, resolved.value) : resolved
    },
    complete: async (start, most, signal) => {
      const found: string[] = []
      for await (const path of readable(signal)) {
        if (path.startsWith(start)) found.push(path)
        if (found.length === most) break
      }
      return found
    },
    locate: (uri) => {
      const resolved = locate(uri)
      return resolved.ok ? succeed(absolutePath(resolved.value)) : resolved
    },
  }
}

const resourceOf = (docroot: string, path: string): ResourceFile => {
  const mimeType = mediaTypeByName(path)
  return { uri: toUri(docroot, path), name: path, ...(mimeType === undefined ? {} : { mimeType }) }
}

const readWhole = async (uri: string, resolved: ResolvedPath): Promise<Result<ResourceText | ResourceBlob>> => {
  const opened = await openFile(resolved)
  if (!opened.ok) return opened
  try {
    const { size } = await opened.value.stat()
    if (size > MAX_BYTES) return fail('path_denied', `'${resolved.shown}' has ${size} bytes, and a resource has ${MAX_BYTES} at most`)
    const bytes = Buffer.alloc(size)
    const { bytesRead } = await opened.value.read(bytes, 0, size, 0)
    return succeed(contentOf(uri, resolved.shown, bytes.subarray(0, bytesRead)))
  } catch (error) {
    return systemFault(error, 'read', resolved.shown)
  } finally {
    await opened.value.close()
  }
}

const contentOf = (uri: string, path: string, bytes: Buffer): ResourceText | ResourceBlob => {
  const isText = isUtf8(bytes) && !bytes.includes(0)
  const mimeType = mediaTypeByName(path) ?? (isText ? 'text/plain' : 'application/octet-stream')
  return isText ? { uri, mimeType, text: bytes.toString('utf8') } : { uri, mimeType, blob: bytes.toString('base64') }
}

/** In the order of a walk: directory by directory, by name. */
const comparePaths = (a: string, b: string): number => {
  const [as, bs] = [a.split('/'), b.split('/')]
  for (let i = 0; i < as.length && i < bs.length; i++) {
    const [x, y] = [as[i] as string, bs[i] as string]
    if (x !== y) return x < y ? -1 : 1
  }
  return as.length - bs.length
}

// The media type of a file, by its name.
const TYPES: Readonly<Record<string, string>> = {
  '.c': 'text/x-c',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.py': 'text/x-python',
  '.sh': 'text/x-shellscript',
  '.svg': 'image/svg+xml',
  '.toml': 'application/toml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
}

/** Undefined: unknown. */
const mediaTypeByName = (path: string): string | undefined => TYPES[extname(path).toLowerCase()]
