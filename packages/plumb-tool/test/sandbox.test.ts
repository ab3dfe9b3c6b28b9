// long
// Sandboxes: the filter by an interpreter of its own, and what real programs inside can do, as root and as an ordinary user.

import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { probeBubblewrap } from '../../sandbox/src/plan/probe.js'
import { findMissingAccess, type OutsideEntry } from '../../sandbox/src/run/missing-access.js'
import { assembleFilter } from '../../sandbox/src/seccomp/filter.js'
import { type Arch, callNumber, type SystemCall } from '../../sandbox/src/seccomp/refused-calls.js'
import { ESCAPES } from '../../sandbox/src/self-test/escapes.js'
import { tryEscapes } from '../../sandbox/src/self-test/try-escapes.js'
import { bash, type Files, makeTestDirectory } from '../../wire/test/shell.js'
import { asEach, inside, quoted } from './as-each-user.js'
import { KEPT_BY_SYSTEM } from './kept-by-system.js'

const box = probeBubblewrap()
const skip = box.ok ? false : `no sandbox can be had here: ${box.error.detail}`

/** What the kernel does with a filter: the value that it returns. */
const interpret = (filter: Uint8Array, data: Buffer): number => {
  const view = Buffer.from(filter)
  let accumulator = 0
  for (let at = 0; at < view.length; at += 8) {
    const [code, yes, no, k] = [view.readUInt16LE(at), view.readUInt8(at + 2), view.readUInt8(at + 3), view.readUInt32LE(at + 4)]
    const jump = (isSo: boolean): void => {
      at += 8 * (isSo ? yes : no)
    }
    if (code === 0x20) accumulator = data.readUInt32LE(k)
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0
    else if (code === 0x15) jump(accumulator === k)
    else if (code === 0x25) jump(accumulator > k)
    else if (code === 0x45) jump((accumulator & k) !== 0)
    else if (code === 0x06) return k
    else throw new Error(`instruction ${code}`)
  }
  throw new Error('no end')
}

const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 }
const ALLOW = 0x7fff0000
const refusedWith = (errno: number) => 0x50000 | errno
const [EPERM, EACCES, ENOSYS, EPROTONOSUPPORT, EAFNOSUPPORT] = [1, 13, 38, 93, 97]

const callOf = (arch: Arch, number: number, args: readonly (number | bigint)[] = [], auditArch = AUDIT_ARCH[arch]): Buffer => {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(auditArch, 4)
  for (const [i, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * i)
  return data
}

t.test('the filter', async (t) => {
  const HIGH = 1n << 32n
  const rows: readonly [call: SystemCall, args: readonly (number | bigint)[], closed: number, withSockets?: number][] = [
    ['socket', [1, 1, 0], EACCES, 0],
    ['socket', [1n | HIGH, 1, 0], EACCES, 0],
    ['socket', [2, 1, 0], 0],
    ['socket', [10, 2, 0], 0],
    ['socket', [16, 3, 0], 0],
    ['socket', [16, 3, 15], EPROTONOSUPPORT],
    ['socket', [40, 1, 0], EAFNOSUPPORT],
    ['socket', [38, 5, 0], EAFNOSUPPORT],
    ['socketpair', [1, 1, 0], 0],
    ['socketpair', [1, 0x80801, 0], 0],
    ['socketpair', [1, 5, 0], 0],
    ['socketpair', [1, 2, 0], EACCES, 0],
    ['socketpair', [1, 0x80802, 0], EACCES, 0],
    ['clone', [0x1200011], 0],
    ['clone', [0x10000011], EPERM],
    ['clone', [0x3d0f00], 0],
    ['clone', [0x40000000], EPERM],
    ['clone3', [0, 88], ENOSYS],
    ['unshare', [0x400], 0],
    ['unshare', [0x20000], EPERM],
    ['unshare', [0x80], EPERM],
    ['ioctl', [0, 0x5401], 0],
    ['ioctl', [0, 0x5412], EPERM],
    ['ioctl', [0, 0x5412n | HIGH], EPERM],
    ['ioctl', [0, 0x541c], EPERM],
    ...(['ptrace', 'mount', 'bpf', 'keyctl', 'io_uring_setup', 'userfaultfd', 'setns', 'process_vm_readv'] as const).map(
      (call): [SystemCall, number[], number] => [call, [], EPERM],
    ),
  ]
  for (const arch of ['x64', 'arm64'] as const) {
    const [closed, open] = [assembleFilter(arch, { hasSockets: false }), assembleFilter(arch, { hasSockets: true })]
    const expect = (errno: number) => (errno === 0 ? ALLOW : refusedWith(errno))
    for (const [call, args, errno, withSockets = errno] of rows) {
      const data = callOf(arch, callNumber(call, arch) as number, args)
      t.equal(interpret(closed, data), expect(errno), `${arch} ${call} ${args}`)
      t.equal(interpret(open, data), expect(withSockets), `${arch} ${call} ${args}, with sockets`)
    }
    t.equal(interpret(closed, callOf(arch, arch === 'x64' ? 0 : 63)), ALLOW, `${arch} read`)
    t.equal(interpret(closed, callOf(arch, 0x40000000 + 41, [1])), refusedWith(ENOSYS), `${arch}: by a number of x32`)
    t.equal(interpret(closed, callOf(arch, 470)), refusedWith(ENOSYS), `${arch}: a call that is not known`)
    t.equal(interpret(closed, callOf(arch, 102, [1], 0x40000003)), refusedWith(ENOSYS), `${arch}: a program of 32 bits`)
  }
})

const spec = (keys: string): Files => ({
  's.plumb': `let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { ${keys} } }\n`,
})

t.test('attacks 1: no capability, no mount, no setting of the kernel', { skip }, async (t) => {
  const runs = await asEach(
    [
      inside('grep -h Cap /proc/self/status'),
      inside('mount -o remount,rw,bind / && echo MOUNTED; touch /etc/pwn_sandbox && echo WRITTEN; true'),
      // Opened, and not written to: should it not be held, nothing has happened.
      inside('(exec 3>>/proc/sys/kernel/core_pattern) && echo OPENED; true'),
      inside('cat /etc/shadow && echo READ; unshare -Ur true && echo UNSHARED; bwrap --ro-bind / / true && echo NESTED; true'),
    ].join('\n'),
    spec(''),
  )
  for (const { user, out } of runs) {
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) t.match(out, `${set}:\t0000000000000000`, `${user}: ${set}`)
    t.notMatch(out, /^(MOUNTED|WRITTEN|OPENED|READ|UNSHARED|NESTED)$/m, `${user}: ${out}`)
  }
})

t.test('attacks 4a: a directory to write is what it was, and below the docroot', { skip }, async (t) => {
  const two = (first: string, second: string): Files => ({
    's.plumb': [
      `let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { write: ["${first}"] } }`,
      `let other : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { write: ["${second}"] } }\n`,
    ].join('\n'),
    'ws/out/keep': '',
    'victim/keep': '',
  })
  // Within one run: the second tool has been looked at before the first changes what is there.
  const serve = `printf '%s\\n' '{"id":"1","name":"sh","input":{"arguments":["cd ws; mv out gone; ln -s ../victim out; ls -d out"]}}' > in
    { cat in; for i in $(seq 100); do [ -L ws/out ] && break; sleep 0.1; done
      echo '{"id":"2","name":"other","input":{"arguments":["echo PWN > ws/out/pwn"]}}'; } | plumb-tool s.plumb serve; ls victim`
  for (const { user, out } of await asEach(serve, two('ws', 'ws/out'), open)) {
    t.match(out, /"id":"2".*not there any more, or is a link now.*"is_error":true/, `${user}: ${out}`)
    t.notMatch(out, /^pwn/m, user)
  }
  const rows: readonly [directory: string, why: RegExp][] = [
    ['../victim', /'\.\.\/victim' in 'write' of its sandbox is not below the docroot/],
    ['/etc', /is not below the docroot/],
    ['link', /'link' in 'write' of its sandbox leads through a link/],
    ['link/in', /leads through a link/],
    ['nowhere', /'nowhere' in 'write' of its sandbox is not a directory or file.*make it first/],
  ]
  for (const [directory, why] of rows) {
    const lay = (at: string) => symlinkSync('/etc', join(at, 'link'))
    for (const { user, out } of await asEach(`plumb-tool s.plumb list 2>&1; echo "status $?"`, spec(`write: ["${directory}"]`), lay)) {
      t.match(out, why, `${user}: ${directory}: ${out}`)
      t.match(out, /status 2\n$/, `${user}: ${directory}`)
    }
  }
})

const open = (directory: string): void => {
  for (const name of ['ws', 'ws/out', 'victim', 'home', 'out']) {
    mkdirSync(join(directory, name), { recursive: true })
    chmodSync(join(directory, name), 0o777)
  }
}

t.test('attacks 4b: no socket but those that are named', { skip }, async (t) => {
  const directory = makeTestDirectory({})
  chmodSync(directory, 0o755)
  const path = join(directory, 'secret.sock')
  const server = createServer((socket) => socket.end('ANSWERED\n'))
  await new Promise<void>((done) => server.listen(path, done))
  chmodSync(path, 0o777)
  const connect = (keys: string): Promise<{ user: string; out: string }[]> =>
    asEach(`plumb-tool -r s.plumb call f '"${path}"' 2>&1`, {
      's.plumb': `let f : string -> string = tool { function: "./f.mjs", sandbox: { ${keys} } }\n`,
      'f.mjs': `import { connect } from 'node:net'
export default (path) => new Promise((done) => connect(path).on('error', ({ code }) => done(code)).on('data', (text) => done(String(text))))\n`,
    })
  for (const { user, out } of await connect('net: true')) t.match(out, /^(EACCES|EPERM|ENOENT)\n$/, `${user}, with net: ${out}`)
  for (const { user, out } of await connect('')) t.match(out, /^(EACCES|EPERM|ENOENT)\n$/, `${user}: ${out}`)
  for (const { user, out } of await connect(`sockets: ["${path}"]`)) t.match(out, /^ANSWERED/, `${user}, named: ${out}`)
  server.close()
})

t.test('attacks 4c: nothing of the home directory but what is named', { skip }, async (t) => {
  const lay = (directory: string): void => {
    open(directory)
    for (const [name, text] of [
      ['.ssh/id_rsa', 'KEY'],
      ['.aws/credentials', 'KEY'],
      ['data/list', 'DATA'],
      ['.gitconfig', '[user]\n\tname = Ann\n'],
    ] as const) {
      mkdirSync(join(directory, 'home', name, '..'), { recursive: true })
      writeFileSync(join(directory, 'home', name), text)
    }
    mkdirSync(join(directory, 'work'))
    chmodSync(join(directory, 'work'), 0o777)
    writeFileSync(join(directory, 'work/s.plumb'), readFileSync(join(directory, 's.plumb')))
  }
  const script = `cd work\n${inside('cat ~/.ssh/id_rsa ~/.aws/credentials; cat ~/data/list; git config --global user.name; touch ~/x; ls ..; true')}`
  for (const { user, out } of await asEach(script, spec(''), lay)) {
    t.notMatch(out, /KEY|DATA/, `${user}: ${out}`)
    t.match(out, 'Ann', `${user}: git's own configuration: ${out}`)
  }
  for (const { user, out } of await asEach(script, spec('read: ["~/data"]'), lay)) t.match(out, /DATA/, `${user}: named: ${out}`)
})

t.test('a node_modules that is made inside leads to no other directory', { skip }, async (t) => {
  const lay = (directory: string): void => {
    mkdirSync(join(directory, 'home/keys'), { recursive: true })
    writeFileSync(join(directory, 'home/keys/k'), 'KEY')
    mkdirSync(join(directory, 'home/app/node_modules'), { recursive: true })
    writeFileSync(join(directory, 'home/app/node_modules/m'), 'MODULE')
    mkdirSync(join(directory, 'work'))
    writeFileSync(join(directory, 'work/s.plumb'), readFileSync(join(directory, 's.plumb')))
    chmodSync(join(directory, 'work'), 0o777)
  }
  const read = inside('cat node_modules/*')
  const made = (target: string): string => `cd work\n${inside(`ln -s ${target} node_modules`)}\n${read}`
  for (const { user, out } of await asEach(made('~/keys'), spec('write: ["."]'), lay)) {
    t.match(out, 'No such file', user)
    t.notMatch(out, 'KEY', user)
  }
  for (const { user, out } of await asEach(made('~/app/node_modules'), spec('write: ["."]'), lay)) t.match(out, 'MODULE', user)
})

t.test('a virtual environment brings the Python that it is made from, and no other directory', { skip }, async (t) => {
  const lay = (directory: string): void => {
    for (const [name, text] of [
      ['home/keys/k', 'KEY'],
      ['home/k', 'KEY'],
      ['home/py/bin/python3', ''],
      ['home/py/lib/m', 'MODULE'],
      ['work/venv/bin/tool', ''],
      ['work/s.plumb', readFileSync(join(directory, 's.plumb'))],
    ] as const) {
      mkdirSync(join(directory, name, '..'), { recursive: true })
      writeFileSync(join(directory, name), text)
    }
    for (const name of ['work', 'work/venv']) chmodSync(join(directory, name), 0o777)
  }
  const run = (place: string): string =>
    `cd work; export PATH=$PWD/venv/bin:$PATH; echo "home = ${place}" > venv/pyvenv.cfg; ${inside('cat ~/keys/k ~/k ~/py/lib/m; true')}`
  for (const place of ['$HOME/keys', '$HOME', '/', '$HOME/keys/..', '../../home/keys']) {
    for (const { user, out } of await asEach(run(place), spec(''), lay)) {
      t.match(out, 'No such file', `${user}: ${place}: ${out}`)
      t.notMatch(out, /KEY|MODULE/, `${user}: ${place}: ${out}`)
    }
  }
  for (const { user, out } of await asEach(run('$HOME/py/bin'), spec(''), lay)) t.match(out, 'MODULE', `${user}: ${out}`)
})

t.test('a link that is made in the docroot shows no more than programs', { skip }, async (t) => {
  const lay = (directory: string): void => {
    const files = {
      'home/.ssh/id_rsa': 'KEY',
      'home/app/bin/run': '#!/bin/sh\necho RUN\n',
      'home/app/lib/keys': 'KEY',
      'home/app/.env': 'KEY',
      'home/app/package.json': '{}',
      'home/py/bin/python3': '#!/bin/sh\ncat ~/py/lib/m\n',
      'home/py/lib/m': 'MODULE',
      'work/venv/bin/x': '',
      'work/data/x': '',
      'work/gen/x': '',
      'work/s.plumb': `let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { write: ["."] } }
let named : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { read: ["data"] } }
let made : { arguments?: [string] } -> string = tool { command: "/bin/sh gen/made.sh" }
let asked : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { sockets: ["data"] } }\n`,
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(directory, name, '..'), { recursive: true })
      writeFileSync(join(directory, name), text)
    }
    for (const name of ['home/app/bin/run', 'home/py/bin/python3']) chmodSync(join(directory, name), 0o755)
    for (const name of ['work', 'work/venv', 'work/venv/bin', 'work/venv/bin/x', 'work/data', 'work/data/x', 'work/gen', 'work/gen/x'])
      chmodSync(join(directory, name), 0o777)
  }
  const look = 'cat ~/.ssh/id_rsa ~/app/.env ~/app/lib/keys; true'
  const call = (tool: string, script: string): string =>
    `plumb-tool -r s.plumb call ${tool} ${quoted(JSON.stringify({ arguments: [script] }))} 2>&1`
  // Before the directory is one of PATH, since it is kept as it is then.
  const run = (made: string, then: string): string =>
    `cd work; ${call('sh', made)} > made; cat made\nexport PATH=$PWD/venv/bin:$PATH\n${then}`
  const secrets: readonly (readonly [made: string, then?: string])[] = [
    ['rm -r venv/bin; ln -s ~/.ssh venv/bin'],
    ['rm -r venv/bin; ln -s ~/app/bin venv/bin'],
    ['ln -s ~/.ssh/id_rsa venv/bin/y; ln -s ~/app/bin/run venv/bin/z'],
    ['rm -r data; ln -s ~/.ssh data', call('named', look)],
    ['rm -r data; ln -s ~/.ssh data', call('asked', look)],
    ['ln -s ~/app/.env gen/made.sh', call('made', '')],
    ['printf "#!%s\\n" ~/.ssh/id_rsa > gen/made.sh; echo "cat ~/.ssh/id_rsa" >> gen/made.sh', call('made', '')],
    ['rm -r gen; ln -s ~/app gen', call('sh', look)],
  ]
  for (const [made, then = call('sh', look)] of secrets) {
    for (const { user, out } of await asEach(run(made, then), {}, lay)) {
      t.notMatch(out, 'KEY', `${user}: ${made}: ${out}`)
      t.match(out, /No such file|leads out of the docroot by a link/, `${user}: ${made}: ${out}`)
    }
  }
  // What an environment of Python has: a link to the interpreter that it was made from, which brings its libraries.
  for (const script of ['ln -s ~/py/bin/python3 venv/bin/python3', 'rm -r venv/bin; ln -s ~/py/bin venv/bin']) {
    const found = await asEach(run(script, call('sh', 'python3')), {}, lay)
    for (const { user, out } of found) t.match(out, 'MODULE', `${user}: ${out}`)
  }
})

t.test('version managers: a shim finds its root and which version it starts', { skip }, async (t) => {
  const lay = (directory: string): void => {
    const files = {
      'home/.vm/shims/tool': '#!/bin/sh\nexec "$(dirname "$0")/../launch" "$(cat ~/.tool-versions)"\n',
      'home/.vm/launch': '#!/bin/sh\nexec "$(dirname "$0")/versions/$1/run"\n',
      'home/.vm/versions/7/run': '#!/bin/sh\necho SEVEN\n',
      'home/.tool-versions': '7\n',
      'work/t.plumb': 'let t : { arguments?: [string] } -> string = tool { command: "tool", sandbox: {} }\n',
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(directory, name, '..'), { recursive: true })
      writeFileSync(join(directory, name), text)
      chmodSync(join(directory, name), 0o755)
    }
    chmodSync(join(directory, 'work'), 0o777)
  }
  const script = 'cd work\nPATH=~/.vm/shims:$PATH plumb-tool -r t.plumb call t \'{"arguments":[]}\' 2>&1'
  for (const { user, out } of await asEach(script, {}, lay)) t.match(out, 'SEVEN', `${user}: ${out}`)
})

t.test('repositories and the files of the program stay as they are', { skip }, async (t) => {
  const lay = (directory: string): void => {
    open(directory)
    for (const name of ['.git', 'sub/.git']) {
      mkdirSync(join(directory, name, 'hooks'), { recursive: true })
      chmodSync(join(directory, name, 'hooks'), 0o777)
    }
    chmodSync(join(directory, 's.plumb'), 0o666)
  }
  const tries =
    'for f in .git/hooks/x sub/.git/hooks/x s.plumb own; do echo >> $f && echo "wrote $f"; done; mv .git old && echo MOVED; rm s.plumb && echo REMOVED; true'
  for (const { user, out } of await asEach(inside(tries), spec('write: ["."]'), lay)) {
    t.strictSame(out.match(/^wrote .*|MOVED|REMOVED/gm), ['wrote own'], `${user}: ${out}`)
  }
  for (const { user, out } of await asEach(inside(tries), spec('write: [".", ".git"]'), lay)) {
    t.strictSame(out.match(/^wrote .*|MOVED|REMOVED/gm), ['wrote .git/hooks/x', 'wrote own'], `${user}, named: ${out}`)
  }
  const declared = { 's.plumb': (spec('')['s.plumb'] as string).replace('sandbox:', 'effects: ["exec", "fs.write"], sandbox:') }
  for (const { user, out } of await asEach(inside(tries), declared, lay)) {
    t.strictSame(out.match(/^wrote .*|MOVED|REMOVED/gm), ['wrote own'], `${user}, by fs.write: ${out}`)
  }
})

t.test('what a program is made of stays as it is, as for built-in tools', { skip }, async (t) => {
  const files = {
    's.plumb': `let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { write: ["."] } }
let f : json -> string = tool { function: "f.mjs", sandbox: { write: ["."] } }
let p : !string -> !string = agent { model: "eliza", prompts: ["./p.md"] }
let make : { arguments?: [string] } -> string = tool { command: "node build.cjs" }\n`,
    'f.mjs': `import { name } from './sub/name.mjs'
import { writeFileSync } from 'node:fs'
const attempt = (path) => { try { writeFileSync(path, ''); return path } catch ({ code }) { return code } }
export default () => [name, ...['sub/name.mjs', 'p.md', 'build.cjs', 'own'].map(attempt)].join(' ')\n`,
    'sub/name.mjs': "export const name = 'NAME'\n",
    'p.md': 'Be kind.\n',
    'build.cjs': '1\n',
  }
  const lay = (directory: string): void => {
    for (const name of Object.keys(files)) chmodSync(join(directory, name), 0o666)
    chmodSync(join(directory, 'sub'), 0o777)
  }
  const tries =
    'for f in f.mjs sub/name.mjs p.md build.cjs s.plumb own; do echo >> $f && echo "wrote $f"; done; mv sub old && echo MOVED; true'
  for (const { user, out } of await asEach(inside(tries), files, lay)) {
    t.strictSame(out.match(/^wrote .*|MOVED/gm), ['wrote own'], `${user}: ${out}`)
  }
  for (const { user, out } of await asEach("plumb-tool -r s.plumb call f '{}' 2>&1", files, lay)) {
    t.equal(out.trim(), 'NAME EROFS EROFS EROFS own', user)
  }
})

t.test('what a failure lacked, by what its program said', async (t) => {
  const outside: Readonly<Record<string, OutsideEntry>> = {
    '/site': { kind: 'directory', isBound: true },
    '/site/out': { kind: 'directory', isBound: true },
    '/site/.git': { kind: 'directory', isBound: true },
    '/site/open': { kind: 'directory', isBound: true },
    '/site/open/s.plumb': { kind: 'file', isBound: true },
    '/data': { kind: 'directory', isBound: false },
    '/data/a b': { kind: 'file', isBound: false },
    '/data/list': { kind: 'file', isBound: false },
    '/etc/hosts': { kind: 'file', isBound: true },
    '/data/app': { kind: 'directory', isBound: false },
    '/data/app/index.js': { kind: 'file', isBound: false },
    '/repo/.git': { kind: 'directory', isBound: false },
    '/run/x.sock': { kind: 'socket', isBound: false },
  }
  const find = (path: string): OutsideEntry => outside[path] ?? { kind: 'none', isBound: false }
  const sandbox = { docroot: '/site', hasNet: false, hosts: undefined, sockets: [] as string[], write: [['open']] }
  const lack = (said: string, keys: Partial<typeof sandbox> = {}) =>
    findMissingAccess(said, { sandbox: { ...sandbox, ...keys }, cwd: said.includes('or any') ? '/repo/site' : '/site', find })
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["touch: cannot touch 'out/x': Read-only file system", 'write: ["out"]'],
    ["touch: cannot touch 'new': Read-only file system", "keeps '/site/new' from"],
    ['/bin/sh: 1: cannot create out/x: Read-only file system', 'write: ["out"]'],
    ['bash: line 1: out/x: Read-only file system', 'write: ["out"]'],
    ["Error: EROFS: read-only file system, open '/site/out/x'", 'write: ["out"]'],
    ["OSError: [Errno 30] Read-only file system: 'x'", 'write: ["."]'],
    ["fatal: Unable to create '/site/.git/index.lock': Read-only file system", 'write: [".git"]'],
    ["EROFS: read-only file system, open '/proc/self/cwd/out/x.tmp'", 'write: ["out"]'],
    ['sh: open/s.plumb: Read-only file system', 'write: ["open/s.plumb"]'],
    ["touch: cannot touch '/data/x': Read-only file system", "'write' of its sandbox takes what is below the docroot '/site'"],
    ["touch: cannot touch '/no/where/x': Read-only file system", undefined],
    ['Read-only file system', undefined],
    ["function 'out/y' threw: EROFS: read-only file system, open 'open/z/x'", undefined],
    ['/usr/bin/ld: cannot open output file out/a: Read-only file system', 'write: ["out"]'],
    ['cat: /data/list: No such file or directory', 'read: ["/data/list"]'],
    ['x.sh: 2: .: cannot open /data/list: No such file', 'read: ["/data/list"]'],
    ["Error: Cannot find module '/data/none/index.js'", undefined],
    ["at x | Error: Cannot find module '/data/app/index.js' | at y", 'read: ["/data/app"]'],
    ['fatal: not a git repository (or any parent up to mount point /)', 'read: ["/repo"]'],
    ['fatal: not a git repository: /data/list', 'read: ["/data/list"]'],
    ['sqlite3.OperationalError: unable to open database file', 'write: ["data"]'],
    ['SqliteError: attempt to write a readonly database', "writes to only '/site/open'"],
    ['Check failed: . socket() failed: Permission denied (13)', 'sockets: ["."]'],
    ['Error: listen EACCES: permission denied /tmp/x.sock', 'sockets: ["."]'],
    ['dial unix /run/none.sock: socket: permission denied', 'sockets: ["."]'],
    ['error connecting to /tmp/tmux-0/x (Permission denied)', 'sockets: ["."]'],
    ['Chromium sandboxing failed!', '--no-sandbox'],
    ['npm error code ENOTCACHED', 'net: true'],
    ["cat: '/data/a b': No such file or directory", 'read: ["/data/a b"]'],
    ["ENOENT: no such file or directory, open '/data/list'", 'read: ["/data/list"]'],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/data/list'", 'read: ["/data/list"]'],
    ['cat: /data/list: Permission denied', 'read: ["/data/list"]'],
    ['cat: /data/none: No such file or directory', undefined],
    ['cat: data/list: No such file or directory', undefined],
    ['cat: /etc/hosts: Permission denied', undefined],
    ['/data/list', undefined],
    ['connect EACCES /run/x.sock', 'sockets: ["/run/x.sock"]'],
    ['dial unix /run/x.sock: socket: permission denied', 'sockets: ["/run/x.sock"]'],
    ['curl: (6) Could not resolve host: example.com', 'net: true'],
    ['getaddrinfo EAI_AGAIN example.com', 'net: true'],
    ['connect: Network is unreachable', 'net: true'],
    ['ssh: connect to host 127.0.0.1 port 22: Connection refused', 'net: true'],
  ]
  for (const [said, expected] of rows) {
    const found = lack(said)
    if (expected === undefined) t.equal(found, undefined, said)
    else t.ok(found?.includes(expected), `${said}: ${found}`)
  }
  t.equal(lack('getaddrinfo EAI_AGAIN example.com', { hasNet: true }), undefined, 'it has the network')
  t.equal(lack(`cat: /data/list: No such file or directory\n${'x\n'.repeat(50)}`), undefined, 'long before its end')
  t.equal(lack('cat: /data/list: No such file or directory\n'.repeat(30))?.match(/read:/g)?.length, 1, 'once')
  t.equal(lack(`'${'/'.repeat(1e6)}' No such file or directory`), undefined)
})

t.test('a failure inside ends with what it lacked', { skip }, async (t) => {
  const lay = (directory: string): void => {
    open(directory)
    mkdirSync(join(directory, 'home/data'), { recursive: true })
    writeFileSync(join(directory, 'home/data/list'), 'DATA')
    mkdirSync(join(directory, 'work/out'), { recursive: true })
    for (const name of ['work', 'work/out']) chmodSync(join(directory, name), 0o777)
    writeFileSync(join(directory, 'work/s.plumb'), readFileSync(join(directory, 's.plumb')))
    writeFileSync(join(directory, 'work/f.plumb'), 'let f : json -> string = tool { function: "f.mjs", sandbox: {} }\n')
    writeFileSync(
      join(directory, 'work/f.mjs'),
      "import { writeFileSync } from 'node:fs'\nexport default () => writeFileSync('out/x', '')\n",
    )
  }
  const rows = [
    [inside('echo > out/x'), 'write: ["out"]'],
    [inside(`node -e 'fs.writeFileSync("out/x", "")'`), 'write: ["out"]'],
    ["plumb-tool -r f.plumb call f '{}' 2>&1", 'write: ["out"]'],
    [`git init -q .; ${inside('git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x')}`, 'write: [".git"]'],
    [inside('cat ~/data/list'), 'read: ["~/data/list"]'],
    [inside('cat ~/data/none'), undefined],
    [inside(`node -e 'require("dns").lookup("example.com", (e) => { throw e })'`), 'net: true'],
  ] as const
  for (const [script, expected] of rows) {
    for (const { user, out } of await asEach(`cd work\n${script}`, spec(''), lay)) {
      if (expected === undefined) t.notMatch(out, 'its sandbox', `${user}: ${out}`)
      else t.ok(out.includes(expected) || out.includes(expected.replaceAll('"', '\\"')), `${user}: ${expected}: ${out}`)
    }
  }
  const path = join(makeTestDirectory({}), 's')
  chmodSync(join(path, '..'), 0o755)
  const server = createServer()
  await new Promise<void>((done) => void server.listen(path, done))
  const connect = inside(`node -e 'require("net").connect("${path}")'`)
  for (const { user, out } of await asEach(`cd work\n${connect}`, spec(''), lay)) t.match(out, /sockets: \[\\?"/, `${user}: ${out}`)
  server.close()
})

t.test('no descriptor gets in that is not the program’s own', { skip }, async (t) => {
  for (const { user, out } of await asEach(inside('ls /proc/self/fd'), spec('write: ["out"]'), open)) {
    // 3 is the directory that is listed.
    t.equal(out.trim(), '0\n1\n2\n3', user)
  }
})

t.test('the ways out are tried', { skip }, async (t) => {
  for (const { user, out, err } of await asEach('plumb-tool sandbox --json; echo "status $?"', {})) {
    const [facts, ...lines] = out.trimEnd().split('\n')
    t.equal(lines.pop(), 'status 0', `${user}: ${err}`)
    t.match(JSON.parse(facts ?? ''), { works: true, bubblewrap: / at \// }, user)
    t.equal(lines.length, ESCAPES.length)
    for (const line of lines) t.match(JSON.parse(line), { verdict: /^(held|not applicable)$/ }, `${user}: ${line}`)
  }
  if (!box.ok) return
  // Without a sandbox they get out, but for what the kernel keeps from this user anyhow: so each that is not held would be seen.
  const plain = await tryEscapes(box.value, { isBoxed: false })
  const held = plain.filter(({ verdict }) => verdict === 'held').map(({ name }) => name)
  t.strictSame(
    held.filter((name) => !KEPT_BY_SYSTEM.includes(name)),
    [],
    'without a sandbox',
  )
})

t.test('where there is none', async (t) => {
  const { out, err, status } = await bash(
    'mkdir bin; ln -s "$(type -p node)" bin/node; tool=$(type -p plumb-tool); PATH=$PWD/bin $tool sandbox --json',
    {
      directory: makeTestDirectory({}),
    },
  )
  t.match(JSON.parse(out), { works: false })
  t.match(JSON.parse(err), {
    error: 'config_invalid',
    detail: /no sandbox can be had here: 'bwrap' \(the package bubblewrap\) is not on PATH/,
  })
  t.equal(status, 2)
})

t.test('agents that are programs, and servers of MCP', { skip }, async (t) => {
  const server = `let server = { command: "node", args: ["server.cjs"], sandbox: { net: false } }
let whoami : json -> string = tool { mcp: server, name: "look" }\n`
  const files = {
    's.plumb': `let a : !string -> !string = agent { command: ["./a.sh"], sandbox: { write: ["out"] } }
let main : !string -> !string = a
let asked : string -> string = tool { process: a }\n`,
    'server.plumb': server,
    'a.sh': `#!/bin/bash
cd "$(dirname "$0")"
while read -r line; do
  { : >> out/own; : >> own; } 2>/dev/null && echo '"open"' || echo "\\"$(grep -c 'CapEff:.0000000000000000' /proc/self/status) $(ls out)\\""
done\n`,
    'server.cjs': `const { createInterface } = require('node:readline')
const { readFileSync, writeFileSync } = require('node:fs')
const look = () => { try { writeFileSync('made', ''); return 'open' } catch ({ code }) { return code + /CapEff:\\s+0{16}\\n/.test(readFileSync('/proc/self/status', 'utf8')) } }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
    : method === 'tools/list' ? { tools: [{ name: 'look', inputSchema: { type: 'object' } }] }
    : { content: [{ type: 'text', text: look() }] }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
})\n`,
  }
  const run = `echo '"x"' | plumb s.plumb 2>&1; plumb-tool s.plumb call asked '"x"' 2>&1; plumb-tool server.plumb call whoami '{}' 2>&1`
  for (const { user, out } of await asEach(run, files, open)) t.equal(out, '"1 own"\n"1 own"\n"EROFStrue"\n', user)
  const refused = `mkdir bin; ln -s "$(type -p node)" bin/node; one=$(type -p plumb); tool=$(type -p plumb-tool)
PATH=$PWD/bin $one s.plumb < /dev/null 2>&1; echo "status $?"; PATH=$PWD/bin $tool server.plumb list 2>&1; echo "status $?"`
  for (const { user, out } of await asEach(refused, files, open)) {
    t.match(
      out,
      /agent 'a' asks for a sandbox: 'bwrap'.*\nstatus 2\n.*MCP server .* asks for a sandbox: 'bwrap'.*\nstatus 2\n$/s,
      `${user}: ${out}`,
    )
  }
})
