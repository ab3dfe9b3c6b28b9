// plumb-tool sandbox: which sandbox this machine has, and whether it holds programs.

import { readFileSync } from 'node:fs'
import { probeBubblewrap, tryEscapes } from '@plumb/sandbox'
import { fault, runSync } from '@plumb/wire'
import type { RunCommand } from './command.js'
import { writeLines } from './write-lines.js'

export const sandbox: RunCommand = async (_tools, { options: { verb }, reporter }) => {
  const box = probeBubblewrap()
  const facts = { ...kernelFacts(), ...(box.ok ? { bubblewrap: `${versionOf(box.value.bwrap)} at ${box.value.bwrap}` } : {}) }
  if (!box.ok) {
    await writeLines(verb.wantsJson ? [JSON.stringify({ ...facts, works: false })] : rowsOf(facts), reporter)
    reporter.report(fault('config_invalid', `no sandbox can be had here: ${box.error.detail}`))
    return undefined
  }
  const tried = await tryEscapes(box.value)
  const lines = verb.wantsJson
    ? [JSON.stringify({ ...facts, works: true }), ...tried.map((one) => JSON.stringify(one))]
    : [
        ...rowsOf(facts),
        '',
        ...tried.map(
          ({ name, verdict, said }) =>
            `${verdict === 'not held' ? 'NOT HELD' : verdict}`.padEnd(WIDTH) + name + (said === undefined ? '' : ` (${said})`),
        ),
      ]
  await writeLines(lines, reporter)
  if (tried.some(({ verdict }) => verdict === 'not held')) reporter.status = 1
  return undefined
}

const WIDTH = 16

const rowsOf = (facts: Readonly<Record<string, string>>): string[] =>
  Object.entries(facts).map(([name, value]) => `${name.padEnd(WIDTH)}${value}`)

const versionOf = (bwrap: string): string =>
  runSync({ command: [bwrap, '--version'], env: {}, timeoutMs: VERSION_TIMEOUT_MS })
    .stdout.trim()
    .split(' ')
    .at(-1) ?? ''

const VERSION_TIMEOUT_MS = 5000

/** Kernel settings that may prevent sandboxes. */
const SETTINGS: Readonly<Record<string, string>> = {
  kernel: '/proc/sys/kernel/osrelease',
  'user namespaces': '/proc/sys/user/max_user_namespaces',
  'for users': '/proc/sys/kernel/unprivileged_userns_clone',
  AppArmor: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
  'ptrace scope': '/proc/sys/kernel/yama/ptrace_scope',
  modules: '/sys/kernel/security/lsm',
}

const kernelFacts = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, path]) => {
      try {
        return [[name, readFileSync(path, 'utf8').trim()]]
      } catch {
        return []
      }
    }),
  )
