// long
// A plan of mounts that is used again is the one that would be made anew, whatever was changed between two calls.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { planReads, type ReadRequest } from '../../sandbox/src/plan/read-plan.js'
import type { Sandbox } from '../../sandbox/src/plan/sandbox.js'

const seed = Number(process.env.PLUMB_SEED ?? Date.now() % 100_000)
const ROUNDS = 200
/** Then all is laid anew: much of what is removed or moved away does not come back by itself. */
const ROUNDS_OF_A_LAYOUT = 10

let state = seed
const random = (below: number): number => {
  state = (state * 1103515245 + 12345) % 2 ** 31
  return Math.floor((state / 2 ** 31) * below)
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T

const base = realpathSync(mkdtempSync(join(tmpdir(), 'plumb-plan-')))
t.teardown(() => rmSync(base, { recursive: true, force: true }))
const docroot = join(base, 'a/work')
const lay = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(join(base, path, '..'), { recursive: true })
  writeFileSync(join(base, path), text)
  chmodSync(join(base, path), mode)
}
const layAll = (): void => {
  rmSync(base, { recursive: true, force: true })
  for (const name of ['py/bin/python3', 'py2/bin/python3', 'app/bin/run', 'a/work/tool', 'a/work/venv/bin/tool'])
    lay(name, '#!/bin/sh\n', 0o755)
  for (const name of ['py/lib/m', 'py2/lib/m', 'app/lib/m', 'app/package.json', 'keys/k', 'other/node_modules/m']) lay(name, '{}')
  lay('a/work/data/x', '')
  lay('a/work/gen/made.sh', 'echo')
}

/** What may stand at these paths of the docroot, or above it. */
const PLACES = [
  'a/work/tool',
  'a/work/data',
  'a/work/gen',
  'a/work/gen/made.sh',
  'a/work/venv/bin/tool',
  'a/work/venv/pyvenv.cfg',
  'a/work/package.json',
  'a/work/node_modules',
  'a/node_modules',
  'a/.python-version',
  'app/bin/run',
  'app/package.json',
  'py/lib',
]
const TEXTS = [
  '',
  '#!/bin/sh\n',
  `#!${base}/app/bin/run\n`,
  `#!${base}/py/bin/python3 -u\n`,
  `home = ${base}/py/bin\n`,
  `home = ${base}/py2/bin\n`,
]
const TARGETS = ['py', 'py/bin', 'py/bin/python3', 'app', 'app/bin/run', 'app/lib', 'keys', 'keys/k', 'other/node_modules', 'none']

const CHANGES: readonly ((path: string) => void)[] = [
  (path) => writeFileSync(path, pick(TEXTS)),
  (path) => writeFileSync(path, pick(TEXTS)),
  (path) => chmodSync(path, pick([0o644, 0o755])),
  (path) => rmSync(path, { recursive: true }),
  (path) => mkdirSync(path, { recursive: true }),
  (path) => symlinkSync(join(base, pick(TARGETS)), path),
  (path) => {
    unlinkSync(path)
    symlinkSync(join(base, pick(TARGETS)), path)
  },
  (path) => renameSync(path, join(base, pick(PLACES))),
]

const sandboxOf = (): Sandbox => ({
  who: "tool 'x'",
  bwrap: '/usr/bin/bwrap',
  arch: 'x64',
  hasNet: true,
  hosts: undefined,
  docroot,
  write: [],
  read: [join(docroot, 'data')],
  sockets: [],
  memory: undefined,
  outlet: {},
})

const REQUESTS: readonly ReadRequest[] = [
  { program: join(docroot, 'tool'), words: [] },
  { program: join(docroot, 'venv/bin/tool'), words: ['gen/made.sh'] },
].map((request) => ({ ...request, cwd: docroot, env: { PATH: '/usr/bin:/bin' }, visible: [docroot, join(docroot, 's.plumb')] }))

t.test('after any change it is as new', (t) => {
  t.comment(`PLUMB_SEED=${seed}`)
  const sandboxes = REQUESTS.map(sandboxOf)
  const seen = new Set<string>()
  const optionsOf = (sandbox: Sandbox, request: ReadRequest): string => {
    const plan = planReads(sandbox, request)
    return plan.ok ? `${plan.value.cwd} ${plan.value.mounts.options().join(' ')}` : plan.error.detail
  }
  for (let round = 0; round < ROUNDS; round++) {
    if (round % ROUNDS_OF_A_LAYOUT === 0) layAll()
    const path = join(base, pick(PLACES))
    const change = pick(CHANGES)
    try {
      change(path)
    } catch {
      // It is not there, or what is there is of another kind.
    }
    for (const [i, request] of REQUESTS.entries()) {
      const anew = optionsOf(sandboxOf(), request)
      const again = optionsOf(sandboxes[i] as Sandbox, request)
      seen.add(anew)
      if (again === anew) continue
      t.equal(again, anew, `PLUMB_SEED=${seed}, round ${round}: ${CHANGES.indexOf(change)} ${path}`)
      break
    }
  }
  t.ok(seen.size > 3, `${seen.size} plans`)
  t.end()
})

t.test('where nothing has changed it is the same', (t) => {
  layAll()
  const sandbox = sandboxOf()
  const [request] = REQUESTS as [ReadRequest]
  const plan = planReads(sandbox, request)
  t.equal(planReads(sandbox, request), plan)
  t.not(planReads(sandbox, { ...request, cwd: '/' }), plan, 'another working directory')
  t.end()
})

t.test('a copy that is changed leaves the plan as it is', (t) => {
  const plan = planReads(sandboxOf(), REQUESTS[0] as ReadRequest)
  if (!plan.ok) throw new Error(plan.error.detail)
  const { mounts } = plan.value
  const before = mounts.options()
  const copy = mounts.copy()
  copy.put('/nowhere', { kind: 'empty' })
  t.same(mounts.options(), before)
  t.ok(copy.options().includes('/nowhere'))
  t.end()
})
