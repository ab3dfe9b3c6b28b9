// An agent that runs elsewhere (plumb(1), Agents elsewhere): everything that it has here on descriptors, it gets there in envelopes on one
// stream.

import { basename, dirname, isAbsolute, join } from 'node:path'
import type { AgentPlan } from '@plumb/lang'
import { currentBudget } from '@plumb/ledger'
import { whyNotRead } from '@plumb/tool/source/agent/prompt-reach'
import { packFolders, SKILL_FILE, skillFoldersAt } from '@plumb/tool/source/skill/skill-folder'
import { andThen, type Child, childEnv, type Fault, type Result, readSpec, spawnChild } from '@plumb/wire'
import { type AgentStart, ENVELOPE_BYTES, envNames, wordsForChildren } from './agent-start.js'
import { envelopedChild } from './enveloped-child.js'
import type { UnreadableLines } from './output.js'
import { emitsMemory } from './plan.js'

/** plumb-agent takes its spec from the first envelope, on this port, and renewed authority from later ones. */
export const SPEC_PORT = 'spec'

/** How calls of an agent elsewhere are granted. */
export interface BudgetChannel {
  /** `denied`: why the call may not be made. */
  answer(ask: number, denied: Fault | undefined): void
  /** It makes no more requests. */
  close(): void
}

export interface Elsewhere {
  readonly child: Child
  /** Undefined: there is no budget, or it is a foreign program. */
  readonly channel: BudgetChannel | undefined
  readonly unreadable: UnreadableLines
}

export const spawnVia = (via: readonly string[], start: AgentStart): Result<Elsewhere> => {
  const { plan, program, fds, settings, offers } = start
  const { authoritySource, options, report } = settings
  const child = spawnChild({ command: viaArguments(via, start), env: childEnv('foreign', envNames(plan)), isForeign: true })
  if (!child.ok) return child

  const { name } = plan.bound
  const budget = program ? undefined : currentBudget()
  const enveloped = envelopedChild({
    child: child.value,
    fds,
    maxLine: options.lines.maxLine + ENVELOPE_BYTES,
    isHeldOpen: budget !== undefined,
    report: (fault) => report({ ...fault, detail: `'${name}' gave what is not a message: ${fault.detail}`, process: name }),
  })
  if (!program) {
    const grant = authoritySource.authorityFor(plan)
    enveloped.send(SPEC_PORT, JSON.stringify({ ...specSent(start), authority: grant?.(), mcp_tools: offers?.now, budget: budget?.limits }))
    offers?.onChange((mcp_tools) => enveloped.send(SPEC_PORT, JSON.stringify({ mcp_tools })))
    if (grant) authoritySource.keepRenewed((authority) => enveloped.send(SPEC_PORT, JSON.stringify({ authority })), grant)
  }
  const channel = budget && {
    answer: (ask: number, denied: Fault | undefined) => enveloped.send(SPEC_PORT, JSON.stringify({ budget: { ask, denied } })),
    close: enveloped.letGo,
  }
  return { ok: true, value: { child: enveloped.child, channel, unreadable: enveloped.unreadable } }
}

const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/

/**
 * Words without shell metacharacters stay unchanged, so that they arrive through `docker exec` too, which has no shell; others are quoted
 * for one. Behind a `-c` all of them are one word.
 */
const viaCommand = (via: readonly string[], command: readonly string[]): string[] => {
  const words = command.map(quoted)
  return isShell(via) ? [...via, words.join(' ')] : [...via, ...words]
}

/** For a shell. */
export const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

const isShell = (via: readonly string[]): boolean => {
  const [shell = '', option = ''] = via.slice(-2)
  return /^-[a-z]*c$/.test(option) && /^(ba|da|k|z|a|mk)?sh$/.test(basename(shell))
}

/** The same words for every agent, without shell metacharacters: options travel with the spec. */
export const viaArguments = (via: readonly string[], { program }: AgentStart): string[] =>
  viaCommand(via, program ? ['plumb-mux', '--tell-unreadable', '--', ...program] : ['plumb-agent', '--mux', '--spec-envelope'])

/** The first message of a plumb-agent, without its authority. */
export const specSent = ({ plan, settings }: AgentStart) => {
  const memory = emitsMemory(plan, settings) ? ['--tell-memory'] : []
  const args = ['--agent', plan.bound.name, '--numbered', '--telemetry', ...memory, ...wordsForChildren(settings)]
  // Programs around it here are not there.
  const { around: _, ...bundle } = settings.files.bundle(plan.specPath)
  return { ...bundle, files: { ...bundle.files, ...namedFiles(plan, settings) }, args }
}

// Files that the spec names for this agent; one that cannot, or may not, be read here is looked up there, and refused there by the same
// rules. A bare name of a prompt is not a file.
const namedFiles = (
  { config, specPath }: AgentPlan,
  { authoritySource, docroot }: AgentStart['settings'],
): Readonly<Record<string, string>> => {
  const grants = [authoritySource.authority.grant, config.grant as readonly string[] | undefined].filter((grant) => grant !== undefined)
  const reach = {
    directory: dirname(specPath),
    docroot: docroot ?? (grants.length > 0 ? '.' : undefined),
    mayReadFiles: grants.every((grant) => grant.includes('fs.read')),
  }
  const own = typeof config.prompt_file === 'string' ? [config.prompt_file] : []
  const named = [...own, ...((config.prompts ?? []) as readonly string[]).filter((name) => name.includes('/'))]
  const prompts = named.map((name) => beside(specPath, name))
  const open = prompts.filter((path) => whyNotRead(path, reach, '') === undefined)
  const paths = config.script === undefined ? open : [...open, beside(specPath, config.script as string)]
  const texts = paths.map((path) => [path, readSpec(path)] as const)
  const skills = ((config.skills ?? []) as readonly string[]).flatMap((named) => {
    const path = beside(specPath, named)
    const isOpen = whyNotRead(join(path, SKILL_FILE), reach, '') === undefined
    return isOpen ? [[path, andThen(skillFoldersAt(path, named), packFolders)] as const] : []
  })
  return Object.fromEntries([...texts, ...skills].flatMap(([path, text]) => (text.ok ? [[path, text.value]] : [])))
}

const beside = (specPath: string, name: string): string => (isAbsolute(name) ? name : join(dirname(specPath), name))
