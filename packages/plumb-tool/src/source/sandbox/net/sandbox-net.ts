// The net of a sandbox that lists hosts: a network namespace whose only way out is a socket that listens in it. A first program inside opens
// it and hands it out over a descriptor, before the tool's own is started; what comes in there is answered here, outside.

import type { Server } from 'node:net'
import type { HostPattern } from '@plumb/lang'
import type { ListenerOption } from '@plumb/wire'
import { type ConnectPolicy, openHostConnector } from './connect-host.js'
import opener from './opener.child.cjs'
import { openProxy } from './proxy.js'
import { openRefusalLog } from './refusal-log.js'

export interface SandboxNet {
  /** Stands before the command line inside. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** For `spawnChild`. */
  readonly listener: ListenerOption
  /** For the error of a program that has failed: what it was refused, or that it never asked. */
  readonly missingAccess: () => string | undefined
  /** Once the program has ended. */
  close(): void
}

/** In a namespace of its own any is free. */
const PORT = 3128
/** Above those that are read by what starts a sandbox, or by its program. */
const LISTENER_FD = 11

// A program that failed here has no net, so the tool's own is not started. Afterwards nothing says that there was a descriptor.
const OPEN = `
NODE_OPTIONS= NODE_EXTRA_CA_CERTS= "$1" -e "$2" "$3" </dev/null >/dev/null || exit 126
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
shift 3
exec "$@"
`

export const openSandboxNet = (hosts: readonly HostPattern[], judging: ConnectPolicy): SandboxNet => {
  const record = openRefusalLog()
  const proxy = openProxy(openHostConnector(hosts, judging), record)
  let server: Server | undefined
  return {
    command: ['/bin/sh', '-c', OPEN, 'plumb-net', process.execPath, opener, String(PORT)],
    env: variables(hosts),
    listener: {
      fd: LISTENER_FD,
      take: (taken) => {
        server = taken
        record.opened()
        proxy.answer(taken)
      },
    },
    missingAccess: record.missingAccess,
    close: () => {
      server?.close()
      proxy.close()
    },
  }
}

const LOOPBACK = 'localhost,127.0.0.1,::1'

/** Programs look for either spelling. What listens on loopback inside is reached there, unless that outside is meant. */
const variables = (hosts: readonly HostPattern[]): Readonly<Record<string, string>> => {
  const url = `http://127.0.0.1:${PORT}`
  const isLoopbackMeant = hosts.some(
    ({ host }) => host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]',
  )
  const direct = isLoopbackMeant ? '' : LOOPBACK
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [name, url] as const)
  const both = [...proxies, ['NO_PROXY', direct] as const].flatMap(([name, value]) => [
    [name, value] as const,
    [name.toLowerCase(), value] as const,
  ])
  // For fetch of Node.js from 24 on.
  return { ...Object.fromEntries(both), NODE_USE_ENV_PROXY: '1' }
}
