// plumb version: prints the version, and with --json the facts about the machine that a bug report needs.

import { arch, platform, release } from 'node:os'
import { PRICES_SOURCE, versionAndPrices } from '@plumb/ledger'
import { endWith, siblingProgram, writeStdout } from '@plumb/wire'
import { version } from '../../package.json'

const PROGRAMS = ['plumb', 'plumb-agent', 'plumb-chat', 'plumb-mcp', 'plumb-mux', 'plumb-serve', 'plumb-tool'] as const

/** Resolves to the exit status. */
export const printVersion = async ({ json = false }: { readonly json?: boolean }): Promise<number> =>
  endWith('plumb', await writeStdout(`${json ? JSON.stringify(describe()) : versionAndPrices(version)}\n`))

/** `programs`: the file of each executable that this one starts; a bare name is looked up on PATH. */
const describe = () => ({
  version,
  node: process.version,
  platform: `${platform()}-${arch()}`,
  kernel: release(),
  prices: PRICES_SOURCE,
  programs: Object.fromEntries(PROGRAMS.map((name) => [name, siblingProgram(name)])),
})
