// The authority of this agent: from the command line, or handed down and renewed by a parent, narrowed by the agent's own `grant`.

import { type Authority, type Effect, narrow, parseContext, parseGrant, readAuthority, readPolicy, renewalMs } from '@plumb/policy'
import { type Fault, fault, preview, type Result } from '@plumb/wire'
import type { AgentOptions } from '../options.js'

/** From the agent's spec. */
export interface AgentLimits {
  readonly grant: readonly Effect[] | undefined
  readonly minutes: number | undefined
}

export class AuthorityInForce {
  #given: Authority
  readonly #limits: AgentLimits
  readonly #renewals = new Set<() => void>()

  constructor(given: Authority, limits: AgentLimits) {
    this.#given = given
    this.#limits = limits
  }

  /** Valid for some minutes from now, unless the parent ends it sooner. */
  current(): Authority {
    const { grant, minutes } = this.#limits
    return narrow(this.#given, { ...(grant ? { grant } : {}), ...(minutes === undefined ? {} : { minutes }), now: Date.now() })
  }

  /** As it is handed down. An invalid authority renews nothing, so that the last one expires. */
  renew(value: unknown): void {
    const read = readAuthority(value)
    if (!read.ok) return
    this.#given = read.value
    for (const renew of this.#renewals) renew()
  }

  /** Passes it on to a child repeatedly; returns a function that stops it. */
  keepRenewed(renew: (authority: Authority) => void): () => void {
    const again = () => renew(this.current())
    const timer = setInterval(again, renewalMs(this.#limits.minutes)).unref()
    this.#renewals.add(again)
    return () => {
      clearInterval(timer)
      this.#renewals.delete(again)
    }
  }
}

type Said = AgentOptions['tools']

/** The parent's authority replaces that of the command line. */
export const readGiven = (
  handed: unknown,
  said: Said,
  readText: (path: string) => Result<string>,
): { given: Authority; faults: readonly Fault[] } => {
  if (handed === undefined) return readSaid(said, readText)
  const read = readAuthority(handed)
  return read.ok ? { given: read.value, faults: [] } : { given: NOTHING, faults: [read.error] }
}

const NOTHING: Authority = { grant: [], policy: [], context: {} }

const readSaid = ({ grant: grants, policy, context }: Said, readText: (path: string) => Result<string>) => {
  const grant = parseGrant(grants)
  const facts = parseContext(context)
  const rules = policy === undefined ? undefined : readRules(policy, readText)
  const faults = [grant, facts, ...(rules ? [rules] : [])].flatMap((read) => (read.ok ? [] : [read.error]))
  const given: Authority = {
    ...(grants.length > 0 && grant.ok ? { grant: grant.value } : {}),
    policy: rules?.ok ? rules.value : [],
    context: facts.ok ? facts.value : {},
  }
  return { given, faults }
}

const readRules = (path: string, readText: (path: string) => Result<string>): ReturnType<typeof readPolicy> => {
  const text = readText(path)
  const rules = text.ok ? readPolicy(text.value) : text
  if (rules.ok) return rules
  const { error, detail } = rules.error
  return { ok: false, error: fault(error, `--policy names '${preview(path)}': ${detail}`) }
}
