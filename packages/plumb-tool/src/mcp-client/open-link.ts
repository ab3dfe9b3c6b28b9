// The way to a server that its entry in a spec asks for.

import type { Fault, Result } from '@plumb/wire'
import { succeed } from '@plumb/wire'
import type { Connecting, ServerConfig } from './connection.js'
import { openHttp } from './http-link.js'
import type { Link } from './link.js'
import type { RawArguments } from './raw-places.js'
import { readTarget } from './server-url.js'
import { openStdioLink } from './stdio-link.js'
import { openWebSocket } from './web-socket-link.js'

export interface LinkEvents {
  readonly places: RawArguments
  /** The answer to this request will not come. */
  readonly answerLost: (id: number) => void
  /** Nothing more will come. */
  readonly lost: (why: Fault) => void
  /** The handshake is done. */
  readonly isOpen: () => boolean
}

export const openLink = async (config: ServerConfig, options: Connecting, events: LinkEvents): Promise<Result<Link>> => {
  const { clientName, cwd, note, onStderr, allowsPrivateNet } = options
  if (config.url === undefined) return openStdioLink(config, cwd, events.places, onStderr)
  const target = readTarget(config)
  if (!target.ok) return target
  for (const warning of target.value.warnings) note(warning)
  if (config.transport === 'ws') return succeed(await openWebSocket(target.value, allowsPrivateNet, events.places))
  return succeed(await openHttp({ target: target.value, isSse: config.transport === 'sse', allowsPrivateNet, clientName, ...events }))
}

/** For people, and without a key: what the spec calls it, its program or its host. */
export const nameOf = ({ prefix, command, url }: ServerConfig): string => {
  if (prefix !== undefined) return prefix
  if (command !== undefined) return command.split('/').at(-1) ?? command
  return url !== undefined && URL.canParse(url) ? new URL(url).host : (url ?? '')
}
