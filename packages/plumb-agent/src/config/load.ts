// Loads the agent that the command line names: as a parent has checked it, or from its spec.

import { readAgent, STANDARD_LIBRARY } from '@plumb/lang'
import {
  type Bundle,
  bundledFiles,
  diskFiles,
  type Fault,
  openBootstrap,
  type Result,
  readGivenValues,
  readSpec,
  type SourceFiles,
  succeed,
} from '@plumb/wire'
import type { AgentOptions } from '../options.js'
import type { CompiledAgent } from './compile-agent.js'
import { directoriesOf } from './prompts.js'

/** Texts and authority from a parent. */
export interface InheritedSpec {
  readonly bundle: Bundle
  readonly authority: unknown
  /** The agent's plan, if the parent has checked it. */
  readonly agent?: unknown
  /** The tools of the agent's MCP servers, if they were opened elsewhere. */
  readonly mcpTools?: unknown
  readonly onAuthority?: (listener: (authority: unknown) => void) => void
}

export interface LoadedAgent extends CompiledAgent {
  readonly given: InheritedSpec | undefined
  /** Reads files that the spec names: from the parent's texts, else from the disk. */
  readonly readText: (path: string) => Result<string>
  /** Handed over by a parent, or already read. */
  readonly holds: (path: string) => boolean
  /** The text that a parent handed over for a path. */
  readonly handed: (path: string) => string | undefined
}

const EVAL_PATH = '<eval>'

export const loadAgent = async (
  { spec, program, run, tools }: AgentOptions,
  received: InheritedSpec | undefined,
  searchPath: string | undefined,
): Promise<LoadedAgent> => {
  const { sourcesFd } = program
  const given = received || sourcesFd === undefined ? succeed(received) : openBootstrap(sourcesFd)
  const disk = diskFiles(directoriesOf(searchPath), STANDARD_LIBRARY)
  if (!given.ok) return refuse(given.error, disk)
  const files = given.value ? bundledFiles(given.value.bundle) : disk
  const readText = (name: string): Result<string> => {
    const held = given.value ? files.read(name) : undefined
    return held?.ok ? held : readSpec(name)
  }
  const holds = (name: string): boolean => given.value !== undefined && files.read(name).ok
  const handed = (name: string): string | undefined => {
    const held = given.value ? files.read(name) : undefined
    return held?.ok ? held.value : undefined
  }
  const base = { given: given.value, readText, holds, handed }
  const checked = given.value?.agent === undefined ? undefined : readAgent(given.value.agent)
  if (checked?.ok === false) return refuse(checked.error, files)
  // The expression that names a conversation is not handed over: it is compiled here.
  if (checked && checked.value.config.conversation === undefined)
    return { ...base, agent: checked.value, conversationKey: undefined, files, diagnostics: [], faults: [] }
  const path = spec.kind === 'file' ? spec.path : spec.kind === 'text' ? (spec.path ?? EVAL_PATH) : (given.value?.bundle.entry ?? '')
  const text = spec.kind === 'text' ? succeed(spec.text) : files.read(path)
  if (!text.ok) return refuse(text.error, files)

  const params = readGivenValues(program, given.value?.bundle)
  if (!params.ok) return refuse(params.error, files)
  const { compileAgent } = await import('./compile-agent.js')
  const isOfParent = sourcesFd !== undefined
  const source = {
    path,
    text: text.value,
    files,
    params: params.value,
    isOfParent,
    isSentHere: received !== undefined,
    checksTools: run.isCheck,
    // Those of a parent, and of another dispatcher, are loaded there; a check starts nothing.
    docroot: isOfParent || run.isCheck || tools.command !== undefined ? undefined : (tools.docroot ?? '.'),
  }
  const compiled = await compileAgent(source, program)
  const shownAt = spec.kind === 'text' ? spec.toPrompt : undefined
  return {
    ...base,
    ...compiled,
    ...(checked && { agent: checked.value, files }),
    ...(shownAt ? { diagnostics: compiled.diagnostics.map(shownAt) } : {}),
  }
}

const refuse = (error: Fault, files: SourceFiles): LoadedAgent => ({
  agent: undefined,
  conversationKey: undefined,
  files,
  given: undefined,
  readText: readSpec,
  holds: () => false,
  handed: () => undefined,
  diagnostics: [],
  faults: [error],
})
