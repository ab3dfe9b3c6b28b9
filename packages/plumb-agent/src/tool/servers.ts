// How this agent gets the tools of its MCP servers: from the file or the messages of the parent that opened them, else from a child
// plumb-tool.

import { statSync } from 'node:fs'
import { type Fault, fail, fault, preview, type Result, readSpec, succeed } from '@plumb/wire'
import type { PreparedAgent } from '../config/prepare.js'
import { type OwnServersParts, openOwnServers } from './own-servers.js'
import { type OfferedTools, readOfferedTools, type Servers } from './server-catalogue.js'

export interface ServersParts extends OwnServersParts {
  /** As it came with the spec. */
  readonly given: unknown
}

/** Undefined: errors were reported. */
export const openServers = async ({ prepared, options, given, report, writeStderr }: ServersParts): Promise<Servers | undefined> => {
  const path = process.env.PLUMB_MCP_TOOLS
  if (given === undefined && !path) return openOwnServers({ prepared, options, report, writeStderr })
  const opened = given === undefined ? fromFile(path ?? '', prepared, report) : fromMessages(given, prepared, report)
  if (opened.ok) return opened.value
  report(opened.error)
  return undefined
}

/** Reads the file again when it was replaced: its writer renames a complete new one into its place. */
const fromFile = (path: string, { config }: PreparedAgent, report: (fault: Fault) => void): Result<Servers> => {
  const first = readFile(path, config.servers)
  if (!first.ok) return first
  let catalogue = first.value
  let state = stateOf(path)
  const offered = (): OfferedTools => {
    const now = stateOf(path)
    // At the end of a run the file is removed, and its last list stays valid.
    if (now === undefined || now === state) return catalogue
    state = now
    const next = readFile(path, config.servers)
    if (next.ok) catalogue = next.value
    else report(fault('read_failed', next.error.detail))
    return catalogue
  }
  return succeed({ offered, own: undefined, renew: () => {} })
}

const readFile = (path: string, servers: PreparedAgent['config']['servers']): Result<OfferedTools> => {
  const text = readSpec(path)
  if (!text.ok) return fail(text.error.error, `PLUMB_MCP_TOOLS: ${text.error.detail}`)
  const read = readOfferedTools(parse(text.value), servers)
  return read.ok ? read : fail('config_invalid', `PLUMB_MCP_TOOLS names '${preview(path, 200)}': ${read.error.detail}`)
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const stateOf = (path: string): string | undefined => {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat && `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`
}

const fromMessages = (given: unknown, { config }: PreparedAgent, report: (fault: Fault) => void): Result<Servers> => {
  const read = readOfferedTools(given, config.servers)
  if (!read.ok) return fail('config_invalid', `the tools of the MCP servers came with the spec: ${read.error.detail}`)
  let catalogue = read.value
  const renew = (list: unknown): void => {
    const next = readOfferedTools(list, config.servers)
    if (next.ok) catalogue = next.value
    else report(fault('input_type_mismatch', `the tools of the MCP servers changed: ${next.error.detail}`))
  }
  return succeed({ offered: () => catalogue, own: undefined, renew })
}
