// The authority: handed down by a parent, or from the command line, narrowed to the grant of the served agent.

import type { AgentPlan } from '@plumb/lang'
import { type Authority, EFFECTS, type Effect, narrow, parseContext, parseGrant, readAuthority, readPolicy } from '@plumb/policy'
import { andThen, type Bootstrap, type Result, readSpec, succeed } from '@plumb/wire'
import type { CliOptions } from './options.js'

/** Read at each call, since a parent renews it. */
export const openCliAuthority = (
  options: CliOptions,
  bootstrap: Bootstrap | undefined,
  agent: AgentPlan | undefined,
): Result<() => Authority> => {
  const given = bootstrap?.authority === undefined ? fromOptions(options.permissions) : readAuthority(bootstrap.authority)
  if (!given.ok) return given
  let authority = given.value
  bootstrap?.onAuthority((renewed) => {
    const read = readAuthority(renewed)
    if (read.ok) authority = read.value
  })
  const config = agent?.config
  if (!config) return succeed(() => authority)
  const { grant, grant_minutes: minutes } = config as { readonly grant?: readonly Effect[]; readonly grant_minutes?: number }
  return succeed(() => narrow(authority, { ...(grant ? { grant } : {}), ...(minutes === undefined ? {} : { minutes }), now: Date.now() }))
}

const fromOptions = ({ grant, context, policy }: CliOptions['permissions']): Result<Authority> => {
  const effects = parseGrant(grant)
  const facts = parseContext(context)
  const rules = policy === undefined ? succeed([]) : andThen(readSpec(policy), readPolicy)
  if (!effects.ok) return effects
  if (!facts.ok) return facts
  if (!rules.ok) return { ok: false, error: { path: policy, ...rules.error } }
  return succeed({ ...(grant.length === 0 ? {} : { grant: whole(effects.value) }), policy: rules.value, context: facts.value })
}

// The caller has all effects except net.private; naming that alone adds it.
const whole = (grant: readonly Effect[]): readonly Effect[] => (grant.length === 1 && grant[0] === 'net.private' ? EFFECTS : grant)
