// Warns of effects that a tool declares and its sandbox, or that of its server or agent, prevents.

import { isRecord } from '@plumb/wire/is-record'
import { ignore, type Report, warning } from '../diagnostic/diagnostic.js'
import { type Bound, findBinding } from '../names/names.js'
import type { Json } from '../types/type.js'
import { agentConfig } from './agent.js'
import type { Config } from './config.js'

const NEEDS_NET: ReadonlySet<Json> = new Set(['net', 'net.private', 'model'])

interface Held {
  /** As in "its sandbox". */
  readonly whose: string
  /** The value of the key, if present. */
  readonly sandbox: Json | undefined
  /** Whether the effects of the tool open the docroot for writing. */
  readonly opensDocroot: boolean
}

export const warnOfNarrowSandbox = (tool: Bound, config: Config, report: Report): void => {
  const effects = config.get('effects')
  const held = ofServer(config) ?? ofAgent(tool, config) ?? { whose: 'its', sandbox: config.get('sandbox')?.value, opensDocroot: true }
  if (!effects || !Array.isArray(effects.value) || held.sandbox === false) return
  const sandbox = isRecord(held.sandbox) ? held.sandbox : {}
  const warn = (effect: Json, why: string, key: string) => {
    const message = `the effect '${effect}' is declared, and ${held.whose} sandbox ${why}`
    report(warning('sandbox_too_narrow', message, effects.valueSpan, `leave '${effect}' out, or add ${key} there`))
  }
  for (const effect of effects.value) {
    if (sandbox.net === false && NEEDS_NET.has(effect)) warn(effect, 'has no network', 'net: true')
    if (Array.isArray(sandbox.net) && effect === 'net.private')
      warn(effect, 'reaches its hosts by names, and no private addresses', 'net: true')
    if (effect === 'fs.write' && !held.opensDocroot && !isFilled(sandbox.write)) warn(effect, 'writes to no directory', 'write: ["."]')
  }
}

const isFilled = (list: Json | undefined): boolean => Array.isArray(list) && list.length > 0

const ofServer = (config: Config): Held | undefined => {
  const server = config.get('mcp')?.value
  if (!isRecord(server) || server.command === undefined) return undefined
  return { whose: "its server's", sandbox: server.sandbox as Json | undefined, opensDocroot: false }
}

/** For an agent with `command`, unless the tool has a sandbox of its own, which replaces it. */
const ofAgent = (tool: Bound, config: Config): Held | undefined => {
  const [name] = config.get('process')?.names ?? []
  if (!name || isRecord(config.get('sandbox')?.value)) return undefined
  const process = findBinding(name, tool.scope, ignore, (each) => each.category === 'stream')
  if (process === 'unknown' || process.binding.impl.kind !== 'agent') return undefined
  const agent = agentConfig(process.binding.impl, process.scope)
  if (!agent.has('command') || agent.has('via')) return undefined
  return { whose: "its agent's", sandbox: agent.get('sandbox')?.value, opensDocroot: false }
}
