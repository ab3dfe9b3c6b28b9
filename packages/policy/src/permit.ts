// Whether a call may be made: effects against grants and policy (plumb-tools(7), What may be done). Pure: the time is an argument.

import { type Fault, fault, preview } from '@plumb/wire'
import { type Authority, type Effect, isGranted, type PolicyRule } from './authority.js'
import { type Act, isOnFiles, isOnNet, matchesGlob, matchesTarget } from './rule.js'

export interface Subject {
  readonly tool: string
  readonly effects: readonly Effect[]
  /** Absolute. Absent: unknown which files the call touches. */
  readonly paths?: readonly string[]
  /** In lower case. Absent: unknown which hosts the call reaches. */
  readonly hosts?: readonly string[]
  /**
   * What is decided later. `targets`: the files and hosts, which the input or the inner calls will show. `parts`: also whether to ask a
   * person, except by rules that name this tool.
   */
  readonly deferred?: 'targets' | 'parts'
}

export type Permission = { readonly kind: 'allow' } | { readonly kind: 'ask' } | { readonly kind: 'deny'; readonly fault: Fault }

/** `now` in ms since 1970. Every effect of the call must be permitted. */
export const permit = (subject: Subject, authority: Authority, now: number): Permission => {
  if (authority.expires !== undefined && now > authority.expires) {
    return deny(subject, undefined, 'the grant has expired, and its giver has not renewed it')
  }
  let needsConsent = false
  for (const act of actsOf(subject)) {
    const permission = decide(act, subject, authority, now)
    if (permission.kind === 'deny') return permission
    needsConsent ||= permission.kind === 'ask'
  }
  return { kind: needsConsent ? 'ask' : 'allow' }
}

/** Whether a model sees the tool at all: whether at least one call of it might be permitted now. */
export const isOffered = ({ tool, effects }: Pick<Subject, 'tool' | 'effects'>, authority: Authority, now: number): boolean =>
  permit({ tool, effects, deferred: 'targets' }, authority, now).kind !== 'deny'

const actsOf = ({ tool, effects, paths = [], hosts = [] }: Subject): readonly Act[] => {
  if (effects.length === 0) return [{ tool, effect: undefined }]
  return effects.flatMap((effect): readonly Act[] => {
    if (isOnFiles(effect) && paths.length > 0) return paths.map((path) => ({ tool, effect, path }))
    if (isOnNet(effect) && hosts.length > 0) return hosts.map((host) => ({ tool, effect, host }))
    return [{ tool, effect }]
  })
}

const decide = (act: Act, subject: Subject, authority: Authority, now: number): Permission => {
  const { effect } = act
  if (effect !== undefined && !isGranted(effect, authority)) return deny(subject, effect, notGranted(authority))
  if (authority.policy.length === 0) return { kind: 'allow' }
  let first: PolicyRule | undefined
  for (const [i, rule] of authority.policy.entries()) {
    if (!applies(rule, act, subject, authority, now)) continue
    if (rule.decision === 'deny') return deny(subject, effect, `rule ${i + 1} of the policy denies it${whatOf(act)}`)
    first ??= rule
  }
  if (first?.decision === 'ask') return { kind: isDeferred(first, act, subject) ? 'allow' : 'ask' }
  if (first || effect === undefined) return { kind: 'allow' }
  return deny(subject, effect, `no rule of the policy allows it${whatOf(act)}`)
}

const applies = (rule: PolicyRule, act: Act, { deferred }: Subject, authority: Authority, now: number): boolean => {
  const isOpen = deferred !== undefined && matchesTarget(rule, act) === 'unknown'
  const { path, host, ...rest } = rule
  const truth = matchesGlob(isOpen ? rest : rule, act, authority, now)
  if (isOpen && rule.decision === 'deny') return false
  return truth === 'yes' || (truth === 'unknown' && rule.decision !== 'allow')
}

const isDeferred = (rule: PolicyRule, act: Act, { deferred }: Subject): boolean =>
  deferred !== undefined && (matchesTarget(rule, act) === 'unknown' || (deferred === 'parts' && rule.tool === undefined))

const deny = ({ tool }: Subject, effect: Effect | undefined, reason: string): Permission => {
  const what = effect === undefined ? '' : ` has the effect ${effect}, and`
  const detail = `tool '${tool}'${what || ' may not be called:'} ${reason}`
  return { kind: 'deny', fault: fault('permission_denied', detail, { tool, ...(effect === undefined ? {} : { effect }) }) }
}

const notGranted = ({ grant }: Authority): string => {
  if (!grant) return 'declaring a tool never grants that: say --grant with net.private and all else that is needed'
  const granted = grant.length === 0 ? 'nothing with an effect' : `only ${grant.join(', ')}`
  return `${granted} is granted: add it to --grant, and to 'grant' of the agent if it has one`
}

const whatOf = ({ path, host }: Act): string => {
  const target = path ?? host
  return target === undefined ? '' : ` on ${preview(target)}`
}
