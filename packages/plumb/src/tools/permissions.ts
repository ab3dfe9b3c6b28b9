// What may be done in this run, by the word of its parent or of the command line, as one authority to hand down.

import type { Authority } from '@plumb/policy'
import { type Bootstrap, type Result, readSpec, succeed } from '@plumb/wire'
import { AuthoritySource } from './authority-source.js'

type Permit = typeof import('@plumb/policy')

/** As given to `--grant`, `--policy` and `--context`. */
export interface Permissions {
  readonly grant: readonly string[]
  readonly policy: string | undefined
  readonly context: readonly string[]
}

const EVERYTHING: Authority = { policy: [], context: {} }

/** What a parent hands down is all there is. Nothing of plumb-tool is loaded where nobody here has tools and nothing was said. */
export const openGiver = async (
  said: Permissions,
  bootstrap: Bootstrap | undefined,
  hasTools: boolean,
): Promise<Result<AuthoritySource>> => {
  const isSaid = said.grant.length > 0 || said.policy !== undefined || said.context.length > 0
  const permit = hasTools || isSaid ? await import('@plumb/policy') : undefined
  const authority = handedDown(bootstrap, permit) ?? (permit && isSaid ? readSaid(said, permit) : succeed(EVERYTHING))
  if (!authority.ok) return authority
  const giver = new AuthoritySource(authority.value, permit && hasTools ? permit.narrow : undefined)
  bootstrap?.onAuthority((next) => {
    const renewed = permit ? permit.readAuthority(next) : succeed(next as Authority)
    if (renewed.ok) giver.replace(renewed.value)
  })
  return succeed(giver)
}

// Whoever uses it checks it; a nested plumb without tools of its own hands it on as it is.
const handedDown = (bootstrap: Bootstrap | undefined, permit: Permit | undefined): Result<Authority> | undefined => {
  if (bootstrap?.authority === undefined) return undefined
  return permit ? permit.readAuthority(bootstrap.authority) : succeed(bootstrap.authority as Authority)
}

const readSaid = ({ grant, policy, context }: Permissions, permit: Permit): Result<Authority> => {
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
