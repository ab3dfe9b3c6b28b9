// The ports of a process, as descriptors and as envelopes name them.

import { DIRECTIONS, FDS, type Port } from '@plumb/wire'

const PORTS = Object.keys(FDS) as Port[]

/** Those that lead to it or away from it, of those it has: 0 and 1 always, and `fds`. */
export const portsOf = (direction: 'in' | 'out', fds: ReadonlySet<number>): Port[] =>
  PORTS.filter((port) => DIRECTIONS[port] === direction && (FDS[port] < 2 || fds.has(FDS[port])))

/** Others wait for its answer: it must not stand behind data. */
export const isUrgent = (port: Port): boolean => port !== 'input' && port !== 'output' && port !== 'telemetry'

export const ALL_FDS: ReadonlySet<number> = new Set(Object.values(FDS).filter((fd) => fd > 2))
