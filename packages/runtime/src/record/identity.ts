// The identity of a run: everything that its answers depend on. A resumed run with another identity reports what has changed.

import { type Graph, namedFiles, namedSkills, secretParams } from '@plumb/lang'
import { readSpec, scrub, sha256Of } from '@plumb/wire'
import { envelopesOf, type RunOptions, wordsOfAgents } from '../options/run-options.js'
import type { LoadedSpec } from '../spec/load.js'
import type { RunFile } from './directory.js'
import { agentDigests } from './resume/changed-agents.js'

export type RunIdentity = Pick<RunFile, 'files' | 'options' | 'agents'>

export const identityOfRun = async ({ compiled, files }: LoadedSpec, graph: Graph, options: RunOptions): Promise<RunIdentity> => {
  const { program } = compiled
  const bundle = files.bundle(program.entry.module.path)
  const named = namedFiles(program).flatMap(({ path, from }) => {
    const beside = files.beside(path, from)
    const text = readSpec(beside)
    return text.ok ? [[beside, text.value] as const] : []
  })
  const texts = [...Object.entries(bundle.files), ...named].filter(([path]) => !path.startsWith('<'))
  const entry = program.entry.module
  const hashes = [...texts, [entry.path, bundle.files[entry.path] ?? ''] as const].map(([path, text]) => [path, sha256Of(text)])
  const skills = await digestsOfSkills(namedSkills(program).flatMap(({ from, paths }) => paths.map(({ path }) => files.beside(path, from))))
  // As text: JavaScript numbers would lose digits.
  const keys = secretParams(program.scopes)
  const params = Object.fromEntries(
    compiled.params.flatMap(({ name, param, isGiven, isSecret }) =>
      isGiven ? [[name, isSecret || keys.has(param) ? '***' : param.text]] : [],
    ),
  )
  const known = { ...answeringOptions(options), ...(Object.keys(params).length > 0 ? { params } : {}) }
  const agents = agentDigests(graph, { files, skills }, options.agents)
  return { files: Object.fromEntries([...hashes, ...skills]), agents, options: JSON.parse(scrub(JSON.stringify(known))) }
}

/** By path; what reads them is loaded for a program that has some. */
const digestsOfSkills = async (paths: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (paths.length === 0) return new Map()
  const { digestOfSkills } = await import('@plumb/tool/source/skill/skill-folder')
  return new Map(paths.map((path) => [path, digestOfSkills(path) ?? '']))
}

const answeringOptions = ({ run, lines, agents, permissions, programs }: RunOptions) => ({
  binding: run.binding,
  raw_input: lines.rawInput,
  envelopes: envelopesOf(lines),
  docroot: permissions.docroot ?? null,
  handed_on: wordsOfAgents({ ...agents, isPartial: false }),
  grant: permissions.grant,
  policy: permissions.policy ?? null,
  context: permissions.context,
  agent_command: programs.agent ?? null,
  tool_command: programs.tool ?? null,
  provider: process.env.PLUMB_PROVIDER ?? null,
  model: process.env.PLUMB_MODEL ?? null,
})

/** How they differ, for an error. Undefined: they do not. */
export const describeDifference = (before: Omit<RunIdentity, 'agents'>, now: Omit<RunIdentity, 'agents'>): string | undefined => {
  const changes = [
    ...changed(before.files, now.files).map((path) => `'${path}' ${fileChange(before.files[path], now.files[path])}`),
    ...changed(before.options, now.options).map(
      (name) => `option ${name} was ${show(before.options[name])} and is ${show(now.options[name])}`,
    ),
  ]
  return changes.length === 0 ? undefined : changes.join('; ')
}

const changed = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]))

const fileChange = (before: string | undefined, now: string | undefined): string =>
  before === undefined ? 'is only in this run' : now === undefined ? 'was only in the recorded run' : 'has changed'

const show = (value: unknown): string => JSON.stringify(value) ?? 'not given'
