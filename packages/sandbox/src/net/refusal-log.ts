// Connections that the proxy refused, each host once, for the error of the program.

import { type Fault, preview } from '@plumb/wire'

export interface RefusalLog {
  /** The proxy's socket has arrived from inside. */
  opened(): void
  /** The program has opened a connection. */
  used(): void
  refused(target: string, fault: Fault): void
  missingAccess(): string | undefined
  /** In the order in which they came. */
  refusals(): readonly string[]
}

const MAX_KEPT = 20
const MAX_SHOWN = 3

export const openRefusalLog = (): RefusalLog => {
  const refusals = new Map<string, string>()
  let others = 0
  let isOpen = false
  let isUsed = false
  return {
    opened() {
      isOpen = true
    },
    used() {
      isUsed = true
    },
    refused(target, { detail }) {
      if (refusals.size < MAX_KEPT || refusals.has(target)) refusals.set(target, detail)
      else others++
    },
    refusals() {
      const more = others === 0 ? [] : [`it was refused ${others} more connections`]
      return [...[...refusals.values()].map((detail) => preview(detail, 300)), ...more]
    },
    missingAccess() {
      if (!isOpen) return 'the way out of its sandbox to the network could not be opened'
      if (!isUsed)
        return "it has asked its proxy for nothing: with a list of hosts in 'net' of its sandbox a program that ignores HTTPS_PROXY and HTTP_PROXY, such as fetch in Node.js before 22.21, has no network"
      const all = [...refusals.values()]
      if (all.length === 0) return undefined
      const more = all.length + others - MAX_SHOWN
      return `${all
        .slice(0, MAX_SHOWN)
        .map((detail) => preview(detail, 300))
        .join('; ')}${more > 0 ? `; and ${more} more` : ''}`
    },
  }
}
