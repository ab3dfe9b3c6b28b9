// The key `sandbox`: what a started program may access (plumb-tools(7), Sandbox).

import { isRecord } from '@plumb/wire/is-record'
import { preview } from '@plumb/wire/preview'
import type { Json } from '../types/type.js'
import type { KeyRule, KeyTable, ValueRule } from './config.js'
import { readHostPattern } from './host.js'
import { rule, STRINGS } from './rules.js'

const NET = 'true, false or a list of hosts, as in ["api.example.com", "*.example.org:8443"]'

/** Reports the first invalid host with the reason. */
const netFits: ValueRule = (v) => {
  if (typeof v === 'boolean') return undefined
  if (!Array.isArray(v) || v.length === 0) return NET
  for (const host of v as readonly Json[]) {
    const read = typeof host === 'string' ? readHostPattern(host) : 'it is not a string'
    if (typeof read === 'string') return `${NET}; found ${preview(JSON.stringify(host))}: ${read}`
  }
  return undefined
}

const KEYS: KeyTable = {
  net: { fits: netFits },
  read: STRINGS,
  write: STRINGS,
  sockets: STRINGS,
  memory: rule('a size, as in "256M"', (v) => typeof v === 'string' && /^[1-9][0-9]*[KMG]$/.test(v)),
}

/** False: none, even where there would be one by default. */
export const SANDBOX: KeyRule = {
  ...rule('an object or false', (v) => v === false || isRecord(v)),
  inner: { what: 'a sandbox', keys: KEYS },
}
