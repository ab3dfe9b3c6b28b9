// What a call reaches by what its input says: the paths and hosts that rules of a policy speak of, and the paths it writes.

import type { JsonText } from '../json-text.js'
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
export type TargetsOf = (input: JsonText, call: Call) => Promise<Targets>

/** What an input says, each absent where it says nothing of it. */
export interface Named {
  /** Absolute. */
  readonly paths?: readonly string[]
  readonly written?: readonly string[]
  readonly url?: string | undefined
}

export const toTargets = ({ paths = [], written = [], url }: Named): Targets => {
  const all = new Set([...paths, ...written].flatMap((path) => [path, realPath(path)]))
  const host = url === undefined ? undefined : hostOf(url)
  return { written, ...(all.size === 0 ? {} : { paths: [...all] }), ...(host === undefined ? {} : { hosts: [host] }) }
}

const hostOf = (url: string): string | undefined => {
  const { hostname = '' } = URL.canParse(url) ? new URL(url) : {}
  return hostname === '' ? undefined : hostname.replace(/\.$/, '')
}
