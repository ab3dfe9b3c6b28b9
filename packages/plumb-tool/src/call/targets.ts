// The targets of a call, from its input: the paths and hosts for rules of policies, and the paths that it writes.

import { realPath } from '@plumb/sandbox'
import type { JsonText } from '../json-text.js'
import type { Call } from './call.js'

export interface Targets {
  /** Absolute, as named and with links resolved, so that a rule may use either. Absent: unknown. */
  readonly paths?: readonly string[]
  /** In lower case. Absent: unknown. */
  readonly hosts?: readonly string[]
  /** The paths that it writes: calls that write the same one wait for each other. */
  readonly written: readonly string[]
}

/** For a valid input. Never throws. */
export type TargetsOf = (input: JsonText, call: Call) => Promise<Targets>

/** The targets in an input, each absent if the input does not name it. */
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
