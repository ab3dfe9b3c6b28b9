// long
// What all processes of a sandbox take together, and what root alone may read, however deep it lies.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { probeBubblewrap } from '../../sandbox/src/plan/probe.js'
import { listRootOnly } from '../../sandbox/src/plan/root-only-files.js'
import { makeTestDirectory } from '../../wire/test/shell.js'
import { asEach, inside, quoted } from './as-each-user.js'

const box = probeBubblewrap()
const skip = box.ok ? false : `no sandbox can be had here: ${box.error.detail}`
const files = (keys: string) => ({
  's.plumb': `let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { ${keys} }, timeout: 60 }\n`,
})

t.test('memory is that of all, with what lies in temporary directories', { skip }, async (t) => {
  const node = (script: string): string => `node -e ${quoted(script)}`
  const hold = 'const b = Buffer.alloc(30e6, 1); setTimeout(() => b.length, 20000)'
  const rows: readonly (readonly [script: string, said: RegExp])[] = [
    ['head -c 300000000 /dev/zero > /tmp/x', /No space left/],
    ['head -c 300000000 /dev/zero > /var/tmp/x', /No space left/],
    ['head -c 300000000 /dev/zero > /dev/shm/x', /No space left/],
    ['echo x > /dev/x', /Read-only file system/],
    [
      'for d in /tmp /var/tmp /dev/shm; do head -c 70000000 /dev/zero > $d/x; done; sleep 20',
      /have taken more than 134217728 bytes together/,
    ],
    [`for i in 1 2 3 4 5 6; do ${node(hold)} & done; wait`, /have taken more than 134217728 bytes together/],
  ]
  for (const [script, said] of rows) {
    for (const { user, out } of await asEach(inside(script), files('memory: "128M"'))) t.match(out, said, `${user}: ${script}: ${out}`)
  }
  for (const { user, out } of await asEach(inside('head -c 30000000 /dev/zero > /tmp/x; sleep 1; echo done'), files('memory: "128M"')))
    t.match(out, /^done/, `${user}: what fits: ${out}`)
})

t.test('what has several descriptors is counted once', { skip }, async (t) => {
  const script = `import os, time
f = os.memfd_create("x")
os.write(f, b"x" * 30000000)
held = [os.dup(f) for i in range(8)]
time.sleep(1)
print("done")`
  for (const { user, out } of await asEach(inside(`python3 -c ${quoted(script)}`), files('memory: "128M"')))
    t.match(out, /^done/, `${user}: ${out}`)
})

t.test('there is an end to the number of processes', { skip }, async (t) => {
  const script = 'i=0; while [ $i -lt 3000 ]; do sleep 30 & i=$((i+1)); done; wait'
  for (const { user, out } of await asEach(inside(script), files('')))
    t.match(out, /more than 1024 processes at once/, `${user}: ${out.slice(0, 500)}`)
})

t.test('what only root may read is found at any depth, and as it is now', async (t) => {
  const directory = makeTestDirectory({})
  const deep = join(directory, 'a/b/c/d/e/f/g/h')
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(deep, 'key'), '')
  writeFileSync(join(deep, 'open'), '')
  t.strictSame(listRootOnly(directory), [])
  chmodSync(join(deep, 'key'), 0o600)
  t.strictSame(listRootOnly(directory), [{ path: join(deep, 'key'), isDirectory: false }])
  chmodSync(join(directory, 'a/b'), 0o744)
  t.strictSame(listRootOnly(directory), [{ path: join(directory, 'a/b'), isDirectory: true }], 'what not all may enter')
  const far = join(directory, 'x/'.repeat(70))
  mkdirSync(far, { recursive: true })
  t.ok(
    listRootOnly(directory).some(({ path, isDirectory }) => isDirectory && path.endsWith('/x/x')),
    'what lies too deep to be looked at is hidden',
  )
})
