// The authority of this run (plumb-tools(7), What may be done), narrowed for each agent, and renewed as long as the run lives.

import { type AgentPlan, EFFECTS, holdsMedia } from '@plumb/lang'
import type { Authority, Effect, narrow } from '@plumb/policy'

/** Short enough for the shortest grant, which is one minute. */
const RENEWAL_MS = 20_000

const FOR_MAPS = EFFECTS.filter((effect) => effect !== 'net.private')

export class AuthoritySource {
  #authority: Authority
  readonly #narrow: typeof narrow | undefined
  readonly #renewals: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** Without `narrow` no agent of this run has tools, and no map calls one. */
  constructor(authority: Authority, narrowFor: typeof narrow | undefined) {
    this.#authority = authority
    this.#narrow = narrowFor
  }

  get authority(): Authority {
    return this.#authority
  }

  /** The parent has renewed the authority. */
  replace(authority: Authority): void {
    this.#authority = authority
    this.#renew()
  }

  /** Returns the authority of the agent, as it is at each call. Undefined: the agent needs none. */
  authorityFor({ config, input }: AgentPlan): (() => Authority) | undefined {
    const narrowed = this.#narrow
    if (!narrowed || (config.tools === undefined && config.mcp === undefined)) {
      // Its prompts are read within the grant, files of its inputs also by the rules.
      const readsFiles =
        [config.prompts, config.prompt_file, config.skills, config.history].some((key) => key !== undefined) || holdsMedia(input)
      const { grant, policy, expires } = this.#authority
      const isNarrowed = grant !== undefined || policy.length > 0 || expires !== undefined
      return readsFiles && isNarrowed ? () => this.#authority : undefined
    }
    const grant = config.grant as readonly Effect[] | undefined
    const minutes = config.grant_minutes as number | undefined
    const own = { ...(grant ? { grant } : {}), ...(minutes === undefined ? {} : { minutes }) }
    return () => narrowed(this.#authority, { ...own, now: Date.now() })
  }

  /** The authority of tools called by maps, as it is at each call: without private addresses. */
  readonly authorityForMaps = (): Authority =>
    this.#narrow ? this.#narrow(this.#authority, { grant: FOR_MAPS, now: Date.now() }) : this.#authority

  keepRenewed(renew: (authority: Authority) => void, authority: () => Authority): void {
    this.#renewals.push(() => renew(authority()))
    this.#timer ??= setInterval(() => this.#renew(), RENEWAL_MS).unref()
  }

  #renew(): void {
    for (const renew of this.#renewals) renew()
  }
}
