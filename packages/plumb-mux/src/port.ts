// The ports of a process, as descriptors and as envelopes name them.

import { DIRECTIONS, FDS, type FdName } from '@plumb/wire'

const PORTS = Object.keys(FDS) as FdName[]

export const ALL_FDS: ReadonlySet<number> = new Set(Object.values(FDS).filter((fd) => fd > 2))

/** The ports that lead into a process or out of it: 0 or 1 always, and those whose descriptor is in `fds`. */
export const fdPortsOf = (direction: 'in' | 'out', fds: ReadonlySet<number>): FdName[] =>
  PORTS.filter((port) => DIRECTIONS[port] === direction && (FDS[port] < 2 || fds.has(FDS[port])))

/** True for ports whose messages another process may be waiting for: these must not queue behind data. */
export const isUrgent = (port: FdName): boolean => port !== 'input' && port !== 'output' && port !== 'telemetry'
