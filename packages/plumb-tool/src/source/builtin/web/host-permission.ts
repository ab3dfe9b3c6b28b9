// Checks each host of a redirect chain against the policy; the first was checked before the call.

import type { Effect } from '@plumb/policy'
import { type Permission, permit } from '@plumb/policy'
import { type Fault, fault, type Result, succeed } from '@plumb/wire'
import { note } from '../../../call/note.js'
import type { BuiltinContext } from '../builtin.js'

export interface HostPermission {
  readonly mayReachPrivateNet: boolean
  /** Call it before the name is resolved. */
  readonly enter: (url: URL) => Promise<Result<void>>
  /** Call it if the address turns out to be private. */
  readonly enterPrivate: (url: URL) => Promise<Result<void>>
}

export const openHostPermission = ({ call, tool, mayReachPrivateNet }: BuiltinContext): HostPermission => {
  const { session, signal } = call
  /** Hosts that a person has approved. */
  const agreed = new Set<string>()
  let first: string | undefined

  const decide = (url: URL, effect: Effect): Permission =>
    permit({ tool, effects: [effect], hosts: [hostOf(url)] }, session.authority(), Date.now())

  const enter = async (url: URL, effect: Effect): Promise<Result<void>> => {
    const host = hostOf(url)
    const permission = decide(url, effect)
    if (permission.kind === 'allow' || (permission.kind === 'ask' && agreed.has(host))) return succeed(undefined)
    if (permission.kind === 'deny') {
      note(call, 'permission', `denied on the way: ${permission.fault.detail}`)
      return { ok: false, error: permission.fault }
    }
    const isApproved = !signal.aborted && (await session.approve({ id: call.id, tool, input: { url: url.href } }, signal))
    note(call, 'approval', `${isApproved ? 'given' : 'not given'} for ${host}`)
    if (!isApproved) return { ok: false, error: notApproved(tool, host) }
    agreed.add(host)
    return succeed(undefined)
  }

  return {
    mayReachPrivateNet,
    enter: async (url) => {
      // The approval stage has already asked for the first host.
      if (first === undefined && decide(url, 'net').kind === 'ask') agreed.add(hostOf(url))
      first ??= hostOf(url)
      return enter(url, 'net')
    },
    enterPrivate: (url) => enter(url, 'net.private'),
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '')

const notApproved = (tool: string, host: string): Fault =>
  fault('approval_required', `'${tool}' was pointed on to ${host}, which needs the consent of a person, who said no or is not there`, {
    tool,
  })
