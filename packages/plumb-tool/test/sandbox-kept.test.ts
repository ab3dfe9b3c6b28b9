// long
// What a sandboxed program that may write the docroot cannot make or change there: what a later run, or git, would believe.

import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { probeBubblewrap } from '../../sandbox/src/plan/probe.js'
import type { Files } from '../../wire/test/shell.js'
import { asEach, inside, quoted } from './as-each-user.js'

const box = probeBubblewrap()
const skip = box.ok ? false : `no sandbox can be had here: ${box.error.detail}`

const SPEC: Files = {
  's.plumb': 'let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { write: ["."] } }\n',
}

interface Layout {
  readonly name: string
  readonly files?: Files
  /** Links and what they lead to. */
  readonly links?: readonly (readonly [link: string, target: string])[]
  readonly directories?: readonly string[]
  /** Paths that the program tries to append to, and to make with the directories on the way. */
  readonly tries: readonly string[]
  /** Paths that it tries to move away. */
  readonly moves?: readonly string[]
  /** Those of them that it may. */
  readonly open?: readonly string[]
}

const REPOSITORY: Files = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': '[core]\n', '.git/refs/x': '', '.git/objects/x': '' }

const LAYOUTS: readonly Layout[] = [
  {
    name: 'what links in .git lead to',
    files: { ...REPOSITORY, 'shared/hooks/pre-commit': '', gitattributes: '', 'more/deep/x': '' },
    links: [
      ['.git/hooks', '../way'],
      ['way', 'shared/hooks'],
      ['.git/info/attributes', '../../gitattributes'],
      ['shared/hooks/post-commit', '../../more/deep/x'],
      ['.git/modules', '../none'],
    ],
    tries: ['.git/hooks/pre-commit', 'shared/hooks/new', 'gitattributes', 'more/deep/x', 'none/x', 'more/own', 'own'],
    moves: ['shared', 'more', '.git'],
    open: ['more/own', 'own'],
  },
  {
    name: 'a configuration that is a link',
    files: {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/refs/x': '',
      '.git/objects/x': '',
      gitconf: '[core]\nhooksPath = "scripts/hooks"\n',
    },
    links: [['.git/config', '../gitconf']],
    directories: ['scripts/hooks'],
    tries: ['gitconf', '.git/config', 'scripts/hooks/pre-commit', 'scripts/own'],
    moves: ['scripts'],
    open: ['scripts/own'],
  },
  {
    name: 'what the configuration names',
    files: {
      ...REPOSITORY,
      '.git/config': `[core]
  hooksPath = ./hooks # of all
  fsmonitor = tools/monitor.sh --quick
[include]
  path = ../conf/shared
[diff "x"]\n  textconv = "./tools/text conv"\n  command = 'tools/diff.sh'
[alias]\n  go = "!sh tools/go.sh"
[branch "main"]\n  remote = origin\n`,
      'conf/shared': '[filter "x"]\n  clean = tools/clean.sh\n[include]\n  path = further\n',
      'conf/further': '[credential]\nhelper = !tools/keys.sh\n',
      'tools/monitor.sh': '',
      'tools/diff.sh': '',
      'tools/go.sh': '',
      'tools/clean.sh': '',
      'tools/keys.sh': '',
      origin: '',
    },
    tries: [
      ...['conf/shared', 'conf/further', 'hooks/pre-commit', '.githooks/pre-commit', '.husky/pre-commit'],
      ...['tools/monitor.sh', 'tools/diff.sh', 'tools/go.sh', 'tools/clean.sh', 'tools/keys.sh', 'tools/own', 'origin'],
    ],
    open: ['tools/own', 'origin'],
  },
  {
    name: 'what a configuration names that is not there yet, or in other words',
    files: {
      ...REPOSITORY,
      '.git/config': `\ufeff[core]\n  fsmonitor = new/monitor.sh --quick
[includeIf "onbranch:a]b"] path = ../inc
[submodule "x"]\n  update = "!tools/up.sh"
[init]\n  templateDir = tpl
[diff "x"]\n  textconv = "./tools/text conv"
[sendemail]\n  smtpServer = tools/smtp\n[core]\n  editor = vim -c a/b\n`,
      inc: '',
      'tools/up.sh': '',
      'tools/text conv': '',
      'tools/smtp': '',
    },
    tries: ['new/monitor.sh', 'inc', 'tools/up.sh', 'tpl/hooks/x', 'tools/text conv', 'tools/smtp', 'vim', 'a/b', 'tools/own'],
    open: ['vim', 'a/b', 'tools/own'],
  },
  {
    name: 'a worktree',
    files: {
      '.git': 'gitdir: store/main/worktrees/w\n',
      'store/main/worktrees/w/commondir': '../..\n',
      'store/main/worktrees/w/gitdir': '../../../../other/.git\n',
      'store/main/config': '[core]\n',
      'store/main/objects/info/alternates': '../../far/objects\n',
      'store/far/objects/x': '',
      'other/.git': 'gitdir: ../store/main/worktrees/o\n',
    },
    tries: ['.git', 'store/main/config', 'store/main/hooks/x', 'store/far/objects/x', 'other/.git', 'store/own'],
    moves: ['other/.git', 'store'],
    open: ['store/own'],
  },
  {
    name: 'submodules, and repositories further down',
    files: {
      ...REPOSITORY,
      '.gitmodules': '[submodule "a"]\n  path = libs/a\n  url = x\n[submodule "b"]\n\tpath = deep/er/b\n[submodule "c"]\n\tpath = ../out\n',
      '.git/modules/a/config': '[core]\n  worktree = ../../../libs/a\n  hooksPath = githooks\n',
      'libs/a/.git': 'gitdir: ../../.git/modules/a\n',
      'one/two/three/.git/config': '',
    },
    directories: ['deep/er/b'],
    tries: [
      'libs/a/.git',
      'libs/a/githooks/x',
      'libs/a/own',
      'deep/er/b/.git/config',
      'one/two/three/.git/hooks/x',
      '.git/modules/a/hooks/x',
    ],
    moves: ['libs/a/.git', 'libs', 'deep/er', 'one/two'],
    open: ['libs/a/own'],
  },
  {
    name: 'no repository is made',
    tries: ['.git/config', 'sub/own'],
    open: ['sub/own'],
  },
  {
    name: 'a repository without a worktree',
    files: { HEAD: 'ref: refs/heads/main\n', config: '', 'refs/x': '', 'objects/x': '' },
    tries: ['config', 'hooks/pre-commit', 'config.worktree', 'info/attributes', 'own'],
    open: ['own'],
  },
]

const layIn =
  ({ links = [], directories = [] }: Pick<Layout, 'links' | 'directories'>) =>
  (directory: string): void => {
    for (const name of directories) mkdirSync(join(directory, name), { recursive: true })
    for (const [link, target] of links) {
      mkdirSync(dirname(join(directory, link)), { recursive: true })
      symlinkSync(target, join(directory, link))
    }
    openAll(directory)
  }

/** Nothing is kept by its mode alone. */
const openAll = (path: string): void => {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  chmodSync(path, 0o777)
  if (stat.isDirectory()) for (const name of readdirSync(path)) openAll(join(path, name))
}

const LIST = 'find . -mindepth 1 ! -path "./home*" | sort'

t.test('what git would run or trust', { skip }, async (t) => {
  for (const layout of LAYOUTS) {
    const { name, files = {}, tries, moves = [], open = [] } = layout
    const script = [
      ...tries.map((path) => `mkdir -p '${dirname(path)}' 2>/dev/null; (echo x >> '${path}') 2>/dev/null && echo 'got ${path}'`),
      ...moves.map((path) => `mv '${path}' moved 2>/dev/null && echo 'got ${path}'`),
      'true',
    ].join('\n')
    const run = `${LIST} > home-before; ${inside(script)}; ${LIST} > home-after; diff home-before home-after | grep '^[<>]'`
    for (const { user, out } of await asEach(run, { ...SPEC, ...files }, layIn(layout))) {
      t.strictSame(
        out.match(/^got .*/gm) ?? [],
        open.map((path) => `got ${path}`),
        `${name}, ${user}: ${out}`,
      )
      const made = out.match(/^[<>] .*/gm) ?? []
      // What cannot be moved is copied by mv.
      const own = (line: string): boolean =>
        line.startsWith('> ./moved') || open.some((path) => line === `> ./${path}` || line === `> ./${dirname(path)}`)
      t.strictSame(
        made.filter((line) => !own(line)),
        [],
        `${name}, ${user}: nothing is left behind`,
      )
    }
  }
})

t.test('a link leads where it led when the program has ended', { skip }, async (t) => {
  const rows = [
    { target: '../store', git: 'rm .git; mkdir .git; echo "[core]" > .git/config; echo made' },
    { target: '../store', git: 'mv .git old; ln -s /tmp .git; echo made' },
    { target: 'inner', git: 'rm .git; echo "gitdir: x" > .git; echo made' },
    { target: 'inner', git: 'echo x >> inner/config; mv inner old; mkdir inner; echo made' },
  ]
  for (const { target, git } of rows) {
    const lay = (directory: string): void => {
      for (const name of ['work/inner', 'store']) mkdirSync(join(directory, name), { recursive: true })
      for (const name of ['work/inner/config', 'store/config']) writeFileSync(join(directory, name), '[core]\n')
      writeFileSync(join(directory, 'work/s.plumb'), SPEC['s.plumb'] as string)
      symlinkSync(target, join(directory, 'work/.git'))
      openAll(directory)
    }
    const run = `cd work; ${inside(`echo hi > own; ${git}; true`)}; readlink .git; cat own .git/config; ls -A | grep -v held`
    for (const { user, out } of await asEach(run, {}, lay)) {
      t.match(out, /made/, `${user}: it has run: ${out}`)
      t.match(out, `${target}\nhi\n[core]\n`, `${user}: ${git}: ${out}`)
      if (!git.startsWith('echo')) t.match(out, /replaced the link '[^']*\/work\/\.git'.*it is restored/, `${user}: ${git}: ${out}`)
    }
  }
})

t.test('a link that one program has replaced is not taken for right by another that starts meanwhile', { skip }, async (t) => {
  const wait = (until: string): string => `until [ -e ${until} ]; do sleep 0.05; done`
  const evil = ['rm .git; ln -s evil .git', 'rm .git; cp -r evil .git', 'mv .git was; echo "gitdir: evil" > .git']
  for (const replace of evil) {
    const lay = (directory: string): void => {
      mkdirSync(join(directory, 'evil'))
      writeFileSync(join(directory, 'evil/config'), '[evil]\n')
      symlinkSync('store/g', join(directory, '.git'))
      openAll(directory)
    }
    const again = '(rm -rf .git; cp -r evil .git) 2>/dev/null; (echo x >> store/g/config) 2>/dev/null && echo got; true'
    const run = `exec 2>&1
${inside(`${replace}; touch a; ${wait('b')}; true`)} & one=$!; ${wait('a')}
${inside(`touch b; ${wait('c')}; ${again}`)} & two=$!; wait $one; touch c; wait $two; readlink .git; cat .git/config`
    const files = { ...SPEC, 'store/g/config': '[core]\n' }
    for (const { user, out } of await asEach(run, files, lay)) t.match(out, /^store\/g\n\[core\]\n$/m, `${user}: ${replace}: ${out}`)
    for (const { user, out } of await asEach(run, files, lay)) t.notMatch(out, /^got$/m, `${user}: ${replace}: ${out}`)
  }
})

t.test('a directory does not become a repository itself', { skip }, async (t) => {
  const made = inside('mkdir objects refs; echo "ref: refs/heads/main" > HEAD; echo "[core]" > config; true')
  for (const { user, out } of await asEach(`${made}; ls`, SPEC, openAll)) {
    t.match(out, /has made a repository of .* its HEAD is/, `${user}: ${out}`)
    t.match(out, /^HEAD\.refused-\w+$/m, user)
    t.notMatch(out, /^HEAD$/m, user)
  }
})

t.test('what of it was there before keeps its name', { skip }, async (t) => {
  for (const { user, out } of await asEach(`${inside('mkdir objects refs; true')}; ls; cat HEAD`, { ...SPEC, HEAD: 'mine\n' }, openAll)) {
    t.match(out, /^objects\.refused-\w+$/m, `${user}: ${out}`)
    t.match(out, /^mine$/m, user)
  }
})

t.test('names at which a later run would find what it believes', { skip }, async (t) => {
  const files: Files = {
    'lib/helper.plumb': 'let hi : string -> string = map("hi " + value)\n',
    'work/s.plumb': `use helper
let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: { write: ["."] } }
let f : json -> string = tool { function: "./tools/f.mjs", sandbox: false }
let build : { arguments?: [string] } -> string = tool { command: "node ./gen.mjs", sandbox: false }
let py : { arguments?: [string] } -> string = tool { command: "python3 py/run.py", sandbox: false }
let prog : { arguments?: [string] } -> string = tool { command: "true log.db rules" }
let p : !string -> !string = agent { model: "eliza", prompts: ["./p.md"] }
let main : !string -> !string = map(Helper.hi) ; map({ arguments: [value] }) ; map(sh)\n`,
    'work/tools/f.mjs': "import { name } from './name'\nexport default () => 'f'\n",
    'work/tools/name.js': "exports.name = 'x'\n",
    'work/py/run.py': 'import helper\nfrom json import dumps\ntry:\n    import ujson\nexcept ImportError:\n    print("none")\n',
    'work/py/helper.py': '',
    'work/p.md': 'Be kind.\n@import missing.md\n',
    'work/bin/x': '',
    'work/log.db': '',
    'work/rules': '',
  }
  const names = [
    ...['helper.plumb', 'package.json', 'tools/package.json', 'node_modules/x/index.js', 'tools/node_modules/x', 'tools/name'],
    ...['gen.mjs', 'rules', 'bin/true', 'py/json.py', 'py/ujson.py', '.git/config'],
    // What plumb starts itself, and what its programs start.
    ...['bin/bwrap', 'bin/jq', 'bin/x', 'own/bin/sh', 'py/__pycache__/helper.cpython-311.pyc'],
  ]
  const packages = ['py/ujson', 'py/json']
  const compiled = ['py/json.pyc', 'py/ujson.abi3.so', 'py/helper.cpython-311-x86_64-linux-gnu.so', 'py/helper.so']
  const tries = names.map((path) => `mkdir -p '${dirname(path)}' 2>/dev/null; (echo x > '${path}') 2>/dev/null && echo 'got ${path}'`)
  const later = [...packages.map((path) => `mkdir ${path} && touch ${path}/__init__.py`), ...compiled.map((path) => `echo x > ${path}`)]
  const run = `cd work; export PLUMB_PATH=../lib PATH=$PWD/bin:$PWD/own/bin:$PATH; ${LIST} > ../before
echo ${quoted(JSON.stringify([...tries, ...later, 'echo x > tools/own; echo x > log.db && echo end'].join('\n')))} | sed 's/^/"/; s/$/"/; s/^""/"/; s/""$/"/' > ../in
plumb -r s.plumb < ../in 2>&1; ${LIST} > ../after; diff ../before ../after; plumb check s.plumb; python3 py/run.py
plumb-tool s.plumb call sh '{"arguments":["echo x > helper.plumb"]}' 2>&1`
  for (const { user, out } of await asEach(run, files, openAll)) {
    t.match(out, /^end$/m, `${user}: ${out}`)
    t.notMatch(out, /^got /m, `${user}: ${out}`)
    const made = out.match(/^> .*/gm) ?? []
    t.strictSame(
      made.filter((line) => !/\/tools\/own$|\.refused-\w+(\/__init__\.py)?$/.test(line)),
      [],
      `${user}: ${out}`,
    )
    for (const name of ['py/ujson', ...compiled]) t.match(out, new RegExp(`^> \\./${name}\\.refused-\\w+$`, 'm'), `${user}: ${out}`)
    t.match(out, /has made '[^']*\/py\/ujson[^']*', which the program that is running would load/, user)
    t.match(out, /nothing is made at '[^']*helper\.plumb', where a later run or git would find and believe it/, user)
    t.match(out, /^none$/m, `${user}: an import that fails still does: ${out}`)
  }
})

t.test('a server of MCP keeps the same', { skip }, async (t) => {
  const files: Files = {
    'lib/helper.plumb': 'let hi : string -> string = map("hi " + value)\n',
    'work/s.plumb': `use helper
let server = { command: "/bin/sh", args: ["../server.sh"], sandbox: { write: ["."], read: ["../server.sh"] } }
let made : json -> string = tool { mcp: server, name: "make" }\n`,
    'server.sh': `while read -r line; do
  id=$(echo "$line" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
  case $line in
  *initialize\\"*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
  *tools/list*) result='{"tools":[{"name":"make","inputSchema":{"type":"object"}}]}' ;;
  *) for f in helper.plumb s.plumb .git own; do (echo x >> $f) 2>/dev/null; done; result='{"content":[{"type":"text","text":"made"}]}' ;;
  esac
  [ -z "$id" ] || echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":$result}"
done\n`.replaceAll('\\\\', '\\'),
  }
  const run = `cd work; export PLUMB_PATH=../lib; plumb-tool -r s.plumb call made '{}' 2>&1; ls -A; grep -c x$ s.plumb`
  for (const { user, out } of await asEach(run, files, openAll)) t.equal(out, 'made\n\nown\ns.plumb\n0\n'.replace('\n\n', '\n'), user)
})

t.test('one that ends takes nothing from one that still runs; what a killed one leaves is taken away by the next', { skip }, async (t) => {
  const wait = (until: string): string => `until [ -e ${until} ]; do sleep 0.05; done`
  const long = inside(`touch ready; ${wait('go')}; mkdir .git 2>&1; touch .git/config 2>&1; true`)
  const run = `exec 2>&1
${inside(`touch first; ${wait('second')}; true`)} & one=$!; ${wait('first')}
${long} > long & ${wait('ready')}; touch second; wait $one
for i in 1 2 3; do ${inside('true')}; done; echo "running: $(echo .git)"; touch go; wait; cat long; echo "ended: $(echo .gi*)"
rm go ready; ${inside('touch ready; sleep 100')} & ${wait('ready')}; kill -9 $!; echo "killed: $(echo .gi*)"; ${inside('true')}; echo "after: $(echo .gi*)"`
  for (const { user, out } of await asEach(run, SPEC, openAll)) {
    t.match(out, /^running: \.git$/m, `${user}: ${out}`)
    t.match(out, /mkdir: .*File exists/, user)
    t.match(out, /touch: .*Read-only file system/, user)
    t.match(out, /^ended: \.gi\*$/m, user)
    t.match(out, /^killed: \.git$/m, user)
    t.match(out, /^after: \.gi\*$/m, user)
  }
})
