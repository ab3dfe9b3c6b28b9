// Prepares everything that is needed before the first input is read, or returns all errors.

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type CheckedAgent, type Diagnostic, holdsMedia } from '@plumb/lang'
import { type BudgetLimits, readPrices } from '@plumb/ledger'
import type { Effect } from '@plumb/policy'
import { whyNotRead } from '@plumb/tool/source/agent/prompt-reach'
import {
  type Fault,
  fault,
  givenBudget,
  inheritedFds,
  leastOf,
  preview,
  type Result,
  resolveProgram,
  type SourceFiles,
  succeed,
  withAround,
} from '@plumb/wire'
import { guardOutputsBelow } from '@plumb/wire/output'
import type { AgentOptions } from '../options.js'
import { INSTALLED } from '../resource/installed.js'
import { AuthorityInForce, readGiven } from './authority.js'
import { type AgentConfig, readAgentConfig } from './config.js'
import { type InheritedSpec, loadAgent } from './load.js'

export interface PreparedAgent {
  readonly agent: CheckedAgent
  readonly config: AgentConfig
  readonly files: SourceFiles
  readonly fds: ReadonlySet<number>
  readonly authority: AuthorityInForce
  readonly limits: BudgetLimits | undefined
}

export interface Problems {
  readonly diagnostics: readonly Diagnostic[]
  readonly faults: readonly Fault[]
}

/** Reads nothing from stdin. */
export const prepare = async (options: AgentOptions, received: InheritedSpec | undefined): Promise<Result<PreparedAgent, Problems>> => {
  const { tools } = options
  const { agent, conversationKey, files, given, readText, holds, handed, diagnostics, faults } = await loadAgent(
    options,
    received,
    process.env.PLUMB_PATH,
  )
  const authority = readGiven(given?.authority, tools, readText)
  const grants = [authority.given.grant, agent?.config.grant as readonly Effect[] | undefined]
  const mayReadFiles = grants.every((grant) => grant?.includes('fs.read') ?? true)
  const isNarrowed = grants.some((grant) => grant !== undefined)
  const surroundings = {
    env: process.env,
    installed: INSTALLED,
    readText,
    handed,
    isElsewhere: received !== undefined,
    conversationKey,
    docroot: tools.docroot ?? '.',
    mayReadFiles,
    whyNotRead: (path: string, what: string) => {
      const docroot = tools.docroot ?? (isNarrowed ? '.' : undefined)
      return holds(path) ? undefined : whyNotRead(path, { directory: dirname(agent?.specPath ?? '.'), docroot, mayReadFiles }, what)
    },
  }
  const configured = agent && (await readAgentConfig(agent, options, surroundings))
  const budget = await readBudget(options.money)
  const fds = inheritedFds(options.lines.fds)

  const allFaults = [
    ...faults,
    ...(!configured || configured.ok ? [] : configured.error),
    ...(fds.ok ? [] : [fds.error]),
    ...checkDocroot(tools.docroot),
    ...authority.faults,
    ...budget.faults,
    ...(agent?.config.tools === undefined ? [] : checkToolCommand(tools.command)),
  ]
  if (diagnostics.length + allFaults.length > 0 || !agent || !configured?.ok || !fds.ok) {
    return { ok: false, error: { diagnostics, faults: allFaults.filter((error) => !isFollowUp(error, diagnostics)) } }
  }

  const config = configured.value
  const { grant, minutes, servers } = config
  const inForce = new AuthorityInForce(authority.given, { grant, minutes })
  // Only tools and files of inputs need it, and listening costs a start as much as the rest of its streams.
  if (config.tools.length + servers.length > 0 || holdsMedia(config.input)) given?.onAuthority?.((next) => inForce.renew(next))
  // No tool may change the policy that governs it, nor the answers that are believed the next time.
  const { policy, docroot } = tools
  const { cache } = options.kept
  guardOutputsBelow(docroot)
  const paths = policy === undefined ? [] : [resolve(policy)]
  const outputs = cache === undefined ? [] : [resolve(cache)]
  const kept = paths.length + outputs.length === 0 ? files : withAround(files, { paths, outputs })
  return { ok: true, value: { agent, config, files: kept, fds: fds.value, authority: inForce, limits: budget.limits } }
}

// Checked now, rather than at the first tool call.
const checkDocroot = (path: string | undefined): Fault[] => {
  if (path === undefined || isDirectory(path)) return []
  return [fault('file_not_found', `--docroot names '${preview(path)}', which is not a directory`)]
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** The parent's budget, else the limits of the command line, which apply once the configuration is known to be right. */
const readBudget = async ({
  budgetFd,
  maxCost,
  prices,
}: AgentOptions['money']): Promise<{ readonly limits: BudgetLimits | undefined; readonly faults: Fault[] }> => {
  if (budgetFd !== undefined) {
    const { joinBudget } = await import('@plumb/ledger/budget')
    const joined = joinBudget(budgetFd)
    return joined.ok ? { limits: joined.value.limits, faults: [] } : { limits: undefined, faults: [joined.error] }
  }
  const given = prices === undefined ? succeed(undefined) : readPrices(prices)
  const left = givenBudget(process.env)
  const cost = leastOf(maxCost, left.ok ? left.value : undefined)
  const limits = { calls: null, tokens: null, cost, prices: given.ok ? given.value : undefined }
  return { limits, faults: [given, left].flatMap((one) => (one.ok ? [] : [one.error])) }
}

const checkToolCommand = (program: string | undefined): Fault[] => {
  const found = program === undefined ? undefined : resolveProgram(program, '.', process.env.PATH)
  return found?.ok === false ? [fault(found.error.error, `instead of plumb-tool (--tool-command, PLUMB_TOOL): ${found.error.detail}`)] : []
}

// A key that the compiler refused for its value or its spelling is not missing; what has a place in the spec is told there alone.
const isFollowUp = ({ error, detail }: Fault, diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ code, message }) => code === error && message === detail) ||
  (error === 'missing_option' && namesKey(detail, diagnostics))

const namesKey = (detail: string, diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ message, help = '' }) =>
    KEYS.some((key) => detail.includes(key) && (message.startsWith(key) || help.includes(`mean ${key}`))),
  )

const KEYS = ["'provider'", "'model'"]
