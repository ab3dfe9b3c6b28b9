// The file tools: what they refuse, that nothing is lost by them, and that huge, growing and odd files do them no harm. Faults 78 to 89.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { bundledFiles, withAround } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { fileStamp } from '../../sandbox/src/path/file-stamp.js'
import { resolvePath } from '../../sandbox/src/path/resolved-path.js'
import { guardName, OWNER } from '../../sandbox/src/path/temporary-files.js'
import { writeFileAtomically } from '../../sandbox/src/path/write-file-atomically.js'
import { scaled } from '../../wire/test/patience.js'
import { holds, runs } from '../../wire/test/property.js'
import { builtinsIn, makeBuiltins } from './builtin-directory.js'
import { makeTestDirectory } from './source-directory.js'
import { shell } from './tool-shell.js'

const FIXTURES = join(__dirname, '../../test/fixtures')
const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')
const TEMPORARY = /^\.plumb-/
const contentsOf = (directory: string, inside: string): Record<string, string> =>
  Object.fromEntries(readdirSync(join(directory, inside)).map((name) => [name, readFileSync(join(directory, inside, name), 'utf8')]))
const leftOvers = (directory: string): string[] => readdirSync(directory).filter((name) => TEMPORARY.test(name))

/** All that reach a file by its path, with an input that is else right. */
type Reach = readonly [string, (path: string) => object]

const REACHING: readonly Reach[] = [
  ['read_file', (path) => ({ path })],
  ['read_directory', (path) => ({ path })],
  ['write_file', (path) => ({ path, content: 'x' })],
  ['append_to_file', (path) => ({ path, content: 'x' })],
  ['find_and_replace', (path) => ({ path, find: 'secret', replace: 'x' })],
  ['make_directory', (path) => ({ path: `${path}/new` })],
  ['delete_file', (path) => ({ path })],
  ['grep', (path) => ({ pattern: 'secret', path })],
  ['glob', (path) => ({ pattern: '*', path })],
  ['import_image', (path) => ({ path })],
  ['apply_patch', (path) => ({ patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` })],
  ['apply_patch', (path) => ({ patch: `*** Begin Patch\n*** Add File: ${path}/new\n+x\n*** End Patch` })],
]

const WRITING = REACHING.filter(
  ([tool, input]) => /write|append|find_and|delete|patch/.test(tool) && !JSON.stringify(input('')).includes('/new'),
)

t.test('fault 78: paths that lead outside', async (t) => {
  const base = makeTestDirectory({ 'outside/secret': 'secret', 'ws-evil/secret': 'secret', 'ws/a/b': 'x' })
  const { code } = builtinsIn(join(base, 'ws'))
  const paths = [
    ...['../outside/secret', 'a/../../outside/secret', './../ws-evil/secret', '..', 'a/b/../../../outside'],
    ...[
      join(base, 'outside/secret'),
      join(base, 'ws-evil/secret'),
      '/etc/passwd',
      '/',
      '//etc/passwd',
      '/proc/self/root/etc/passwd',
      '/dev/fd/0',
    ],
    ...['a\0b', '\0', 'x'.repeat(5000), `a/${'../'.repeat(2000)}etc/passwd`, '~', '~/x', ''],
  ]
  for (const path of paths) {
    for (const [tool, input] of REACHING) {
      if (tool === 'apply_patch' && (path === '' || path.includes('\0'))) continue
      t.equal(await code(tool, input(path)), 'path_denied', `${tool} ${path.slice(0, 60)}`)
    }
  }
  // What only looks odd is a name like any other.
  for (const path of ['...', '....//x', 'a/./b', 'a//b', '.a', 'x..y', './~', 'ä\n\u001b[31m', ' ', '-rf']) {
    t.not(await code('read_file', { path }), 'path_denied', path)
  }
  t.equal(readFileSync(join(base, 'outside/secret'), 'utf8'), 'secret')
  t.strictSame(readdirSync(base).sort(), ['outside', 'ws', 'ws-evil'])
})

t.test('fault 79: links', async (t) => {
  const base = makeTestDirectory({ 'outside/secret': 'secret', 'ws/inside': 'mine', 'ws/directory/x': 'x' })
  const ws = join(base, 'ws')
  const { code, call } = builtinsIn(ws)
  symlinkSync('../outside/secret', join(ws, 'leaf'))
  symlinkSync('../outside', join(ws, 'dir'))
  symlinkSync('../outside/none', join(ws, 'dangling'))
  symlinkSync('/proc/self/root', join(ws, 'root'))
  symlinkSync('/dev/fd', join(ws, 'fds'))
  symlinkSync('loop', join(ws, 'loop'))
  for (const path of [
    'leaf',
    'dir/secret',
    'dir',
    'dir/new',
    'dangling',
    'root/etc/passwd',
    'fds/0',
    'loop',
    'loop/x',
    'directory/../leaf',
  ]) {
    for (const [tool, input] of REACHING) {
      // A link that is deleted is a name in here; that which it leads to stays.
      if (tool === 'delete_file') continue
      t.equal(await code(tool, input(path)), 'path_denied', `${tool} ${path}`)
    }
  }
  symlinkSync('inside', join(ws, 'alias'))
  symlinkSync('directory', join(ws, 'aliases'))
  t.equal((await call('read_file', { path: 'alias' })).value.text, 'mine')
  t.equal((await call('read_file', { path: 'aliases/x' })).value.text, 'x')
  t.equal(await code('write_file', { path: 'alias', content: 'new' }), 'ok')
  t.ok(lstatSync(join(ws, 'alias')).isSymbolicLink(), 'what a link leads to is written, and the link stays')
  t.equal(readFileSync(join(ws, 'inside'), 'utf8'), 'new')

  const take = '*** Begin Patch\n*** Delete File: alias\n*** End Patch'
  t.match((await call('apply_patch', { patch: take })).error, { error: 'path_denied', detail: /a link to 'inside'/ })
  for (const link of ['leaf', 'dir', 'dangling', 'alias', 'loop']) t.equal(await code('delete_file', { path: link }), 'ok', link)
  t.strictSame(readdirSync(ws).sort(), ['aliases', 'directory', 'fds', 'inside', 'root'])
  t.equal(await code('delete_file', { path: 'root/etc/passwd' }), 'path_denied')

  linkSync(join(base, 'outside/secret'), join(ws, 'hard'))
  t.equal(await code('write_file', { path: 'hard', content: 'x' }), 'ok')
  t.equal(readFileSync(join(base, 'outside/secret'), 'utf8'), 'secret', 'another name of a file that is written keeps what it had')
})

t.test('a name that is kept is kept where it is a link, or leads through one', async (t) => {
  const { directory, code, call } = makeBuiltins({
    'config/production': 'secret',
    k1: 'secret',
    'cfg/tasks.json': '{}',
    'hus/pre-commit': 'secret',
    'nm/a.js': 'secret',
    'store/config': 'secret',
    'store/hooks/pre-commit': 'secret',
    'hooks/pre-commit': 'secret',
    'sub/x': 'x',
    'sshdir/list': 'secret',
    open: 'secret',
  })
  const links: readonly (readonly [string, string])[] = [
    ['.env', 'config/production'],
    ['.env.production', 'sub/../config/production'],
    ['server.pem', 'k1'],
    ['.npmrc', 'k1'],
    ['twice', '.env'],
    ['.ENV.local', 'k1'],
    ['.ssh', 'sshdir'],
    ['sub/up', '../.ssh'],
    ['.vscode', 'cfg'],
    ['.husky', 'hus'],
    ['.git', 'store'],
    ['hus/pre-push', '../hooks/pre-commit'],
    ['alias', 'open'],
  ]
  for (const [link, target] of links) symlinkSync(target, join(directory, link))
  const keys = ['.env', '.env.production', 'server.pem', '.npmrc', 'twice', '.ENV.local', '.ssh/list', 'sub/up/list', './sub/../.env']
  const trusted = ['.vscode/tasks.json', '.husky/pre-commit', '.husky/pre-push', '.git/hooks/pre-commit', '.git/new', '.vscode/new']
  const reading: readonly Reach[] = REACHING.filter(([tool]) => /^(read_file|grep|find|import)/.test(tool))
  for (const path of keys) {
    // A link of another name may be taken away: what it leads to stays.
    const taking = path === 'twice' ? WRITING.filter(([tool]) => !/delete|patch/.test(tool)) : WRITING
    for (const [tool, input] of [...reading, ...taking]) t.equal(await code(tool, input(path)), 'path_denied', `${tool} ${path}`)
    t.equal(await code('read_file', { path: join(directory, path) }), 'path_denied', `${path}, absolute`)
  }
  for (const path of trusted) {
    for (const [tool, input] of WRITING) t.equal(await code(tool, input(path)), 'path_denied', `${tool} ${path}`)
  }
  for (const path of ['.ssh', 'sub/up']) t.notMatch((await call('grep', { pattern: 'secret', path })).value, 'secret', `grep ${path}`)
  t.equal(await code('read_file', { path: '.git/config' }), 'path_denied')
  for (const path of ['.vscode/tasks.json', 'alias', 'config/production']) t.equal(await code('read_file', { path }), 'ok', path)
  t.equal(await code('write_file', { path: 'alias', content: 'x' }), 'ok')
  const patch = '*** Begin Patch\n*** Update File: open\n*** Move to: .husky/pre-commit2\n@@\n-x\n+y\n*** End Patch'
  t.equal(await code('apply_patch', { patch }), 'path_denied', 'the target of a move')
})

t.test('fault 79: a root may be a link, one file, or several; what is kept is allowed where a root names it', async (t) => {
  const base = makeTestDirectory({
    'real/x': 'x',
    'one.txt': 'one',
    'keys/server.pem': 'pem',
    '.ssh/id_rsa': 'key',
    '.env': 'A=1',
    'real/.env': 'B=2',
  })
  symlinkSync('real', join(base, 'link'))
  const roots = { link: 'link', one: 'one.txt', ssh: '.ssh', env: '.env', keys: 'keys' }
  const { call, code } = builtinsIn(base, { roots })
  const text = async (path: string, root?: string) => (await call('read_file', root === undefined ? { path } : { path, root })).value.text
  t.equal(await text('x'), 'x', 'the first root')
  t.equal(await text(join(base, 'link/x')), 'x')
  t.equal(await text(join(base, 'real/x')), 'x')
  t.equal(await text('one.txt', 'one'), undefined)
  t.equal(await text('.', 'one'), 'one')
  t.equal(await text(join(base, 'one.txt')), 'one')
  t.equal(await text('id_rsa', 'ssh'), 'key')
  t.equal(await text('.', 'env'), 'A=1')
  t.equal(await code('read_file', { path: '.env' }), 'path_denied')
  t.equal(await code('read_file', { path: 'server.pem', root: 'keys' }), 'path_denied')
  t.equal(await code('read_file', { path: 'x', root: 'one' }), 'no_such_file')
  t.match((await call('read_file', { path: 'x', root: 'none' })).error, { error: 'path_denied', detail: /'link', 'one'/ })
  t.equal(await code('apply_patch', { root: 'keys', patch: '*** Begin Patch\n*** Add File: new\n+x\n*** End Patch' }), 'ok')
  t.equal(readFileSync(join(base, 'keys/new'), 'utf8'), 'x\n')
  t.equal((await call('read_directory', { path: '.', root: 'one' })).error?.error, 'no_such_file')
})

t.test('what is kept from readers and from writers', async (t) => {
  const files = ['.env', '.env.local', 'a/.ENV', 'x.pem', 'x.KEY', 'id_ed25519', '.npmrc', '.ssh/known_hosts', '.aws/credentials', '.envrc']
  const open = ['.env.example', 'id_rsa.pub', 'keys.txt', 'environment']
  const { call, code, directory } = makeBuiltins({
    ...Object.fromEntries([...files, ...open].map((path) => [path, 'TOKEN=1\n'])),
    '.git/config': 'x',
    't.plumb': 'x',
  })
  for (const path of files) {
    t.equal(await code('read_file', { path }), 'path_denied', path)
    t.equal(await code('find_and_replace', { path, find: 'TOKEN', replace: 'x' }), 'path_denied', path)
    t.equal(await code('grep', { pattern: 'TOKEN', path }), 'path_denied', path)
    t.equal(await code('import_image', { path }), 'path_denied', path)
    for (const [tool, input] of WRITING) t.equal(await code(tool, input(path)), 'path_denied', `${tool} ${path}`)
    t.equal(readFileSync(join(directory, path), 'utf8'), 'TOKEN=1\n', path)
  }
  for (const path of ['.git/config', '.git/modules/x/config', 'bare.git/config.worktree'])
    t.equal(await code('read_file', { path }), 'path_denied', path)
  for (const path of open) t.equal(await code('read_file', { path }), 'ok', path)
  t.equal((await call('grep', { pattern: 'TOKEN', glob: '**/{.*,*}' })).value.includes('.pem'), false)
  t.match((await call('grep', { pattern: 'TOKEN', glob: '.env*' })).value, /^\.env\.example:1:TOKEN=1$/)

  symlinkSync('t.plumb', join(directory, 'alias.plumb'))
  symlinkSync(directory, join(directory, 'self'))
  // As it may have been named on the command line.
  const running = builtinsIn(directory, { specs: [join(directory, 'self/t.plumb'), join(directory, 'm.plumb')] })
  const inside = ['.git/config', '.git/new', '.GIT/x', 'a/.git/x', '.plumb-x', 't.plumb', './self/t.plumb', 'm.plumb']
  for (const path of inside) {
    for (const [tool, input] of WRITING) t.equal(await running.code(tool, input(path)), 'path_denied', `${tool} ${path}`)
  }
  for (const path of ['.git', '.git/a', 'b/.git']) t.equal(await running.code('make_directory', { path }), 'path_denied', path)
  t.equal(await running.code('write_file', { path: 'alias.plumb', content: 'y' }), 'path_denied')
  t.equal(readFileSync(join(directory, 't.plumb'), 'utf8'), 'x')
})

t.test('what other programs run or trust when they start is not written, made or deleted, but where a root names it', async (t) => {
  const trusted = [
    '.bashrc',
    '.envrc',
    '.vscode/tasks.json',
    '.idea/x',
    '.husky/pre-commit',
    '.gitmodules',
    '.gitattributes',
    '.GitConfig',
    '.npmrc',
  ]
  const more = ['.yarnrc.yml', '.pnpmfile.cjs', '.ssh/authorized_keys', '.mcp.json', '.cursor/mcp.json', '.claude/settings.json', '.exrc']
  const others = ['sitecustomize.py', 'a/lib/hook.pth', '.gdbinit', '.cargo/config.toml', '.config/fish/config.fish', '.git\u200c/config']
  const { directory, call, code } = makeBuiltins(Object.fromEntries([...trusted, ...more, ...others].map((path) => [path, 'old'])))
  for (const path of [...trusted, ...more, ...others]) {
    for (const [tool, input] of WRITING) t.equal(await code(tool, input(path)), 'path_denied', `${tool} ${path}`)
    t.equal(await code('apply_patch', { patch: `*** Begin Patch\n*** Add File: new/${path}\n+x\n*** End Patch` }), 'path_denied', path)
    t.equal(readFileSync(join(directory, path), 'utf8'), 'old', path)
  }
  t.match((await call('write_file', { path: '.vscode/tasks.json', content: 'x' })).error?.detail, /editors would run or trust/)
  for (const path of [
    'package.json',
    'Makefile',
    '.github/workflows/ci.yml',
    '.gitignore',
    '.editorconfig',
    'conftest.py',
    '.python-version',
  ])
    t.equal(await code('write_file', { path, content: 'x' }), 'ok', path)
  const named = builtinsIn(directory, { roots: { editor: '.vscode', env: '.npmrc' } })
  t.equal(await named.code('write_file', { path: 'tasks.json', content: 'x' }), 'ok')
  t.equal(await named.code('write_file', { path: '.', root: 'env', content: 'x' }), 'ok')
  t.equal(await named.code('write_file', { path: '.git/config', content: 'x' }), 'path_denied')
})

t.test('no repository is made, by files one after another, by a patch, or by directories', async (t) => {
  const file = (path: string) => `*** Add File: ${path}\n+x\n`
  for (const last of ['HEAD', 'objects/x', 'refs/x']) {
    const { call, code } = makeBuiltins()
    const before = ['HEAD', 'objects/x', 'refs/x'].filter((path) => path !== last)
    for (const path of [...before, 'config']) t.equal(await code('write_file', { path: `a/${path}`, content: 'x' }), 'ok', path)
    t.match((await call('write_file', { path: `a/${last}`, content: 'x' })).error, {
      error: 'path_denied',
      detail: /git would take 'a' for/,
    })
    t.equal(await code('make_directory', { path: `a/${last}` }), 'path_denied', last)
  }
  const { directory, code } = makeBuiltins({ 'real/HEAD': 'x', 'real/objects/x': 'x', 'real/refs/x': 'x', 'real/config': 'x' })
  const patch = (...paths: string[]) => ({ patch: `*** Begin Patch\n${paths.map(file).join('')}*** End Patch` })
  t.equal(await code('apply_patch', patch('HEAD', 'objects/x', 'refs/x', 'config')), 'path_denied')
  t.equal(await code('apply_patch', patch('HEAD', 'commondir')), 'path_denied')
  for (const path of ['config', 'hooks/x']) t.equal(await code('write_file', { path: `real/${path}`, content: 'x' }), 'path_denied', path)
  t.strictSame(readdirSync(directory), ['real'])
})

t.test('a file with several hard links is not read, but where package managers link or the root says so', async (t) => {
  const base = makeTestDirectory({
    'outside/secret': 'secret',
    'ws/node_modules/p/i.js': 'x',
    'ws/lib/site-packages/p.py': 'x',
    'ws/own': 'mine',
  })
  const ws = join(base, 'ws')
  linkSync(join(base, 'outside/secret'), join(ws, 'hard'))
  linkSync(join(ws, 'node_modules/p/i.js'), join(base, 'store'))
  linkSync(join(ws, 'lib/site-packages/p.py'), join(base, 'cache'))
  // A patch that is under way keeps the old file beside it.
  linkSync(join(ws, 'own'), join(ws, '.plumb-000000000000-0.old'))
  const { call, code } = builtinsIn(ws)
  t.match((await call('read_file', { path: 'hard' })).error, { error: 'path_denied', detail: /2 hard links.*'hard_links: true'/ })
  t.equal(await code('find_and_replace', { path: 'hard', find: 'secret', replace: 'x' }), 'path_denied')
  t.match((await call('grep', { pattern: 'secret' })).value, /skipped: 1/)
  t.equal((await call('read_file', { path: 'node_modules/p/i.js' })).value.text, 'x')
  t.equal((await call('read_file', { path: 'lib/site-packages/p.py' })).value.text, 'x')
  t.equal((await call('read_file', { path: 'own' })).value.text, 'mine')
  const linked = builtinsIn(base, { roots: { ws: { path: 'ws', hard_links: true }, other: 'ws' } })
  t.equal((await linked.call('read_file', { path: 'hard' })).value.text, 'secret')
  t.equal(await linked.code('read_file', { path: 'hard', root: 'other' }), 'path_denied')
})

t.test('what a program is made of is not written, however it is spelt', async (t) => {
  const base = makeTestDirectory({
    'ws/s.plumb': '',
    'ws/f.mjs':
      "/* don't */ import { g } from /* here */ './lib/g.js'\nexport { h } from './deep.mjs'\nrequire('./c')\nimport '#mapped'\nimport 'own'",
    'ws/lib/g.ts': "import('./late.mjs')",
    'ws/lib/late.mjs': '',
    'ws/deep.mjs': 'new Worker("./w.mjs")',
    'ws/w.mjs': '',
    'ws/c.cjs': '',
    'ws/m.mjs': '',
    'ws/package.json': '{"imports":{"#mapped":"./m.mjs"}}',
    'ws/packages/own/index.js': '',
    'ws/node_modules/.keep': '',
    'ws/real/run.sh': '#!/bin/sh',
    'ws/data.json': '{}',
    'ws/git.py': 'import helper, os.path\nfrom pkg.x import y',
    'ws/helper.py': 'from . import deeper',
    'ws/bin/tool': '#!/bin/sh',
    'ws/p.chatmd': '<user><doc src="doc.txt" local/></user><import src="more.chatmd"/><tool name="t" command="./inner.sh"/>',
    'ws/more.chatmd': '<import src="even.txt"/>',
    'ws/inner.sh': '#!/bin/sh',
  })
  const ws = join(base, 'ws')
  symlinkSync('../packages/own', join(ws, 'node_modules/own'))
  symlinkSync('real', join(ws, 'way'))
  linkSync(join(ws, 'real/run.sh'), join(ws, 'hard.sh'))
  const spec = [
    'use other',
    'use "./sub/m.plumb"',
    'let f : json -> json = tool { function: "./f.mjs#f" }',
    'let sh : json -> json = tool { command: "./way/run.sh" }',
    'let py : json -> json = tool { command: "python3 git.py --data=data.json status" }',
    'let on : json -> json = tool { command: "tool" }',
    'let p : string -> string = tool { agent: "p.chatmd" }',
    'let server = { command: "node", args: ["server.mjs"] }',
    'let a : !string -> !string = agent { prompts: ["./a.md", "named.md"], script: "s.json", mcp: [server], via: ["./via.sh"] }',
  ].join('\n')
  writeFileSync(join(ws, 'server.mjs'), "import './lib/late.mjs'")
  const path = process.env.PATH
  process.env.PATH = `${join(ws, 'bin')}:${path}`
  process.env.PLUMB_RESOURCES = join(ws, 'res')
  process.env.PLUMB_PATH = join(ws, 'modules')
  t.teardown(() => {
    process.env.PATH = path ?? ''
    delete process.env.PLUMB_RESOURCES
    delete process.env.PLUMB_PATH
  })
  const files = bundledFiles({ entry: join(ws, 's.plumb'), files: { [join(ws, 's.plumb')]: spec }, modules: {} })
  const policy = withAround(files, { paths: [join(ws, 'policy.json')] })
  const { call, code } = builtinsIn(ws, { session: { files: policy } })
  const parts = [
    ...[
      's.plumb',
      'other.plumb',
      'modules/other.plumb',
      'sub/m.plumb',
      'f.mjs',
      'lib/g.ts',
      'lib/g.js',
      'lib/late.mjs',
      'deep.mjs',
      'w.mjs',
    ],
    ...[
      'c.cjs',
      'c.js',
      'c/index.js',
      'm.mjs',
      'package.json',
      'lib/package.json',
      'packages/own/index.js',
      'node_modules/new/i.js',
      'lib/node_modules/x',
    ],
    ...[
      'real/run.sh',
      'way/run.sh',
      'way',
      'hard.sh',
      'git.py',
      'helper.py',
      'deeper.py',
      'os.py',
      'pkg/x.py',
      'data.json',
      'bin/tool',
      'bin/python3',
    ],
    ...[
      'p.chatmd',
      'doc.txt',
      'more.chatmd',
      'even.txt',
      'inner.sh',
      'a.md',
      'res/named.md',
      's.json',
      'via.sh',
      'server.mjs',
      'policy.json',
    ],
    ...['S.PLUMB', 'Other.plumb', './lib/../f.mjs', join(ws, 'f.mjs')].filter((name) => name !== 'S.PLUMB'),
  ]
  for (const part of parts) {
    for (const tool of ['write_file', 'append_to_file']) {
      if (part !== 'way') t.equal(await code(tool, { path: part, content: 'x' }), 'path_denied', `${tool} ${part}`)
    }
    t.equal(await code('delete_file', { path: part }), 'path_denied', `delete_file ${part}`)
    const patch = `*** Begin Patch\n*** Update File: free.txt\n*** Move to: ${part}\n*** End Patch`
    if (!existsSync(join(ws, part)))
      t.equal(await code('apply_patch', { patch }), existsSync(join(ws, 'free.txt')) ? 'path_denied' : 'no_such_file', part)
    if (part.endsWith('.mjs') && existsSync(join(ws, part))) {
      const away = `*** Begin Patch\n*** Update File: ${part}\n*** Move to: away\n*** End Patch`
      t.equal(await code('apply_patch', { patch: away }), 'path_denied', `move ${part}`)
    }
  }
  for (const directory of ['lib', 'real', 'way/../lib']) t.equal(await code('delete_file', { path: directory }), 'path_denied', directory)
  // Another spelling is another file where the file system says so.
  const isSame = existsSync(join(ws, 'F.MJS'))
  t.equal(await code('write_file', { path: 'F.MJS', content: 'x' }), isSame ? 'path_denied' : 'ok')
  for (const free of ['free.txt', 'status', 'lib/other.txt', 'real/x', 'packages/new/index.js', 'way/x'])
    t.equal(await code('write_file', { path: free, content: 'x' }), 'ok', free)
  t.match((await call('write_file', { path: 'f.mjs', content: 'x' })).error?.detail, /it is part of the program that is running/)
  const meant = builtinsIn(ws, { roots: { ws: '.', main: 'git.py', own: 'packages/own' }, session: { files: policy } })
  t.equal(await meant.code('write_file', { path: '.', root: 'main', content: 'x' }), 'ok', 'a root that is the file')
  t.equal(await meant.code('write_file', { path: 'index.js', root: 'own', content: 'x' }), 'ok', 'a root that is the directory')
  t.equal(await meant.code('write_file', { path: 'git.py', content: 'x' }), 'path_denied')
})

t.test('a policy holds for what a walk finds, too', async (t) => {
  const policy = [
    { decision: 'deny', path: 'secret' } as const,
    { decision: 'ask', path: 'asked' } as const,
    { decision: 'allow' } as const,
  ]
  const authority = () => ({ policy, context: {} })
  const { call } = makeBuiltins({ 'secret/a': 'x', 'asked/b': 'x', 'open/c': 'x' }, { session: { authority } })
  t.equal((await call('grep', { pattern: 'x' })).value, 'open/c:1:x')
  t.equal((await call('glob', { pattern: '*' })).value, 'open/c')
  const listed = (await call('read_directory', { path: '.', depth: 3 })).value
  t.equal(listed, 'asked/\nopen/\nopen/c\nsecret/\n[not listed: 2 directories]')
})

// PLUMB_SWAPS=100000 for the whole of it.
const SWAPS = Number(process.env.PLUMB_SWAPS ?? 600)

t.test(`fault 80: a path that is swapped while it is used, ${SWAPS} times`, async (t) => {
  const base = makeTestDirectory({ 'outside/secret': 'secret\n', 'ws/dir/secret': 'mine\n', 'ws/file': 'mine\n' })
  const ws = join(base, 'ws')
  const { call } = builtinsIn(ws)
  const swapper = spawn(process.execPath, [join(FIXTURES, 'swap.cjs'), join(ws, 'dir'), join(ws, 'file')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((done) => swapper.stdout.once('data', done))
  const seen = { ok: 0, denied: 0, other: 0, escaped: 0 }
  for (let i = 0; i < SWAPS; i++) {
    const k = Math.floor(i / 9) % 20
    const tries: [string, object][] = [
      ['read_file', { path: 'dir/secret' }],
      ['read_file', { path: 'file' }],
      ['write_file', { path: `dir/new${i % 10}`, content: 'x' }],
      ['append_to_file', { path: 'file', content: 'mine' }],
      ['grep', { pattern: '.', path: 'dir' }],
      ['make_directory', { path: `dir/sub/${i % 10}` }],
      ['apply_patch', { patch: `*** Begin Patch\n*** Add File: dir/p${k}\n+x\n*** Add File: dir/q${k}/r\n+y\n*** End Patch` }],
      // What is in the way of the next one; never by the path itself, which may lead outside just now.
      ['delete_file', { path: `dir/p${(k + 10) % 20}` }],
      ['delete_file', { path: `dir/q${(k + 10) % 20}/r` }],
    ]
    const [tool, input] = tries[i % tries.length] as [string, object]
    const { value, error } = await call(tool, input)
    if (error === undefined) seen.ok++
    else if (error.error === 'path_denied') seen.denied++
    else seen.other++
    if (JSON.stringify(value ?? '').includes('secret\\n') || /:secret/.test(JSON.stringify(value ?? ''))) seen.escaped++
  }
  t.equal(swapper.exitCode, null, 'it was swapped to the end')
  swapper.kill('SIGKILL')
  t.comment(JSON.stringify(seen))
  t.equal(seen.escaped, 0, 'nothing outside was read')
  t.ok(seen.ok > 0 && seen.denied > 0, 'some were done and some refused')
  t.strictSame(readdirSync(join(base, 'outside')), ['secret'], 'nothing outside was made')
  t.equal(readFileSync(join(base, 'outside/secret'), 'utf8'), 'secret\n', 'nothing outside was written')
})

t.test('fault 80: a directory that becomes another one below the same root is not that directory', async (t) => {
  const { directory } = makeBuiltins({ '.git/config': 'x', 'docs/a': 'x' })
  const place = resolvePath('docs/new', 'write', { roots: new Map([['docroot', directory]]) })
  if (!place.ok) throw new Error(place.error.detail)
  renameSync(join(directory, 'docs'), join(directory, 'old'))
  symlinkSync('.git', join(directory, 'docs'))
  t.match(await writeFileAtomically(place.value, Buffer.from('x')), { ok: false, error: { error: 'no_such_file' } })
  rmSync(join(directory, 'docs'))
  mkdirSync(join(directory, 'a'))
  renameSync(join(directory, 'a'), join(directory, 'docs'))
  t.match(await writeFileAtomically(place.value, Buffer.from('x')), { ok: true })
  t.strictSame(readdirSync(join(directory, '.git')), ['config'])
})

// The deadline is for an open that waits for a writer of the FIFO.
t.test('fault 81: what is not a regular file', { timeout: scaled(30_000) }, async (t) => {
  const { directory, code, call } = makeBuiltins({ 'sub/x': 'x' })
  const server = createServer().listen(join(directory, 'socket'))
  t.teardown(() => server.close())
  for (const name of ['fifo', 'fifo2', 'fifo3', 'fifo4', 'fifo5']) spawnSync('mkfifo', [join(directory, name)])
  for (const path of ['fifo', 'fifo2', 'fifo3', 'fifo4', 'fifo5', 'socket', 'sub']) {
    for (const [tool, input] of REACHING) {
      if (path === 'sub' && !/^(read_file|write|append|find|delete|import)/.test(tool)) continue
      if (/^(grep|glob|read_directory|make_directory)$/.test(tool) || (path !== 'sub' && /^delete|^apply/.test(tool))) continue
      t.equal(await code(tool, input(path)), 'path_denied', `${tool} ${path}`)
    }
  }
  t.match((await call('grep', { pattern: 'x', path: 'fifo' })).value, /^\[skipped: 1/)
  t.equal((await call('grep', { pattern: 'x' })).value, 'sub/x:1:x')
  t.equal((await call('read_directory', { path: 'fifo' })).error?.error, 'no_such_file')
  t.equal(await code('delete_file', { path: 'fifo' }), 'ok', 'a name can be taken away')
})

/** As read_file is described: whole lines up to the budget, or the beginning of one that is longer. */
const naive = (text: string, offset: number, limit: number, budget: number) => {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  let [taken, bytes, isCut] = ['', 0, false]
  let count = 0
  for (const line of lines.slice(offset, offset + limit)) {
    const size = Buffer.byteLength(line)
    if (bytes + size > budget) {
      isCut = true
      if (count === 0) {
        taken = new TextDecoder('utf8').decode(Buffer.from(line).subarray(0, budget)).replace(/\ufffd$/, '')
        count = 1
      }
      break
    }
    taken += line
    bytes += size
    count++
  }
  const next = offset + count
  const shown = isCut ? `${taken}${taken.endsWith('\n') || taken === '' ? '' : '\n'}---\n[File truncated]` : taken
  return { text: shown, ...(next < lines.length ? { next_offset: next } : {}), total_lines: lines.length, sha256: sha256(text) }
}

const named = (text: string, ...window: number[]): string => `${JSON.stringify(text).replace(/[^ -~]/g, '?')} ${window.join(' ')}`

t.test('read_file: every window of a small file', async (t) => {
  for (const text of ['', '\n', 'a', 'a\n', 'a\r\nb\r\n', '\ufeffa\nb', 'ä\n\n€\n😀', '\n\n\n', 'a\rb\u2028c\n']) {
    const { call } = makeBuiltins({ f: text })
    for (let offset = 0; offset <= 5; offset++) {
      t.strictSame((await call('read_file', { path: 'f', offset })).value, naive(text, offset, 1e9, 380_928), named(text, offset))
      for (let limit = 1; limit <= 4; limit++) {
        const { value } = await call('read_file', { path: 'f', offset, limit })
        t.strictSame(value, naive(text, offset, limit, 380_928), named(text, offset, limit))
      }
    }
  }
})

t.test('read_file: around the budget, and on from there to the end', async (t) => {
  const budget = 380_928
  const { directory, call } = makeBuiltins()
  const lineOf = (bytes: number, of = 'x') => `${of.repeat(Math.floor((bytes - 1) / Buffer.byteLength(of))).padEnd(0)}\n`
  const texts = [
    ...[-1, 0, 1, 2].map((extra) => 'x'.repeat(budget + extra)),
    ...[-2, -1, 0, 1].map((extra) => `${'x'.repeat(budget + extra)}\nnext\n`),
    ...[-1, 0, 1].map((extra) => `${'x'.repeat(1000)}\n`.repeat(380) + 'y'.repeat(budget - 380_380 + extra)),
    ...[0, 1, 2, 3].map((shift) => `${'-'.repeat(shift)}${'😀'.repeat(200_000)}\nend`),
    lineOf(budget * 3, '€') + lineOf(100) + lineOf(budget * 2),
    `${'ab\n'.repeat(200_000)}last`,
    Array.from({ length: 90_000 }, (_, i) => `line ${i} ä€😀\r\n`).join(''),
  ]
  for (const [i, text] of texts.entries()) {
    writeFileSync(join(directory, 'f'), text)
    let offset: number | undefined = 0
    let whole = ''
    let hasLongLine = false
    for (let reads = 0; offset !== undefined && reads < 20; reads++) {
      const { value } = await call('read_file', { path: 'f', offset })
      const expected = naive(text, offset, Number.POSITIVE_INFINITY, budget)
      if (JSON.stringify(value) !== JSON.stringify(expected)) t.fail(`text ${i} from ${offset} is not as described`)
      const got = String(value.text)
      const body = got.endsWith('---\n[File truncated]') ? got.slice(0, -'---\n[File truncated]'.length) : got
      hasLongLine ||= value.next_offset === offset + 1 || (value.next_offset === undefined && body !== got)
      whole += body
      offset = value.next_offset as number | undefined
    }
    if (!hasLongLine) t.equal(sha256(whole), sha256(text), `text ${i}: the pieces are the whole`)
  }
  const { value } = await call('read_file', { path: 'f', offset: 89_999 })
  t.equal(value.text, 'line 89999 ä€😀\r\n')
})

/** Bytes that this process has read so far, proc_pid_io(5); 0 where the system does not count them. */
const readBytes = (): number =>
  existsSync('/proc/self/io') ? Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]) : 0

t.test('fault 82: files that grow, shrink, are huge or are not text', async (t) => {
  const { directory, call } = makeBuiltins({ grows: 'line\n'.repeat(300_000), latin: '' })
  writeFileSync(join(directory, 'sparse'), '')
  truncateSync(join(directory, 'sparse'), 10 * 1024 ** 3)
  const before = readBytes()
  t.match((await call('read_file', { path: 'sparse' })).error, { error: 'input_type_mismatch', detail: /10737418240 bytes, more than/ })
  truncateSync(join(directory, 'sparse'), 3 * 1024 ** 3)
  t.match((await call('read_file', { path: 'sparse' })).error, { error: 'input_type_mismatch', detail: /not UTF-8 text/ })
  t.match((await call('append_to_file', { path: 'sparse', content: 'x' })).error, { error: 'input_type_mismatch', detail: /larger than/ })
  t.match((await call('grep', { pattern: 'x', path: 'sparse' })).value, /^\[skipped: 1/)
  t.match((await call('import_image', { path: 'sparse' })).error, { error: 'input_type_mismatch' })
  t.ok(readBytes() - before < 64 * 1024 ** 2, 'only their beginning is read')

  const timer = setInterval(() => appendFileSync(join(directory, 'grows'), 'line\n'.repeat(1000)), 1)
  const { value } = await call('read_file', { path: 'grows', offset: 100_000, limit: 3 })
  clearInterval(timer)
  t.equal(value.text, 'line\nline\nline\n')
  t.equal((value.total_lines as unknown as number) >= 300_000, true)

  const noText: [string, Buffer][] = [
    ['NUL at the end', Buffer.from(`${'x'.repeat(600_000)}\0`)],
    ['no UTF-8', Buffer.from([0x63, 0x61, 0xe9, 0x0a])],
    ['cut', Buffer.from([0x61, 0xe2, 0x82])],
    ['surrogate', Buffer.from([0xed, 0xa0, 0x80])],
    ['UTF-16', Buffer.from('\ufeffabc', 'utf16le')],
    ['split over pieces', Buffer.concat([Buffer.alloc(256 * 1024 - 1, 0x61), Buffer.from([0xe2, 0x82, 0x0a])])],
  ]
  for (const [name, bytes] of noText) {
    writeFileSync(join(directory, 'f'), bytes)
    t.match((await call('read_file', { path: 'f' })).error, { error: 'input_type_mismatch' }, name)
    t.match((await call('find_and_replace', { path: 'f', find: 'a', replace: 'b' })).error, { error: 'input_type_mismatch' }, name)
  }
  writeFileSync(join(directory, 'f'), Buffer.concat([Buffer.alloc(256 * 1024 - 1, 0x61), Buffer.from('€\n')]))
  t.equal((await call('read_file', { path: 'f' })).error, undefined, 'a character over the edge of two pieces')
})

t.test('fault 84: a disk that says no', async (t) => {
  // Blocks of 1 KiB.
  const limited = `ulimit -f 64; printf '{"path":"f","content":"%0200000d"}' 0 | plumb-tool call write_file -`
  const ran = await shell(`${limited}; echo $?; cat f; ls -A`, { f: 'old\n' })
  t.match(ran.err, /"error":"write_failed".*EFBIG/)
  t.equal(ran.out, '1\nold\nf\n', 'the old file is whole, and nothing is left beside it')

  const lines = ['*** Begin Patch', '*** Update File: f', '@@', '-old', '+new', '*** Add File: d/g', '+%0200000d', '*** End Patch', '']
  const patch = `ulimit -f 64; printf '${lines.join('\\n')}' 0 | plumb-tool call -Rs apply_patch -`
  const patched = await shell(`${patch}; echo $?; cat f; ls -A`, { f: 'old\n' })
  t.match(patched.err, /"error":"write_failed".*EFBIG/)
  t.equal(patched.out, '1\nold\nf\n')

  const directory = makeTestDirectory({ 'closed/f': 'old', 'open/f': 'old' })
  chmodSync(join(directory, 'open/f'), 0o444)
  chmodSync(join(directory, 'open'), 0o777)
  chmodSync(join(directory, 'closed'), 0o555)
  chmodSync(directory, 0o755)
  t.teardown(() => chmodSync(join(directory, 'closed'), 0o755))
  // The superuser may do anything; nobody may not.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const main = join(__dirname, '..', 'main.cjs')
  if (spawnSync(process.execPath, [main, '--version'], { cwd: directory, ...nobody }).status !== 0)
    return t.pass('what nobody may not do', { skip: 'nobody may not run what is in this directory' })
  const refused = [
    ['write_file', { path: 'closed/f', content: 'x' }],
    ['write_file', { path: 'closed/new', content: 'x' }],
    ['write_file', { path: 'open/f', content: 'x' }],
    ['delete_file', { path: 'closed/f' }],
  ].map(([name, input]) => {
    const args = [main, 'call', String(name), JSON.stringify(input)]
    return spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8', ...nobody }).stderr
  })
  for (const reported of refused) t.match(reported, /^\{"error":"path_denied".*permission denied/i)
  t.strictSame([contentsOf(directory, 'closed'), contentsOf(directory, 'open')], [{ f: 'old' }, { f: 'old' }])
  return undefined
})

t.test('fault 85: two writers on one file', async (t) => {
  const { directory, call } = makeBuiltins({ f: 'start' })
  const texts = Array.from({ length: 100 }, (_, i) => `${i}`.repeat(1000))
  const reported = await Promise.all(texts.map((content) => call('write_file', { path: 'f', content })))
  t.ok(reported.every(({ error }) => error === undefined))
  t.ok(texts.includes(readFileSync(join(directory, 'f'), 'utf8')), 'one of them, whole')

  writeFileSync(join(directory, 'f'), texts.map((_, i) => `<${i}>`).join('\n'))
  const replaced = await Promise.all(texts.map((_, i) => call('find_and_replace', { path: 'f', find: `<${i}>`, replace: `[${i}]` })))
  const done = replaced.flatMap(({ error }, i) => (error === undefined ? [i] : []))
  for (const { error } of replaced) if (error) t.equal(error.error, 'file_changed')
  const text = readFileSync(join(directory, 'f'), 'utf8')
  t.ok(done.length > 0)
  t.strictSame(
    done.filter((i) => !text.includes(`[${i}]`)),
    [],
    'nothing that was said to be done is lost',
  )

  const { value } = await call('read_file', { path: 'f' })
  const expect_sha256 = value.sha256
  appendFileSync(join(directory, 'f'), '!')
  for (const [tool, input] of REACHING.filter(([name]) => /^(write|append|delete)/.test(name))) {
    t.match((await call(tool, { ...input('f'), expect_sha256 })).error, { error: 'file_changed' }, tool)
  }
  t.match((await call('find_and_replace', { path: 'f', find: '!', replace: '?', expect_sha256 })).error, { error: 'file_changed' })
  t.match((await call('write_file', { path: 'none', content: 'x', expect_sha256 })).error, { error: 'file_changed' })
  const now = sha256(readFileSync(join(directory, 'f')))
  t.equal((await call('append_to_file', { path: 'f', content: 'x', expect_sha256: now.toUpperCase() })).error, undefined)
  t.strictSame(leftOvers(directory), [])
})

t.test('fault 86: mode, owner, line ends and mark are kept', async (t) => {
  const isRoot = process.getuid?.() === 0
  const texts = ['a\r\nb\r\n', 'a\nb', '\ufeffa\nb\n', 'a\r\nb']
  for (const text of texts) {
    const { directory, call } = makeBuiltins({ f: text })
    const path = join(directory, 'f')
    if (isRoot) spawnSync('chown', ['1234:4321', path])
    chmodSync(path, 0o4751)
    await call('find_and_replace', { path: 'f', find: 'b', replace: 'c' })
    t.equal(readFileSync(path, 'utf8'), text.replace('b', 'c'), JSON.stringify(text))
    await call('append_to_file', { path: 'f', content: 'd' })
    const end = text.includes('\r\n') ? '\r\n' : '\n'
    t.equal(readFileSync(path, 'utf8'), `${text.replace('b', 'c')}${text.endsWith('\n') ? '' : end}d`)
    await call('write_file', { path: 'f', content: 'x\ny\n' })
    const only = text.includes('\r\n') && !/(?<!\r)\n/.test(text) ? '\r\n' : '\n'
    t.equal(readFileSync(path, 'utf8'), `${text.startsWith('\ufeff') ? '\ufeff' : ''}x${only}y${only}`)
    const { mode, uid, gid } = statSync(path)
    t.equal(mode & 0o7777, 0o4751)
    if (isRoot) t.strictSame([uid, gid], [1234, 4321])
  }
  const { directory, call } = makeBuiltins()
  await call('write_file', { path: 'a/b/new', content: '' })
  t.equal(statSync(join(directory, 'a/b/new')).mode & 0o777, 0o666 & ~process.umask())
  await call('append_to_file', { path: 'empty', content: 'x' })
  t.equal(readFileSync(join(directory, 'empty'), 'utf8'), 'x')
})

t.test('line ends and the byte-order mark are those of the file, whoever writes', async (t) => {
  const patch = (...lines: string[]) => ({ patch: ['*** Begin Patch', '*** Update File: f', '@@', ...lines, '*** End Patch'].join('\n') })
  const cases: readonly [name: string, before: string, tool: string, input: object, after: string][] = [
    ['written anew', '\ufeffa\r\nb\r\n', 'write_file', { content: 'new\nl2\n' }, '\ufeffnew\r\nl2\r\n'],
    ['with its mark', '\ufeffa\n', 'write_file', { content: '\ufeffnew\n' }, '\ufeffnew\n'],
    ['with ends that are said', 'a\r\nb\r\n', 'write_file', { content: 'x\r\ny\n' }, 'x\r\ny\n'],
    ['over several kinds', 'a\r\nb\n', 'write_file', { content: 'x\ny\n' }, 'x\ny\n'],
    ['over what is no text', 'a\r\n\0', 'write_file', { content: 'x\n' }, 'x\n'],
    ['over LF, with ends that are said', 'a\n', 'write_file', { content: 'x\r\n' }, 'x\r\n'],
    ['appended', 'one\r\n', 'append_to_file', { content: 'two\nthree\n' }, 'one\r\ntwo\r\nthree\r\n'],
    ['appended to an open line', 'one\r\ntwo', 'append_to_file', { content: 'three\n' }, 'one\r\ntwo\r\nthree\r\n'],
    ['appended to LF', 'one\n', 'append_to_file', { content: 'two\r\n' }, 'one\ntwo\n'],
    ['replaced', 'one\r\ntwo\r\n', 'find_and_replace', { find: 'two', replace: '2\n2b' }, 'one\r\n2\r\n2b\r\n'],
    ['found over lines', 'a\r\nb\r\nc\r\n', 'find_and_replace', { find: 'a\nb\n', replace: 'x\n' }, 'x\r\nc\r\n'],
    ['of LF by CRLF', 'a\nb\nc\n', 'find_and_replace', { find: 'a\r\nb', replace: 'x\r\ny' }, 'x\ny\nc\n'],
    ['in a file of both', 'a\nb\r\nc\n', 'find_and_replace', { find: 'b\nc', replace: 'x\ny' }, 'a\nx\r\ny\n'],
    ['all', 'a\r\nb\na\r\nb\r\n', 'find_and_replace', { find: 'a\nb', replace: 'x\ny', all: true }, 'x\r\ny\nx\r\ny\r\n'],
    ['the ends themselves', 'a\r\nb\r\n', 'find_and_replace', { find: '\r\n', replace: '\n', all: true }, 'a\nb\n'],
    ['and back', 'a\nb\n', 'find_and_replace', { find: '\n', replace: '\r\n', all: true }, 'a\r\nb\r\n'],
    ['the mark, as it was read', '\ufeffone\n', 'find_and_replace', { find: '\ufeffone', replace: '\ufefftwo' }, '\ufefftwo\n'],
    ['and not given back', '\ufeffone\n', 'find_and_replace', { find: '\ufeffone', replace: 'two' }, '\ufefftwo\n'],
    ['a patch with the mark', '\ufeffone\r\ntwo\r\n', 'apply_patch', patch('-\ufeffone', '+\ufeff1', ' two'), '\ufeff1\r\ntwo\r\n'],
    ['and without', '\ufeffone\r\ntwo\r\n', 'apply_patch', patch('-one', '+1'), '\ufeff1\r\ntwo\r\n'],
    ['a mark in its context', '\ufeffone\ntwo\n', 'apply_patch', patch(' \ufeffone', '-two'), '\ufeffone\n'],
  ]
  for (const [name, before, tool, input, after] of cases) {
    const { directory, call } = makeBuiltins({ f: before })
    const { error } = await call(tool, { ...(tool === 'apply_patch' ? {} : { path: 'f' }), ...input })
    t.strictSame([error, readFileSync(join(directory, 'f'), 'utf8')], [undefined, after], `${name}: ${JSON.stringify(before)}`)
  }
  const { call } = makeBuiltins({ f: '\ufeffone\ntwo one\n' })
  t.equal((await call('find_and_replace', { path: 'f', find: '\ufeff', replace: 'x' })).error?.error, 'input_type_mismatch')
  t.match((await call('read_file', { path: 'f' })).value, { text: '\ufeffone\ntwo one\n' })
})

t.test('files that have no size are read to their end', { skip: process.platform !== 'linux' && 'there is no /proc' }, async (t) => {
  const { call, code } = builtinsIn('/proc')
  t.match((await call('read_file', { path: 'version' })).value, { text: /^Linux version/, total_lines: 1 })
  t.match((await call('grep', { pattern: '^Linux', path: 'version' })).value, /^version:1:Linux version/)
  t.equal(await code('import_image', { path: 'version' }), 'input_type_mismatch')
  const empty = makeBuiltins({ f: '' })
  t.match((await empty.call('read_file', { path: 'f' })).value, { text: '', total_lines: 0 })
})

t.test('fault 87: find_and_replace', async (t) => {
  const { directory, call, code } = makeBuiltins({ f: 'one\ntwo two\n\none\r\n', big: 'a'.repeat(1_000_000) })
  const change = (find: string, replace = 'x', all?: boolean) =>
    call('find_and_replace', { path: 'f', find, replace, ...(all ? { all } : {}) })
  t.match((await change('')).error, { error: 'input_type_mismatch', detail: /'find' is empty/ })
  t.match((await change('nowhere')).error, { error: 'input_type_mismatch', detail: /does not hold 'nowhere'/ })
  t.match((await change('one')).error, { lines: [1, 4], detail: /2 times, on lines 1, 4:.*apply_patch/ })
  t.match((await change('two')).error, { lines: [2], detail: /2 times, on lines 2:/ })
  t.match((await change('one', 'one', true)).error, { error: 'input_type_mismatch', detail: /nothing would change/ })
  t.match((await change('one\n\n')).error, { detail: /does not hold/ })
  t.match((await change(' two ')).error, { detail: /without the white space around it it is there/ })
  t.equal(readFileSync(join(directory, 'f'), 'utf8'), 'one\ntwo two\n\none\r\n')
  t.match((await change('two two', "$& $1 $` $' $$")).value, { replaced: 1 })
  t.equal(readFileSync(join(directory, 'f'), 'utf8'), "one\n$& $1 $` $' $$\n\none\r\n")
  t.match((await change('one', 'ONE', true)).value, { replaced: 2 })
  t.match((await change('ONE\r\n', 'end')).value, { replaced: 1 })
  t.equal(readFileSync(join(directory, 'f'), 'utf8'), "ONE\n$& $1 $` $' $$\n\nend")
  t.match((await change('\n\nend\n')).error, { detail: /does not hold/ })
  t.equal(
    await code('find_and_replace', { path: 'big', find: 'a', replace: 'b'.repeat(1000), all: true }),
    'input_type_mismatch',
    'bounded',
  )
  t.match((await call('find_and_replace', { path: 'big', find: 'a', replace: 'b' })).error, {
    lines: [1],
    detail: /1000000 times, on lines 1:/,
  })
  t.equal(await code('find_and_replace', { path: 'f', find: 'end', replace: '\ud800' }), 'input_type_mismatch', 'half a pair')
})

t.test('find_and_replace is what a naive one does', async (t) => {
  const { directory, call } = makeBuiltins({ f: '' })
  const letter = fc.constantFrom('a', 'b', '\n', '$', '&', 'é')
  const word = fc.array(letter, { maxLength: 3 }).map((letters) => letters.join(''))
  const text = fc.array(letter, { maxLength: 20 }).map((letters) => letters.join(''))
  await holds(
    t,
    fc.asyncProperty(text, word, word, fc.boolean(), async (before, find, replace, all) => {
      writeFileSync(join(directory, 'f'), before)
      const { error } = await call('find_and_replace', { path: 'f', find, replace, all })
      const count = find === '' ? 0 : before.split(find).length - 1
      // Places that overlap count too.
      const starts = Array.from(before, (_, i) => i).filter((i) => before.startsWith(find, i)).length
      const isDone = find !== '' && find !== replace && (starts === 1 || (count > 0 && all))
      const after = isDone ? before.split(find).join(replace) : before
      return (error === undefined) === isDone && readFileSync(join(directory, 'f'), 'utf8') === after
    }),
    { numRuns: runs(300) },
  )
})

// PLUMB_NAMES=1000000 for the whole of it.
const NAMES = Number(process.env.PLUMB_NAMES ?? 12_000)
/** A file has no more. */
const MAX_LINKS = 60_000

t.test('fault 88: directories with many and with odd names', async (t) => {
  const { directory, call } = makeBuiltins({ 'd/a\nb': '', 'd/\u001b[31mred': '', 'd/sub/x': '', 'd/z': '' })
  writeFileSync(Buffer.concat([Buffer.from(`${directory}/d/`), Buffer.from([0xff, 0x41])]), '')
  symlinkSync('sub', join(directory, 'd/link'))
  const expected = ['\\u001b[31mred', '\\xffA', 'a\\nb', 'link', 'sub/', 'z']
  t.strictSame((await call('read_directory', { path: 'd' })).value.split('\n'), expected)
  t.strictSame((await call('read_dir', { path: 'd', depth: 2 })).value.split('\n'), [...expected.slice(0, -1), 'sub/x', 'z'])
  t.equal((await call('glob', { pattern: 'd/*b' })).value, 'd/a\\nb')
  t.equal((await call('read_file', { path: 'd/a\nb' })).value.text, '')

  mkdirSync(join(directory, 'many'))
  const nameAt = (i: number): string => join(directory, `many/${String(i).padStart(6, '0')}`)
  for (let i = 0; i < NAMES; i++) {
    if (i % MAX_LINKS === 0) writeFileSync(nameAt(i), '')
    else linkSync(nameAt(i - (i % MAX_LINKS)), nameAt(i))
  }
  const names = (await call('read_directory', { path: 'many' })).value.split('\n')
  t.equal(names.length, 10_001)
  t.strictSame([names[0], names[9999], names[10_000]], ['000000', '009999', `[truncated: ${NAMES - 10_000} more names]`])
  const found = (await call('glob', { pattern: 'many/*' })).value.split('\n')
  t.ok(found.includes(`[truncated: ${Math.min(NAMES, 100_000) - 1000} more paths]`))
})

t.test('fault 89: temporary files', async (t) => {
  const { directory, call } = makeBuiltins({ 'd/f': 'x' })
  const dead = '99999999-1-0123456789ab'
  // Of a process that is gone, of this one, and of none.
  symlinkSync('99999999-1', join(directory, 'd/.plumb-1234-1.5.guard'))
  const names = [`.plumb-${dead}.new`, `.plumb-${OWNER}-0123456789ab.new`, '.plumb-notes.new', '.plumb-99999999-1-xyz.new']
  for (const name of names) writeFileSync(join(directory, 'd', name), 'half')
  await call('write_file', { path: 'd/f', content: 'y' })
  t.strictSame(leftOvers(join(directory, 'd')).sort(), names.slice(1).sort())

  // A process that was killed with the guard of a file keeps no other from it; one that lives does.
  const guard = join(directory, 'd', guardName(fileStamp(statSync(join(directory, 'd/f')))))
  symlinkSync('99999999-1', guard)
  t.equal((await call('append_to_file', { path: 'd/f', content: 'z' })).error, undefined)
  const held = join(directory, 'd', guardName(fileStamp(statSync(join(directory, 'd/f')))))
  symlinkSync(OWNER, held)
  t.equal((await call('append_to_file', { path: 'd/f', content: 'z' })).error?.error, 'file_changed')
  rmSync(held)
  t.strictSame(leftOvers(join(directory, 'd')).sort(), names.slice(1).sort())

  // While it is being written: for its owner alone, whatever the mask.
  const big = 'x'.repeat(12_000_000)
  const before = process.umask(0)
  const writing = call('write_file', { path: 'new', content: big })
  let seen: number | undefined
  while (seen === undefined && !existsSync(join(directory, 'new'))) {
    await new Promise((done) => setImmediate(done))
    const [name] = leftOvers(directory)
    const stat = name === undefined ? undefined : lstatSync(join(directory, name), { throwIfNoEntry: false })
    if (stat && stat.size < big.length) seen = stat.mode & 0o777
  }
  await writing
  process.umask(before)
  t.ok(seen === undefined || seen === 0o600, `mode ${seen?.toString(8)}`)
  t.strictSame(leftOvers(directory), [])
})

t.test('make_directory and delete_file', async (t) => {
  const { directory, call, code } = makeBuiltins({ f: 'x' })
  t.strictSame((await call('make_directory', { path: 'a/b/c' })).value, { path: 'a/b/c', created: true })
  t.strictSame((await call('make_directory', { path: 'a/b/c' })).value, { path: 'a/b/c', created: false })
  t.equal(await code('make_directory', { path: 'f' }), 'path_denied')
  t.equal(await code('make_directory', { path: 'f/x' }), 'no_such_file')
  for (const path of ['a', '.', 'a/b/..']) {
    t.match((await call('delete_file', { path })).error, { error: 'path_denied', detail: /is a directory, and only files/ }, path)
  }
  t.strictSame((await call('delete_file', { path: 'f' })).value, { path: 'f', deleted: true })
  t.equal(await code('delete_file', { path: 'f' }), 'no_such_file')
  t.strictSame(readdirSync(directory), ['a'])
  t.equal(await code('write_file', { path: `${'n'.repeat(300)}`, content: '' }), 'path_denied')
})

t.test('a path that is not there is told with the nearest that is', async (t) => {
  const { call } = makeBuiltins({ 'src/Main.ts': 'x', 'notes.txt': 'x', 'src/.env': 'x' })
  const patch = '*** Begin Patch\n*** Update File: src/main.ts\n@@\n-x\n+y\n*** End Patch'
  t.match((await call('apply_patch', { patch })).error, {
    error: 'no_such_file',
    detail: /there is no 'src\/main.ts'; did you mean 'src\/Main.ts'\?$/,
  })
  t.match((await call('read_file', { path: 'note.txt' })).error, { detail: /did you mean 'notes.txt'\?$/ })
  t.match((await call('read_file', { path: 'src/.en' })).error, { detail: /^there is no 'src\/.en'$/ }, 'no name that is kept from readers')
  t.match((await call('read_file', { path: 'nowhere/x' })).error, { detail: /^there is no 'nowhere\/x'$/ })
})
