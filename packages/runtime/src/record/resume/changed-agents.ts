// Finds the agents of a spec that have changed since a run was recorded, so that they ask again: by a digest of everything that an agent's
// requests depend on apart from its inputs.

import { type AgentPlan, agentOf, type Graph, planOf, toSchema } from '@plumb/lang'
import { hashOf } from '@plumb/ledger/kept'
import { readSpec, type SourceFiles } from '@plumb/wire'
import { placesOf } from '../../event/wires.js'
import type { RunOptions } from '../../options/run-options.js'

/** By place; those of nested plumbs after theirs. */
export type AgentDigests = Readonly<Record<string, string>>

type DigestOptions = RunOptions['agents']

/** `skills`: digests of what their paths hold. */
interface Texts {
  readonly files: SourceFiles
  readonly skills: ReadonlyMap<string, string>
}

export const agentDigests = (graph: Graph, texts: Texts, options: DigestOptions): AgentDigests =>
  Object.fromEntries(digestsOf(graph, texts, options, ''))

const digestsOf = (graph: Graph, texts: Texts, options: DigestOptions, around: string): [string, string][] =>
  [...placesOf(graph)].flatMap(([{ work }, place]): [string, string][] => {
    if (work.kind === 'plumb') return digestsOf(planOf(work.bound), texts, options, `${around}${place}~`)
    return work.kind === 'agent' ? [[`${around}${place}`, digestOf(agentOf(work.bound), texts, options)]] : []
  })

const digestOf = (
  { config: whole, input, output, specPath }: AgentPlan,
  { files, skills: digests }: Texts,
  options: DigestOptions,
): string => {
  // On these no answer depends.
  const { partial: _, price_as: __, key_command: ___, ...config } = whole
  const named = ['prompt_file', 'prompts', 'script', 'history', 'command'].flatMap((key) => config[key] ?? [])
  const texts = named.flatMap((path) => {
    const read = typeof path === 'string' && path.includes('/') ? readSpec(files.beside(path, specPath)) : undefined
    return read?.ok ? [read.value] : []
  })
  const skills = ((config.skills ?? []) as readonly string[]).map((path) => digests.get(files.beside(path, specPath)) ?? '')
  const asked = {
    provider: options.provider ?? config.provider ?? process.env.PLUMB_PROVIDER,
    model: options.model ?? config.model ?? process.env.PLUMB_MODEL,
  }
  return hashOf({ ...config, ...asked, types: [toSchema(input), toSchema(output)], texts, ...(skills.length > 0 ? { skills } : {}) })
}

/** The places with a new digest; a new name alone changes nothing. */
export const changedAgents = (before: AgentDigests, now: AgentDigests): string[] => {
  const known = new Set(Object.values(before))
  return Object.entries(now).flatMap(([place, digest]) => (known.has(digest) ? [] : [place]))
}
