// An MCP server in a spec: its name in messages, its effects, and which connection it shares with others.

import { dirname, isAbsolute, resolve } from 'node:path'
import type { Json } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import { readSandbox, type SandboxAtStart } from '@plumb/sandbox'
import { canonicalJson, preview, type Result } from '@plumb/wire'
import type { ServerConfig } from './connection.js'
import { normalised } from './server-url.js'

/** `value` has been checked by lang. A command with a slash is relative to the spec. */
export const readServer = (value: Json | undefined, specPath: string): ServerConfig => {
  if (typeof value === 'string') return { url: value }
  const given = value as ServerConfig
  const { command } = given
  const config = command === undefined || given.sandbox === false ? given : { ...given, specPath: resolve(specPath) }
  if (!command?.includes('/') || isAbsolute(command)) return config
  return { ...config, command: resolve(dirname(specPath), command) }
}

export const effectOf = ({ command }: ServerConfig): Effect => (command === undefined ? 'net' : 'exec')

/** In lower case; empty for a started server. */
export const hostsOf = ({ url }: ServerConfig): readonly string[] => (url === undefined ? [] : [new URL(url).hostname.replace(/\.$/, '')])

/** For messages, without what may be secret. */
export const describeServer = ({ prefix, command, args = [], url }: ServerConfig): string => {
  if (prefix !== undefined) return `'${prefix}'`
  if (url === undefined) return `'${preview([command, ...args].join(' '), 80)}'`
  const { origin, pathname } = new URL(url)
  return `'${preview(`${origin}${pathname}`, 80)}'`
}

/** It has the network unless its sandbox says otherwise. */
export const sandboxOf = (config: ServerConfig, docroot = '.'): Result<SandboxAtStart> =>
  readSandbox(config.sandbox, {
    who: `MCP server ${describeServer(config)}`,
    docroot,
    hasNet: true,
    isDefault: config.command !== undefined,
  })

/** Equal if two entries mean one connection: which of its tools are offered, and how, does not matter. */
export const connectionKey = (config: ServerConfig): string => {
  const {
    tools: _,
    prefix: __,
    strict: ___,
    instructions: ________,
    handshake_timeout: ____,
    timeout: _____,
    cache_ttl: ______,
    max_output: _______,
    ...rest
  } = config
  return canonicalJson(JSON.stringify(rest.url === undefined ? rest : { ...rest, url: normalised(rest.url) }))
}
