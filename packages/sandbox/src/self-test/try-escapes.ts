// Tries the escapes one after the other, each in a new sandbox.

import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { andThen, type Result, runSync, type SyncResult, siblingProgram, succeed } from '@plumb/wire'
import type { Bubblewrap } from '../plan/probe.js'
import { readSandbox } from '../plan/sandbox.js'
import { buildSandboxCommand } from '../run/bubblewrap-command.js'
import { ESCAPES, type Escape } from './escapes.js'
import { type EscapeFixture, withFixture } from './fixture.js'

export interface EscapeResult {
  readonly name: string
  readonly verdict: 'held' | 'not held' | 'not applicable'
  /** Why the escape could not be tried, or what the program printed if it was not held. */
  readonly said?: string
}

const TIMEOUT_MS = 20_000

/** `isBoxed: false` runs them without a sandbox, to prove that a successful escape is detected. */
export const tryEscapes = async (box: Bubblewrap, { isBoxed = true } = {}): Promise<readonly EscapeResult[]> => {
  const before = process.env.HOME
  return withFixture(box, (ground) => {
    process.env.HOME = ground.home
    try {
      return ESCAPES.map((escape) => tryOne(escape, ground, isBoxed))
    } finally {
      if (before === undefined) delete process.env.HOME
      else process.env.HOME = before
    }
  })
}

const tryOne = (escape: Escape, ground: EscapeFixture, isBoxed: boolean): EscapeResult => {
  const { name } = escape
  const command = escape.command(ground)
  if ('cannot' in command) return { name, verdict: 'not applicable', said: command.cannot }
  const env = { PATH: process.env.PATH ?? '', HOME: ground.home }
  const end = escape.isGivenDescriptors
    ? succeed(runWithDescriptors(isBoxed ? inPlumbTool(command, ground) : command, ground, env))
    : isBoxed
      ? runBoxed(command, ground, env)
      : succeed(runPlain(command, ground, env))
  if (!end.ok) return { name, verdict: 'not held', said: end.error.detail }
  if (escape.isHeld(end.value, ground)) return { name, verdict: 'held' }
  const { status, stdout, stderr } = end.value
  const said = `${stdout}${stderr}`.trim().slice(-MAX_SAID)
  return { name, verdict: 'not held', said: `status ${status}${said === '' ? '' : `: ${said}`}` }
}

const MAX_SAID = 200

const runPlain = (
  command: readonly string[],
  { docroot }: EscapeFixture,
  env: Readonly<Record<string, string>>,
  shared: Readonly<Record<number, number>> = {},
): SyncResult => runSync({ command: command as [string, ...string[]], cwd: docroot, env, shared, timeoutMs: TIMEOUT_MS })

/** Each after a gap, as `exec 200<directory` leaves one. */
const [OUTSIDE_FD, SECRET_FD] = [30, 200]

const runWithDescriptors = (command: readonly string[], ground: EscapeFixture, env: Readonly<Record<string, string>>): SyncResult => {
  const [outside, secret] = [openSync(ground.outside, 'r'), openSync(join(ground.outside, 'secret'), 'r')]
  const end = runPlain(command, ground, env, { [OUTSIDE_FD]: outside, [SECRET_FD]: secret })
  closeSync(outside)
  closeSync(secret)
  return end
}

const inPlumbTool = ([, , script]: readonly string[], { spec }: EscapeFixture): readonly string[] => {
  const input = JSON.stringify({ arguments: [script] })
  return [siblingProgram('plumb-tool'), '--raw-output', spec, 'call', 'sh', input]
}

const runBoxed = (command: readonly string[], { docroot }: EscapeFixture, env: Readonly<Record<string, string>>): Result<SyncResult> => {
  const request = { who: 'plumb-tool sandbox', docroot, isDefault: false }
  const sandbox = andThen(readSandbox({ write: ['out'] }, request), (open) => open({ warn() {} }))
  if (!sandbox.ok) return sandbox
  if (!sandbox.value) throw new TypeError('a sandbox was asked for')
  const enclosure = buildSandboxCommand(sandbox.value, { program: command, cwd: docroot, env, visible: [], programFiles: { paths: [] } })
  if (!enclosure.ok) return enclosure
  const { command: before, given, shared, env: inner, close, settle } = enclosure.value
  const whole = [...before, ...command] as unknown as [string, ...string[]]
  const end = runSync({ command: whole, cwd: docroot, env: inner, given: given ?? {}, shared: shared ?? {}, timeoutMs: TIMEOUT_MS })
  close()
  settle()
  return succeed(end)
}
