// The grant of a server's tools: by default nothing that writes, runs programs or reaches private addresses
// (plumb-tools(7), What may be done).

import { type Authority, EFFECTS, type Effect, parseContext, parseGrant, readPolicy } from '@plumb/policy'
import { andThen, type Result, readSpec, succeed } from '@plumb/wire'
import type { ServeOptions } from './options.js'

export interface ServerAuthority extends Authority {
  readonly grant: readonly Effect[]
}

const GUARDED: readonly Effect[] = ['fs.write', 'exec', 'net.private']
const UNGUARDED = EFFECTS.filter((effect) => !GUARDED.includes(effect))

export const openServerAuthority = ({ grant = [], policy, context = [] }: ServeOptions): Result<ServerAuthority> => {
  const effects = parseGrant(grant)
  const facts = parseContext(context)
  const rules = policy === undefined ? succeed([]) : andThen(readSpec(policy), readPolicy)
  if (!effects.ok) return effects
  if (!facts.ok) return facts
  if (!rules.ok) return { ok: false, error: { path: policy, ...rules.error } }
  return succeed({ grant: whole(grant, effects.value), policy: rules.value, context: facts.value })
}

/** With one of these effects in the grant, a token is required: any client that reaches the port could use it. */
export const isGuarded = ({ grant }: ServerAuthority): boolean => grant.some((effect) => GUARDED.includes(effect))

// A list that contains only guarded effects adds to the default, as net.private alone does for plumb-tool; any other list replaces it.
const whole = (said: readonly string[], effects: readonly Effect[]): readonly Effect[] => {
  if (said.length > 0 && !(effects.length > 0 && effects.every((effect) => GUARDED.includes(effect)))) return effects
  return EFFECTS.filter((effect) => UNGUARDED.includes(effect) || effects.includes(effect))
}
