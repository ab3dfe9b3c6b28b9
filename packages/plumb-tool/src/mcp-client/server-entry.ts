// An MCP server as a spec names it: what it is called in messages, what it may do, and which connection it shares with others.

import { dirname, isAbsolute, resolve } from 'node:path'
import type { Json } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import { canonicalJson, preview, type Result } from '@plumb/wire'
import { readSandbox, type SandboxAtStart } from '../source/sandbox/sandbox.js'
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

/** In small letters; none for one that is started. */
export const hostsOf = ({ url }: ServerConfig): readonly string[] => (url === undefined ? [] : [new URL(url).hostname.replace(/\.$/, '')])

/** For messages: whatever may be a secret is left out. */
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

/** Equal where two entries mean one connection: what is offered of its tools, and how, is no part of that. */
export const connectionKey = (config: ServerConfig): string => {
  const {
    tools: _,
    prefix: __,
    strict: ___,
    handshake_timeout: ____,
    timeout: _____,
    cache_ttl: ______,
    max_output: _______,
    ...rest
  } = config
  return canonicalJson(JSON.stringify(rest.url === undefined ? rest : { ...rest, url: normalised(rest.url) }))
}
