// What a call reaches by what its input says: the paths and hosts that rules of a policy speak of, and the paths it writes.

import { resolve } from 'node:path'
import type { Json } from '@plumb/lang'
import type { JsonText } from '../tool.js'
import type { Call } from './call.js'
import { realPath } from './real-path.js'

export interface Targets {
  /** Absolute, as named and with links resolved, so that a rule may speak of either. Absent: not known. */
  readonly paths?: readonly string[]
  /** In small letters. Absent: not known. */
  readonly hosts?: readonly string[]
  /** Those of the paths that it writes: calls that write the same one wait for each other. */
  readonly written: readonly string[]
}

/** Of an input that fits. Never throws. */
export type TargetsOf = (input: JsonText, call: Call) => Targets

export interface TargetsOptions {
  /** Folders that paths belong to, relative to the docroot: a path is judged below each of them. */
  readonly roots?: readonly string[]
  /** Absolute paths. */
  readonly writes?: (input: Json, call: Call) => readonly string[]
}

const PATH_FIELDS = ['path', 'root']

/** For tools of ours, whose fields mean what they are called. */
export const targetsByFields =
  ({ roots = ['.'], writes }: TargetsOptions): TargetsOf =>
  (json, call) => {
    const input = JSON.parse(json) as Json
    const fields = isRecord(input) ? input : {}
    const folders = roots.map((root) => resolve(call.session.docroot, root))
    const named = PATH_FIELDS.flatMap((name) => {
      const path = fields[name]
      return typeof path === 'string' ? folders.map((folder) => resolve(folder, path)) : []
    })
    const written = writes?.(input, call) ?? []
    const paths = new Set([...named, ...written].flatMap((path) => [path, realPath(path)]))
    const host = typeof fields.url === 'string' ? hostOf(fields.url) : undefined
    return { written, ...(paths.size === 0 ? {} : { paths: [...paths] }), ...(host === undefined ? {} : { hosts: [host] }) }
  }

const hostOf = (url: string): string | undefined => {
  const { hostname = '' } = URL.canParse(url) ? new URL(url) : {}
  return hostname === '' ? undefined : hostname.replace(/\.$/, '')
}

const isRecord = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
