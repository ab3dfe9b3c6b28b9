// The network of a sandbox that lists hosts: a network namespace whose only way out is a proxy. A first program inside opens the proxy's
// listening socket and passes it out over a descriptor before the tool's program starts; this process answers it from outside.

import type { Server } from 'node:net'
import type { HostPattern } from '@plumb/lang'
import type { ListenerOption } from '@plumb/wire'
import { type ConnectPolicy, openHostConnector } from './connect-host.js'
import opener from './opener.child.cjs'
import { openProxy } from './proxy.js'
import { openRefusalLog } from './refusal-log.js'

export interface SandboxNet {
  /** Prefix of the command line inside. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Option of `spawnChild` that receives the socket. */
  readonly listener: ListenerOption
  /** For the error of a failed program: the hosts that were refused, or that it never used the proxy. */
  readonly missingAccess: () => string | undefined
  /** The hosts that were refused, each once, up to a limit. */
  readonly refusals: () => readonly string[]
  /** Call it after the program has ended. */
  close(): void
}

/** Any port is free in a new namespace. */
const PORT = 3128
/** Above the descriptors of children (3 to 10), below those of bubblewrap (from 18). */
const LISTENER_FD = 11

// If the opener fails there is no network, so the tool's program is not started. The variables of the descriptor are removed.
const OPEN = `
NODE_OPTIONS= NODE_EXTRA_CA_CERTS= "$1" -e "$2" "$3" </dev/null >/dev/null || exit 126
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
shift 3
exec "$@"
`

export const openSandboxNet = (hosts: readonly HostPattern[], policy: ConnectPolicy): SandboxNet => {
  const record = openRefusalLog()
  const proxy = openProxy(openHostConnector(hosts, policy), record)
  let server: Server | undefined
  return {
    command: ['/bin/sh', '-c', OPEN, 'plumb-net', process.execPath, opener, String(PORT)],
    env: proxyVariables(hosts),
    listener: {
      fd: LISTENER_FD,
      take: (taken) => {
        server = taken
        record.opened()
        proxy.answer(taken)
      },
    },
    missingAccess: record.missingAccess,
    refusals: record.refusals,
    close: () => {
      server?.close()
      proxy.close()
    },
  }
}

const LOOPBACK = 'localhost,127.0.0.1,::1'

/** Programs read either spelling. Loopback is not proxied, unless the spec lists a loopback host, which means that of the host. */
const proxyVariables = (hosts: readonly HostPattern[]): Readonly<Record<string, string>> => {
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
  // For fetch of Node.js, which in 22 warns of it on stderr at each start. Its option that silences one warning would end those before 20.11.
  return { ...Object.fromEntries(both), NODE_USE_ENV_PROXY: '1', NODE_NO_WARNINGS: '1' }
}
