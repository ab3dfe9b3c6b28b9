// The key `sandbox`: what a program that is started may reach (tools.md, Sandbox).

import type { Json } from '../types/type.js'
import type { KeyRule, KeyTable } from './config.js'
import { rule, STRINGS } from './rules.js'

/** In small letters, digits, dots and hyphens, with a port where it is not that of https. */
const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[1-9][0-9]{0,4})?$/i
const isHosts = (v: Json): boolean => Array.isArray(v) && v.length > 0 && v.every((host) => typeof host === 'string' && HOST.test(host))

const KEYS: KeyTable = {
  net: rule('true, false or a list of hosts, as in ["api.example.com:443"]', (v) => typeof v === 'boolean' || isHosts(v)),
  read: STRINGS,
  write: STRINGS,
  sockets: STRINGS,
  memory: rule('a size, as in "256M"', (v) => typeof v === 'string' && /^[1-9][0-9]*[KMG]$/.test(v)),
}

/** False: none, also where there would be one without the key. */
export const SANDBOX: KeyRule = {
  ...rule('an object or false', (v) => v === false || (typeof v === 'object' && v !== null && !Array.isArray(v))),
  inner: { what: 'a sandbox', keys: KEYS },
}
