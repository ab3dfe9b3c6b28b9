// The file with the tools of its servers, for a separate plumb-agent (plumb-tools(7), MCP servers): private, and removed at exit.

import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasOwnerExited, OWNER } from '@plumb/sandbox'
import { fail, type Result, succeed, systemReason } from '@plumb/wire'
import type { OfferedTool } from './offered-tool.js'

export interface ToolsFile {
  /** Absolute: the value of PLUMB_MCP_TOOLS. */
  readonly path: string
  /** Written atomically: a concurrent reader gets the old list or the new. */
  write(offers: readonly OfferedTool[]): Result<void>
  remove(): void
}

export const openToolsFile = (offers: readonly OfferedTool[]): Result<ToolsFile> => {
  try {
    sweep()
    // Its mode is 0700.
    const directory = mkdtempSync(join(tmpdir(), `plumb-mcp-${OWNER}-`))
    const remove = (): void => {
      process.off('exit', remove)
      rmSync(directory, { recursive: true, force: true })
    }
    process.on('exit', remove)
    const path = join(directory, 'tools.json')
    const write = (next: readonly OfferedTool[]): Result<void> => attempt(path, next)
    const written = write(offers)
    if (!written.ok) remove()
    return written.ok ? succeed({ path, write, remove }) : written
  } catch (error) {
    return refuse(error)
  }
}

const DIRECTORY = /^plumb-mcp-(\d+-\d+)-/

/** Those of killed processes. */
const sweep = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const owner = DIRECTORY.exec(name)?.[1]
    if (owner === undefined || !hasOwnerExited(owner)) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {
      // Another user's.
    }
  }
}

const attempt = (path: string, offers: readonly OfferedTool[]): Result<void> => {
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(offers)}\n`, { mode: 0o600 })
    // Regardless of the umask.
    chmodSync(`${path}.new`, 0o600)
    renameSync(`${path}.new`, path)
    return succeed(undefined)
  } catch (error) {
    return refuse(error)
  }
}

const refuse = (error: unknown): Result<never> =>
  fail('write_failed', `cannot write the file for PLUMB_MCP_TOOLS: ${systemReason(error as NodeJS.ErrnoException)}`)
