// long
// The launcher of the executables: what it finds open, from where it can be called, and what it says when it cannot start.

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'

const directory = mkdtempSync(join(tmpdir(), 'plumb launcher '))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))

const lay = (name: string, main?: string): string => {
  mkdirSync(join(directory, name, 'bin'), { recursive: true })
  copyFileSync('packages/plumb/bin/plumb', join(directory, name, 'bin/plumb'))
  if (main !== undefined) {
    mkdirSync(join(directory, name, 'dist'))
    writeFileSync(join(directory, name, 'dist/main.bundle.cjs'), `(function (require, module) {${main}})`)
  }
  return join(directory, name, 'bin/plumb')
}

const sh = (script: string): { status: number | null; stdout: string; stderr: string } => {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
    cwd: directory,
    encoding: 'utf8',
    input: '',
    timeout: scaled(120_000),
  })
  return { status, stdout, stderr }
}

const DONE = { status: 0, stderr: '' }
const SHELLS = ['sh', 'bash', 'dash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

lay('package', 'console.log(JSON.stringify([process.env.PLUMB_FDS, process.env.PLUMB_FD, ...process.argv.slice(2)]))\n')
mkdirSync(join(directory, 'on path'))
symlinkSync('../package/bin/plumb', join(directory, 'on path/plumb'))

t.test('file descriptors that were inherited are named', async (t) => {
  const cases = [
    ['', ''],
    ['3</dev/null', '3'],
    ['4>/dev/null', '4'],
    ['6<>/dev/null', '6'],
    ['3>/dev/null 6</dev/null 9</dev/null', '3,6'],
    ['3>&1 4>&1 5>&1 6</dev/null 7>&2', '3,4,5,6,7'],
  ]
  for (const shell of SHELLS) {
    for (const [redirections, fds] of cases) {
      t.strictSame(sh(`${shell} package/bin/plumb ${redirections}`), { ...DONE, stdout: `["${fds}",null]\n` }, `${shell} ${redirections}`)
    }
  }
  t.strictSame(sh('PLUMB_FDS=4 package/bin/plumb').stdout, '["",null]\n', 'what the environment says of them does not count')
})

t.test('it is called from anywhere, with its arguments as they are', async (t) => {
  const calls = [
    'package/bin/plumb',
    'cd package/bin && ./plumb',
    "'on path/plumb'",
    'PATH="$PWD/on path:$PATH"; plumb',
    'PATH="on path:$PATH"; plumb',
    'cd \'on path\' && PATH=":$PATH" && plumb',
    'ln -s "$PWD/on path/plumb" again && ./again',
    'exec /bin/sh package/bin/plumb',
  ]
  for (const call of calls) t.strictSame(sh(`${call} 'a  b' '' -x '"*'`), { ...DONE, stdout: '["",null,"a  b","","-x","\\"*"]\n' }, call)
})

t.test('the launcher reads bundles a byte a character: each is ASCII', async (t) => {
  const directories = ['packages/wire/dist/shared', ...readdirSync('packages').map((name) => `packages/${name}/dist`)]
  const bundles = directories.flatMap((dist) => {
    const files = existsSync(dist) ? readdirSync(dist).filter((file) => file.endsWith('.bundle.cjs')) : []
    return files.map((file) => `${dist}/${file}`)
  })
  t.ok(bundles.length > 20, `${bundles.length} bundles`)
  for (const bundle of bundles) t.notMatch(readFileSync(bundle, 'latin1'), /[\x80-\xff]/, bundle)
})

t.test('what cannot start says why', async (t) => {
  lay('empty')
  t.match(sh('empty/bin/plumb'), { status: 2, stdout: '', stderr: /^plumb: error: not built.* run 'npm start'.*\n$/ })
  lay('broken', "require('absent')\n")
  t.match(sh('broken/bin/plumb'), { status: 1, stderr: /Cannot find module 'absent'/ })
  const old = 'Object.defineProperty(process, "versions", { value: { node: "18.20.1" } })\n'
  writeFileSync(join(directory, 'old.cjs'), old)
  t.match(sh('NODE_OPTIONS="--require ./old.cjs" package/bin/plumb'), { status: 2, stdout: '', stderr: /^plumb: error: needs Node.js 20/ })
})

t.test(
  'install puts executables and pages in place, as often as it is asked; uninstall takes away what it put there, and nothing else',
  async (t) => {
    const script = `${process.cwd()}/scripts/install`
    const install = `DESTDIR="$PWD/stage" '${script}'`
    sh('mkdir -p stage/usr/bin stage/usr/share/man/man1; touch stage/usr/bin/plumber stage/usr/share/man/man1/plumb-bob.1')
    for (const time of ['first', 'second']) {
      t.match(sh(`${install} /usr`), { status: 0, stdout: '', stderr: '' }, time)
      for (const name of readdirSync('packages').filter((name) => existsSync(`packages/${name}/bin`))) {
        t.match(sh(`'stage/usr/bin/${name}' --version`), { status: 0, stdout: /^\d+\.\d+\.\d+\n(prices: .*\n)?$/ }, name)
        t.ok(existsSync(join(directory, `stage/usr/share/man/man1/${name}.1`)), `${name}.1`)
        t.ok(existsSync(join(directory, `stage/usr/share/bash-completion/completions/${name}`)), `${name} in bash`)
        t.ok(existsSync(join(directory, `stage/usr/share/fish/vendor_completions.d/${name}.fish`)), `${name} in fish`)
      }
      t.ok(existsSync(join(directory, 'stage/usr/share/zsh/site-functions/_plumb')), 'all in zsh')
      // Of an older version, and a line that names what is not ours.
      if (time === 'first')
        sh('touch stage/usr/bin/plumb-old stage/kept; printf "bin/plumb-old\\nbin/../../kept\\n" >>stage/usr/lib/plumb/installed')
    }
    t.notOk(existsSync(join(directory, 'stage/usr/bin/plumb-old')), 'an installation over an older one')
    t.match(sh(`${install} --uninstall /usr`), { status: 0, stdout: '', stderr: '' })
    const left = sh('find stage ! -type d | sort').stdout
    t.equal(left, 'stage/kept\nstage/usr/bin/plumber\nstage/usr/share/man/man1/plumb-bob.1\n')
    t.match(sh(`${install} --uninstall /usr`), { status: 1, stderr: /there is no plumb below/ })
    t.match(sh(`'${script}'`), { status: 2, stderr: /^usage: / })
    t.match(sh(`'${script}' --uninstall`), { status: 2, stderr: /^usage: / })
  },
)

t.test('plumb version --json', async (t) => {
  const { status, stdout } = sh(`'${process.cwd()}/packages/plumb/bin/plumb' version --json`)
  t.equal(status, 0)
  t.match(JSON.parse(stdout), {
    version: /^\d/,
    node: process.version,
    platform: /-/,
    prices: /./,
    programs: { 'plumb-agent': /plumb-agent$/ },
  })
})

const PROGRAMS: Readonly<Record<string, string>> = {
  plumb: 'id.plumb',
  'plumb-agent': 'bot.plumb',
  'plumb-tool': 'inc.plumb serve',
  'plumb-mux': '-- cat',
  'plumb-mcp': 'inc.plumb',
  'plumb-chat': 'bot.plumb',
}

const lines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)

t.test('too few descriptors, and a stdin that was never open, are errors', async (t) => {
  writeFileSync(join(directory, 'id.plumb'), 'let main : !int -> !int = id\n')
  writeFileSync(join(directory, 'bot.plumb'), 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }\n')
  writeFileSync(join(directory, 'inc.plumb'), '@tool true\nlet inc : int -> int = map(value + 1)\n')
  for (const [name, words] of Object.entries(PROGRAMS)) {
    const path = `${process.cwd()}/packages/${name}/bin/${name}`
    const call = `'${path}' ${words}`
    for (const limit of [12, 16, 24, 28]) {
      const { status, stdout, stderr } = sh(`ulimit -n ${limit}; exec ${call}`)
      t.match(
        { status, stdout, errors: lines(stderr) },
        { status: 2, stdout: '', errors: [{ error: 'cannot_run', detail: /ulimit -n/ }] },
        `${name}, ${limit}`,
      )
    }
    const few = sh(`ulimit -n 33; exec ${call}`)
    t.ok([0, 1, 2].includes(few.status ?? -1), `${name}, 33: ${few.status}`)
    t.ok(
      lines(few.stderr).every((error) => typeof error === 'object'),
      `${name}, 33: ${few.stderr}`,
    )
    const closed = sh(`${call} <&-`)
    t.match(
      { status: closed.status, errors: lines(closed.stderr) },
      { status: 1, errors: [{ error: 'read_failed', detail: /descriptor 0 is not open/ }] },
    )
    t.equal(lines(closed.stderr).length, 1, `${name}: it is reported once`)
    t.match(sh(`${call} <&- >&- 2>&-`), { status: 1, stdout: '', stderr: '' }, `${name}: nothing is open`)
  }
  // A shell that has not yet read a word of ours ends by itself.
  for (const limit of [3, 6, 11])
    t.ok((sh(`ulimit -n ${limit}; exec '${process.cwd()}/packages/plumb/bin/plumb' id.plumb`).status ?? 0) > 0)
})
