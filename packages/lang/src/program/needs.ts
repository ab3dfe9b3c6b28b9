// What an agent or a tool needs on this machine: files beside the spec, programs, a known model of a provider.

import { readValue } from '../check/value.js'
import { ignore } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { Bound } from '../names/names.js'
import type { Json } from '../types/type.js'
import { agentOf } from './agent-plan.js'
import { serversOf } from './server-variables.js'
import { toolOf } from './tool-plan.js'

export interface Need {
  /** A program without a slash is looked up on PATH; all others are relative to the spec. */
  readonly kind: 'file' | 'program' | 'eliza model'
  readonly name: string
  /** The key that needs it. */
  readonly key: string
  readonly from: string
  /** Optional: a server that does not start is left out, with a warning of its own (plumb-tools(7)). */
  readonly isOptional: boolean
  /** The agent or tool. */
  readonly by: string
  readonly span: Span
}

/** For one agent or tool; only for a program without errors. */
export const needsOf = (bound: Bound): readonly Need[] => {
  const { impl } = bound.binding
  if (impl.kind !== 'agent' && impl.kind !== 'tool') return []
  const need = (kind: Need['kind'], key: string, name: string): Need => {
    const entry = impl.config.entries.find((e) => e.key.text === key)
    const span = entry && entry.value.span.source === bound.binding.span.source ? entry.value.span : bound.binding.name.span
    return { kind, name, key, from: bound.scope.module.path, isOptional: key === 'mcp', by: bound.name, span }
  }
  const own = impl.kind === 'agent' ? ofAgent(agentOf(bound).config, need) : ofTool(toolConfigOf(bound), need)
  // The value of a param is unknown yet.
  const isKnown = ({ key }: Need): boolean =>
    !impl.config.entries.some((e) => e.key.text === key && readValue(e.value, bound.scope, ignore)?.isUnknown)
  return [...own, ...serversOf(bound).flatMap((server) => ofServer(server, need))].filter(isKnown)
}

type Make = (kind: Need['kind'], key: string, name: string) => Need
type Config = { readonly [key: string]: Json }

const ofAgent = ({ prompt_file, prompts, script, via, command, provider, model }: Config, need: Make): Need[] => {
  // A bare name is looked up among the resources of plumb-agent.
  const files = texts(prompts).filter((path) => path.includes('/'))
  const [program] = texts(via ?? command)
  return [
    ...texts(prompt_file).map((path) => need('file', 'prompt_file', path)),
    ...files.map((path) => need('file', 'prompts', path)),
    ...texts(script).map((path) => need('file', 'script', path)),
    ...(program === undefined ? [] : [need('program', via === undefined ? 'command' : 'via', program)]),
    ...(provider === 'eliza' && typeof model === 'string' ? [need('eliza model', 'model', model)] : []),
  ]
}

const ofTool = ({ agent, function: code, command }: Config, need: Make): Need[] => {
  const [word] = texts(command).flatMap((text) => text.trim().split(/\s+/))
  return [
    ...texts(agent).map((path) => need('file', 'agent', path)),
    ...texts(code).map((path) => need('file', 'function', path.replace(/#.*$/s, ''))),
    // %20 is a space within a word (plumb-tools(7)).
    ...(word === undefined ? [] : [need('program', 'command', word.replaceAll('%20', ' '))]),
  ]
}

const ofServer = (server: Json, need: Make): Need[] => {
  if (typeof server !== 'object' || server === null) return []
  const { command, env } = server as Config
  // A program with a PATH of its own is found by that.
  const hasPath = typeof env === 'object' && env !== null && 'PATH' in env
  return typeof command === 'string' && !hasPath ? [need('program', 'mcp', command)] : []
}

const toolConfigOf = (bound: Bound): Config => {
  const { body } = toolOf(bound)
  return body.kind === 'tool' ? body.config : {}
}

const texts = (value: Json | undefined): string[] => {
  if (Array.isArray(value)) return value.flatMap(texts)
  return typeof value === 'string' ? [value] : []
}
