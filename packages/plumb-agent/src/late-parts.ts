// Parts of an agent that are loaded where its configuration, or the command line, asks for them.

import { holdsMedia, resolve } from '@plumb/lang'
import type { Result } from '@plumb/wire'
import type { PreparedAgent } from './config/prepare.js'
import type { ConversationOptions } from './conversation/conversation.js'
import type { Stderr } from './io/stderr.js'
import type { AgentOptions } from './options.js'
import type { Composing } from './tool/composing.js'

/** Undefined: no input of this agent can contain media, and no files are attached. */
export const openContent = async (
  { config, authority }: PreparedAgent,
  { run: { attach }, tools: { docroot = '.' } }: AgentOptions,
): Promise<Result<NonNullable<ConversationOptions['readContent']>> | undefined> => {
  if (attach.length === 0 && !holdsMedia(config.input)) return undefined
  const { openContentReader } = await import('./media/content.js')
  return openContentReader({ input: config.input, attach, reach: { docroot, authority: () => authority.current() } })
}

/** Undefined: each call of a tool is made separately. */
export const openChains = async ({ config: { compose } }: PreparedAgent): Promise<Composing | undefined> => {
  if (!compose) return undefined
  const { openComposing } = await import('./tool/composing.js')
  return openComposing(compose.maxOutput)
}

/** Undefined: no answers are kept. */
export const openKept = async (
  { config, agent }: PreparedAgent,
  options: AgentOptions,
  { warn }: Stderr,
): Promise<Result<NonNullable<ConversationOptions['kept']>> | undefined> => {
  if (options.kept.cache === undefined && options.kept.keptFd === undefined) return undefined
  const { openKeptQuestions } = await import('./kept/kept-questions.js')
  return openKeptQuestions({ config, options: options.kept, hasSecrets: agent.hasSecrets === true, warn })
}

/** Undefined: its calls may come in any order. */
export const openWalks = async ({ agent: { protocol } }: PreparedAgent): Promise<ConversationOptions['beginWalk']> => {
  if (!protocol) return undefined
  const { WalkedProtocol } = await import('@plumb/tool/protocol/walk')
  const walked = new WalkedProtocol(protocol)
  if (!protocol.isPerConversation) return () => walked.begin()
  return (memory) => {
    const walk = walked.begin(memory.at)
    // What another process, or an earlier run, has left in the memory.
    if (memory.at === undefined) walk.throughMemory(memory.walked)
    return walk
  }
}

/** Undefined: answers are told whole, or there is nobody to tell. */
export const openPartialsOf = async ({ config }: PreparedAgent): Promise<ConversationOptions['openPartials']> => {
  if (!config.isPartial || !config.hasTelemetry || resolve(config.output).kind === 'string') return undefined
  const { Partials } = await import('./answer/partials.js')
  return (type, emit) => new Partials(type, emit)
}
