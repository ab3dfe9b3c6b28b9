// The hosts that the caller's authority lets a sandboxed program reach: its policy by host, and the grant `net.private`.

import { type Authority, permit } from '@plumb/policy'
import { fault } from '@plumb/wire'
import type { ConnectPolicy } from './connect-host.js'

/** `net` needs no grant here: the spec gives it by the key `net`, and a program without a sandbox has the whole network. */
export const hostPolicy = (tool: string, authority: () => Authority): Pick<ConnectPolicy, 'denies'> => ({
  denies: (effect, host) => {
    const { grant, ...rest } = authority()
    if (effect === 'net' && rest.policy.length === 0) return undefined
    const asked = effect === 'net' || !grant ? rest : { ...rest, grant }
    const permission = permit({ tool, effects: [effect], hosts: [host] }, asked, Date.now())
    if (permission.kind === 'deny') return permission.fault
    if (permission.kind === 'allow') return undefined
    return fault('approval_required', `the policy asks a person for ${host}, and none is asked while a program runs: allow it there`, {
      tool,
    })
  },
})
