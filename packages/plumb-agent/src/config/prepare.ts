// Everything that is needed before the first input is read; what is wrong with any of it is told at once.

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type CheckedAgent, type Diagnostic, toShown } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import { whyNotRead } from '@plumb/tool/source/agent/prompt-reach'
import { type Fault, fault, inheritedFds, joinBudget, preview, resolveProgram, type SourceFiles, withAround } from '@plumb/wire'
import type { Stderr } from '../io/stderr.js'
import type { Options } from '../options.js'
import { INSTALLED } from '../resource/installed.js'
import { AuthorityInForce, readGiven } from './authority.js'
import { type Config, readConfig } from './config.js'
import { type Given, loadAgent } from './load.js'

export interface Prepared {
  readonly agent: CheckedAgent
  readonly config: Config
  readonly files: SourceFiles
  readonly fds: ReadonlySet<number>
  readonly authority: AuthorityInForce
}

/** Undefined: it was told on stderr why not. Nothing is read from stdin. */
export const prepare = (options: Options, received: Given | undefined, stderr: Stderr): Prepared | undefined => {
  const { agent, files, given, readText, holds, diagnostics, faults } = loadAgent(options, received, process.env.PLUMB_PATH)
  const authority = readGiven(given?.authority, options, readText)
  const grants = [authority.given.grant, agent?.config.grant as readonly Effect[] | undefined]
  const mayReadFiles = grants.every((grant) => grant?.includes('fs.read') ?? true)
  const isNarrowed = grants.some((grant) => grant !== undefined)
  const surroundings = {
    env: process.env,
    installed: INSTALLED,
    readText,
    isElsewhere: received !== undefined,
    docroot: options.docroot ?? '.',
    mayReadFiles,
    whyNotRead: (path: string, what: string) => {
      const docroot = options.docroot ?? (isNarrowed ? '.' : undefined)
      return holds(path) ? undefined : whyNotRead(path, { folder: dirname(agent?.specPath ?? '.'), docroot, mayReadFiles }, what)
    },
  }
  const configured = agent && readConfig(agent, options, surroundings)
  const fds = inheritedFds(options.fds)

  for (const diagnostic of diagnostics) stderr.write(toShown(diagnostic, process.env.PLUMB_ERRORS === 'json'))
  const others = [
    ...faults,
    ...(configured?.faults ?? []),
    ...(fds.ok ? [] : [fds.error]),
    ...checkDocroot(options.docroot),
    ...authority.faults,
    ...checkBudget(options.budgetFd),
    ...(agent?.config.tools === undefined ? [] : checkToolCommand(options.toolCommand)),
  ]
  for (const error of others) if (!isTold(error, diagnostics)) stderr.report(error)
  if (diagnostics.length + others.length > 0 || !agent || !configured?.config || !fds.ok) return undefined

  const { grant, minutes, tools, servers } = configured.config
  const inForce = new AuthorityInForce(authority.given, { grant, minutes })
  // Without tools there is nothing to be done, and to listen costs a start as much as the rest of its streams.
  if (tools.length + servers.length > 0) given?.onAuthority?.((next) => inForce.renew(next))
  // No tool writes what says what it may do.
  const handed = options.policy === undefined ? files : withAround(files, { paths: [resolve(options.policy)] })
  return { agent, config: configured.config, files: handed, fds: fds.value, authority: inForce }
}

// A name that is wrong is wrong now, and not when the first tool is called.
const checkDocroot = (path: string | undefined): Fault[] => {
  if (path === undefined || isFolder(path)) return []
  return [fault('file_not_found', `--docroot names '${preview(path)}', which is no folder`)]
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const checkBudget = (fd: number | undefined): Fault[] => {
  const joined = fd === undefined ? undefined : joinBudget(fd)
  return joined?.ok === false ? [joined.error] : []
}

const checkToolCommand = (program: string | undefined): Fault[] => {
  const found = program === undefined ? undefined : resolveProgram(program, '.', process.env.PATH)
  return found?.ok === false ? [fault(found.error.error, `in place of plumb-tool (--tool-command, PLUMB_TOOL): ${found.error.detail}`)] : []
}

// A key whose value the compiler refused, or whose name is misspelt, is not missing.
const isTold = ({ error, detail }: Fault, diagnostics: readonly Diagnostic[]): boolean =>
  error === 'missing_option' &&
  diagnostics.some(({ message, help = '' }) =>
    KEYS.some((key) => detail.includes(key) && (message.startsWith(key) || help.includes(`mean ${key}`))),
  )

const KEYS = ["'provider'", "'model'"]
