// What a started program may reach, read from its sandbox (plumb-tools(7), Sandbox).

import type { Effect } from '../check/rules.js'
import type { Json } from '../types/type.js'

export interface Reach {
  /** It may send away what it is given. */
  readonly leaves: boolean
  /** It may fetch what somebody outside has written. */
  readonly isOutside: boolean
}

const WITH_NET: ReadonlySet<string> = new Set<Effect>(['net', 'net.private', 'model'])

/**
 * Effects that are declared open the network too. `isOpen`: the network is there unless `net` says otherwise, as for an agent, which needs it
 * for its model: so that alone says nothing of what it reads.
 */
const reachOfSandbox = (sandbox: Json | undefined, declared: Json | undefined, isOpen = false): Reach => {
  if (sandbox === false) return { leaves: true, isOutside: true }
  const { net, sockets } = Object(sandbox) as { readonly net?: Json; readonly sockets?: Json }
  const byEffects = Array.isArray(declared) && declared.some((effect) => WITH_NET.has(String(effect)))
  const isOutside = net === undefined ? byEffects : net !== false
  return { leaves: isOutside || (isOpen && net === undefined) || (Array.isArray(sockets) && sockets.length > 0), isOutside }
}

type Config = { readonly [key: string]: Json }

/** Of a tool that starts a program for each call; an agent and a server are another matter. */
export const reachOfTool = (source: string, config: Config): Reach =>
  source === 'command' || source === 'function' ? reachOfSandbox(config.sandbox, config.effects) : { leaves: false, isOutside: false }

/** `around`: of the tool that runs it, whose sandbox takes the place of its own. */
export const reachOfAgent = ({ command, via, a2a, sandbox }: Config, around?: Config): Reach => {
  // What an agent elsewhere says, somebody outside has written.
  if (a2a !== undefined) return { leaves: true, isOutside: true }
  if (via !== undefined) return { leaves: true, isOutside: false }
  if (command === undefined) return { leaves: false, isOutside: false }
  const isReplaced = typeof around?.sandbox === 'object' && around.sandbox !== null
  return isReplaced ? reachOfSandbox(around.sandbox, around.effects) : reachOfSandbox(sandbox, undefined, true)
}
