// The authority of this run, from its parent or from the command line.

import type { Authority } from '@plumb/policy'
import { type Bootstrap, type Result, readSpec, succeed } from '@plumb/wire'
import { AuthoritySource } from '../child/authority-source.js'
import type { Permissions } from '../options/run-options.js'

type Permit = typeof import('@plumb/policy')

const UNRESTRICTED: Authority = { policy: [], context: {} }

/**
 * The authority of a parent is all that a nested run has. The policy package is loaded only for agents with tools, or options of
 * permissions.
 */
export const openAuthoritySource = async (
  permissions: Permissions,
  bootstrap: Bootstrap | undefined,
  hasTools: boolean,
): Promise<Result<AuthoritySource>> => {
  const isGiven = permissions.grant.length > 0 || permissions.policy !== undefined || permissions.context.length > 0
  const permit = hasTools || isGiven ? await import('@plumb/policy') : undefined
  const authority =
    inheritedAuthority(bootstrap, permit) ?? (permit && isGiven ? readPermissions(permissions, permit) : succeed(UNRESTRICTED))
  if (!authority.ok) return authority
  const source = new AuthoritySource(authority.value, permit && hasTools ? permit.narrow : undefined)
  bootstrap?.onAuthority((next) => {
    const renewed = permit ? permit.readAuthority(next) : succeed(next as Authority)
    if (renewed.ok) source.replace(renewed.value)
  })
  return succeed(source)
}

// A nested plumb without tools of its own hands it on unchecked: its children check it.
const inheritedAuthority = (bootstrap: Bootstrap | undefined, permit: Permit | undefined): Result<Authority> | undefined => {
  if (bootstrap?.authority === undefined) return undefined
  return permit ? permit.readAuthority(bootstrap.authority) : succeed(bootstrap.authority as Authority)
}

const readPermissions = ({ grant, policy, context }: Permissions, permit: Permit): Result<Authority> => {
  const effects = permit.parseGrant(grant)
  if (!effects.ok) return effects
  const facts = permit.parseContext(context)
  if (!facts.ok) return facts
  const text = policy === undefined ? succeed('[]') : readSpec(policy)
  if (!text.ok) return text
  const rules = permit.readPolicy(text.value)
  if (!rules.ok) return { ok: false, error: { ...rules.error, path: policy } }
  return succeed({ ...(grant.length > 0 ? { grant: effects.value } : {}), policy: rules.value, context: facts.value })
}
