// What the giver of a call lets a boxed program reach: the policy by host, and whether private addresses are granted.

import { type Authority, permit } from '@plumb/policy'
import { fault } from '@plumb/wire'
import type { ConnectPolicy } from './connect-host.js'

/** `net` itself needs no grant here: the program has it from the key, as one without a sandbox has all of it. */
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
