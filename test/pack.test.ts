// long
// What is handed on: tarballs that install without a network and run with nothing of this checkout, and the licences of what is in them.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { scaled } from '../packages/wire/test/patience.js'

const ROOT = process.cwd()
const NAMES = readdirSync('packages').filter((name) => existsSync(`packages/${name}/bin`))
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

const directory = mkdtempSync(join(tmpdir(), 'plumb pack '))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
const at = (...path: string[]): string => join(directory, ...path)

// Executables get this and their own directory as PATH: no sibling in the checkout, no coreutils.
mkdirSync(at('node'))
symlinkSync(process.execPath, at('node/node'))

const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>>, input = '') => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: directory, env, input, encoding: 'utf8', timeout: scaled(120_000) })
  return { status, stdout, stderr }
}

const WHEEL = `plumb_lang-${version}-py3-none-any.whl`

const PLAIN = { PATH: process.env.PATH ?? '', HOME: directory }
const NPM = { ...PLAIN, npm_config_cache: at('cache'), npm_config_update_notifier: 'false' }
const only = (bin: string): Record<string, string> => ({ PATH: `${at('node')}:${bin}`, HOME: directory })

const unpack = (archive: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  const { status, stderr } = run('tar', ['-xzf', archive, '-C', to], PLAIN)
  if (status !== 0) throw new Error(stderr)
}

const filesUnder = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return filesUnder(join(path, entry.name))
    return entry.isFile() ? [join(path, entry.name)] : []
  })

const namingTheCheckout = (path: string): string[] => filesUnder(path).filter((file) => readFileSync(file, 'latin1').includes(ROOT))

/** The packages that the bundles of an executable were made of, as their stamp says. */
const bundled = (name: string): string[] => {
  const dependency = /node_modules\/\.pnpm\/[^/]+\/node_modules\/((?:@[^/]+\/)?[^/]+)\//
  const { inputs } = JSON.parse(readFileSync(`packages/${name}/dist/built.json`, 'utf8')) as { inputs: Record<string, string> }
  return [...new Set(Object.keys(inputs).flatMap((path) => dependency.exec(path)?.[1] ?? []))]
}

const ELIZA = 'let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }'
const SPEC = `${ELIZA} let main : !string -> !string = bot ; map(lower(value))`

const works = (t: Test, bin: string): void => {
  for (const name of NAMES)
    t.match(run(join(bin, name), ['--version'], only(bin)), { status: 0, stdout: new RegExp(`^${version}\n`), stderr: '' }, name)
  const spoken = run(join(bin, 'plumb'), ['-Rr', '-e', SPEC], only(bin), 'Men are all alike.\n')
  t.strictSame(spoken, { status: 0, stdout: 'in what way\n', stderr: '' }, 'plumb with the plumb-agent beside it')
}

const packed = run(process.execPath, [join(ROOT, 'scripts/pack.mjs'), at('out'), '--no-single'], PLAIN)
t.strictSame(packed, { status: 0, stdout: '', stderr: '' }, 'pack')
t.strictSame(
  readdirSync(at('out')).sort(),
  [...[...NAMES, 'plumb-lang-client'].map((name) => `${name}-${version}.tgz`), `plumb-${version}.tar.gz`, WHEEL].sort(),
)

t.test('a package has all it runs on, and says whose it is', async (t) => {
  for (const name of NAMES) {
    const place = at('alone', name, 'package')
    unpack(at('out', `${name}-${version}.tgz`), at('alone', name))
    const { man, exports, ...manifest } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
    t.equal(exports !== undefined, existsSync(`packages/${name}/src/index.ts`), `${name}: exports`)
    t.strictSame(Object.keys(manifest), ['name', 'version', 'description', 'license', 'type', 'engines', 'bin'], name)
    for (const file of [...man, 'LICENSE', 'README.md']) t.ok(existsSync(join(place, file)), `${name}: ${file}`)
    t.ok(man.includes(`man/${name}.1`), `${name}.1`)
    t.strictSame(namingTheCheckout(place), [], `${name} does not name the checkout`)
    const notices = readFileSync(join(place, 'THIRD-PARTY-NOTICES'), 'utf8')
    t.ok(bundled(name).includes('commander'), `${name} holds packages of others`)
    t.strictSame(
      bundled(name).filter((dependency) => !notices.includes(`\n${dependency} `)),
      [],
      `${name}: THIRD-PARTY-NOTICES`,
    )
    const { scripts } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'))
    t.match(scripts.prepack, /npm run pack.*exit 1/, `${name} is not packed as it is in the source tree`)
    t.match(
      run(join(place, 'bin', name), ['--version'], only('')),
      { status: 0, stdout: new RegExp(`^${version}\n`), stderr: '' },
      `${name} alone`,
    )
  }
  const agent = run(at('alone/plumb-agent/package/bin/plumb-agent'), ['-R', '-e', ELIZA], only(''), 'Men are all alike.\n')
  t.strictSame(agent, { status: 0, stdout: '"IN WHAT WAY"\n', stderr: '' }, 'one agent alone')
})

t.test('npm installs them all, without a network', async (t) => {
  const tarballs = NAMES.map((name) => at('out', `${name}-${version}.tgz`))
  const args = ['install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', at('prefix'), ...tarballs]
  t.match(run('npm', args, NPM), { status: 0 })
  works(t, at('prefix/bin'))
  for (const page of ['man1/plumb.1', 'man1/plumb-agent.1', 'man5/plumbing.5', 'man7/plumb.7'])
    t.ok(existsSync(at('prefix/share/man', page)), page)
})

t.test('the archive of all unpacks anywhere', async (t) => {
  // A directory whose package.json would make ECMAScript modules of files without an extension.
  const place = at('archive', `plumb-${version}`)
  mkdirSync(at('archive'))
  writeFileSync(at('archive/package.json'), '{"type":"module"}\n')
  unpack(at('out', `plumb-${version}.tar.gz`), at('archive'))
  works(t, join(place, 'bin'))
  t.strictSame(namingTheCheckout(place), [])
  for (const file of ['man/man1/plumb.1', 'man/man5/plumbing.5', 'bash-completion/completions/plumb', 'doc/plumb/LICENSE'])
    t.ok(existsSync(join(place, 'share', file)), file)
})

const HOST = `
import { adaptFunction, callTool, connectMcp, type Json, makeSession, perform, Registry, sequence, type Tool, withRetry } from 'plumb-tool'

let tries = 0
const length = adaptFunction({
  name: 'length',
  description: 'How long a text is',
  parameters: { text: { type: 'string' }, more: { type: 'integer', default: 1 } },
  output: { kind: 'int' },
  fn: ({ text, more }) => {
    if (++tries === 1) throw { error: 'overloaded', category: 'unavailable' }
    return text === 'half' ? 0.5 : text.length + more
  },
})
// @ts-expect-error: a tool needs a name
adaptFunction({ description: '', parameters: {}, fn: () => 1 })
const safe: Tool = withRetry({ attempts: 2 })(length)
const session = makeSession()
const reported: unknown[] = []
const inputs: Json[] = [{ text: 'four' }, { text: ['a', 'b'] }, { text: 'half' }, {}, { text: 'four', more: 'x' }]
for (const input of inputs) {
  const result = await callTool(safe, input, { session })
  reported.push(result.ok ? result.value : result.error.error)
}
const chain = sequence([length, length])
reported.push(chain.ok ? 'chained' : chain.error.error)
const short = await callTool(length, { text: 'four', more: 2 })
reported.push(short.ok ? short.value : short.error.error)
const whole = await perform(length, { text: 'four', more: 2 })
reported.push(whole.result.ok ? whole.result.value : whole.result.error.error)
const spec = await Registry.open({ source: '@tool true let double : int -> int = map(value * 2)' })
const doubled = spec.ok ? await spec.value.call('double', 4) : spec
reported.push(doubled.ok ? doubled.value : doubled.error.error)
const twice = Registry.of([length, length])
reported.push(twice.ok ? 'both' : twice.error.error)
const connection = await connectMcp({ command: 'no-such-server', sandbox: false })
reported.push(connection.ok ? 'connected' : connection.error.error)
for (const far of [
  await connectMcp({ url: 'http://127.0.0.1:65534/mcp' }),
  await connectMcp({ url: 'ws://127.0.0.1:65534/mcp', transport: 'ws' }),
]) {
  reported.push(far.ok ? (await far.value.callTool('x', { a: 1 })).ok : far.error.category)
}
console.log(JSON.stringify(reported))
`

t.test('a program in an empty directory imports plumb-tool, with its types', async (t) => {
  const host = at('host of tools')
  mkdirSync(host)
  writeFileSync(join(host, 'package.json'), '{"type":"module"}')
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', host, at('out', `plumb-tool-${version}.tgz`)]
  t.match(run('npm', args, NPM), { status: 0 })
  writeFileSync(join(host, 'main.ts'), HOST)
  const compilerOptions = { module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], types: [], strict: true, outDir: 'out' }
  writeFileSync(join(host, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  t.strictSame(run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', host], PLAIN), { status: 0, stdout: '', stderr: '' }, 'its types hold')
  // It ends by itself: nothing that was imported keeps it alive.
  const ran = run(process.execPath, [join(host, 'out/main.js')], only(''))
  const reported = [
    'input_type_mismatch',
    'output_type_mismatch',
    'input_type_mismatch',
    'input_type_mismatch',
    'type_mismatch',
    6,
    ...['6', 8, 'duplicate_name'],
    'file_not_found',
    ...['unavailable', 'unavailable'],
  ]
  t.strictSame(ran, { status: 0, stdout: `${JSON.stringify([5, ...reported])}\n`, stderr: '' })
  const parts = filesUnder(join(host, 'node_modules/plumb-tool/lib')).filter((file) => file.endsWith('.js'))
  const dependency = /^\/\/ node_modules\/\.pnpm\/[^/]+\/node_modules\/((?:@[^/]+\/)?[^/]+)\//gm
  const held = new Set(parts.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(dependency)].map(([, name]) => name ?? '')))
  const notices = readFileSync(join(host, 'node_modules/plumb-tool/THIRD-PARTY-NOTICES'), 'utf8')
  t.ok(held.has('ajv'), 'it holds packages of others')
  t.strictSame(
    [...held].filter((name) => !notices.includes(`\n${name} `)),
    [],
    'THIRD-PARTY-NOTICES',
  )
})

const CLIENT = `
import { open, PlumbError } from '@plumb-lang/client'
const plumb = await open({ spec: { source: 'let main : !int -> !number = map(10 / value)' }, plumb: process.argv[2] })
const reported: unknown[] = [await plumb.call<number>('main', 4)]
const failed = await plumb.tryCall('main', 0)
reported.push(failed.ok ? failed.value : failed.error.error)
for await (const { seq, value, error } of plumb.stream('main', [1, 0])) reported.push([seq, value ?? error?.error])
await plumb.close()
try {
  await plumb.call('main', 1)
} catch (error) {
  reported.push(error instanceof PlumbError && error.error)
}
console.log(JSON.stringify(reported))
`
const FINDS = `
import { open } from '@plumb-lang/client'
const plumb = await open({ spec: { source: 'let main : !int -> !int = map(value + 1)' } })
console.log(JSON.stringify(await plumb.call('main', 1)))
await plumb.close()
`
const EMBEDS = `
import { call, check, compile, run } from 'plumb'
const compiled = await compile({ source: 'let main : !int -> !number = map(10 / value)' })
if (!compiled.ok) throw new Error(compiled.error.detail)
const wrong = await check({ source: 'let main : !int -> !int = map(value +)' })
const reported: unknown[] = [wrong.ok && wrong.value[0]?.code, compiled.value.bindings.main?.outputs]
for (const n of [4, 0]) {
  const answer = await call(compiled.value, n)
  reported.push(answer.ok ? answer.value : answer.error.error)
}
const running = await run(compiled.value)
if (running.ok) {
  for (const n of [1, 0]) await running.value.send(n)
  running.value.end()
  for (let got = await running.value.receive(); got; got = await running.value.receive()) reported.push(got.ok ? got.value : got.error.error)
  await running.value.close()
}
console.log(JSON.stringify(reported))
`

t.test('programs in empty directories call specs, by the client and by plumb itself', async (t) => {
  const cases: [tarballs: string, text: string, reported: unknown][] = [
    ['plumb-lang-client plumb', FINDS, 2],
    ['plumb-lang-client', CLIENT, [2.5, 'evaluation_failed', [1, 10], [2, 'evaluation_failed'], 'cancelled']],
    ['plumb', EMBEDS, ['syntax_error', ['!number'], 2.5, 'evaluation_failed', 10, 'evaluation_failed']],
  ]
  for (const [tarballs, text, reported] of cases) {
    const host = at(`host of ${tarballs}`)
    mkdirSync(host)
    writeFileSync(join(host, 'package.json'), '{"type":"module"}')
    const files = tarballs.split(' ').map((tarball) => at('out', `${tarball}-${version}.tgz`))
    t.match(run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--prefix', host, ...files], NPM), { status: 0 })
    writeFileSync(join(host, 'main.ts'), text.replaceAll('process.argv[2]', JSON.stringify(at('alone/plumb/package/bin/plumb'))))
    const compilerOptions = { module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], types: [], strict: true, outDir: 'out' }
    writeFileSync(join(host, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
    t.strictSame(run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', host], PLAIN), { status: 0, stdout: '', stderr: '' }, tarballs)
    const ran = run(process.execPath, [join(host, 'out/main.js')], only(''))
    t.strictSame(ran, { status: 0, stdout: `${JSON.stringify(reported)}\n`, stderr: '' }, tarballs)
  }
})

const TEN_LINES = `import plumb
with open("desk.plumb", "w") as spec:
    spec.write('let main : !string -> !string = agent { provider: "eliza", model: "doctor" }')
with plumb.open("desk.plumb", plumb=PLUMB) as desk:
    print(desk.call("main", "Men are all alike."))
`
const noPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0 ? false : 'no Python with pip'

t.test('pip installs the wheel, without a network', { skip: noPip }, async (t) => {
  const host = at('host of the wheel')
  mkdirSync(host)
  const how = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-index', '--target', join(host, 'packages')]
  t.match(run('python3', [...how, at('out', WHEEL)], PLAIN), { status: 0 })
  writeFileSync(join(host, 'main.py'), TEN_LINES.replace('PLUMB', JSON.stringify(at('alone/plumb/package/bin/plumb'))))
  const env = {
    ...PLAIN,
    PATH: [at('node'), at('alone/plumb-agent/package/bin'), PLAIN.PATH].join(':'),
    PYTHONPATH: join(host, 'packages'),
  }
  t.strictSame(run('python3', [join(host, 'main.py')], env), { status: 0, stdout: 'IN WHAT WAY\n', stderr: '' })
})

// What a module of a library takes from another by name, where it loads it late.
const TAKEN = /\{([^{}]*)\}\s*=\s*await import\(\s*"(\.\/[^"]+)"\s*\)/g
const COMPARE = `
import { readFileSync, readdirSync } from 'node:fs'
const lib = process.argv[2]
const missing = []
let compared = 0
for (const file of readdirSync(lib).filter((name) => name.endsWith('.js'))) {
  for (const [, names, from] of readFileSync(lib + '/' + file, 'utf8').matchAll(${TAKEN})) {
    const module = await import('file://' + lib + '/' + from)
    for (const name of names.split(',').map((each) => each.split(':')[0].trim()).filter(Boolean)) {
      compared++
      if (!(name in module)) missing.push(file + ': ' + name + ' of ' + from)
    }
  }
}
console.log(JSON.stringify({ compared, missing }))
`

t.test('each module of a library has what others take from it', async (t) => {
  writeFileSync(at('compare.mjs'), COMPARE)
  for (const name of NAMES.filter((each) => existsSync(at('alone', each, 'package/lib')))) {
    const { stdout, stderr } = run(process.execPath, [at('compare.mjs'), at('alone', name, 'package/lib')], PLAIN)
    t.equal(stderr, '', name)
    const { compared, missing } = JSON.parse(stdout) as { compared: number; missing: string[] }
    t.strictSame(missing, [], name)
    t.ok(compared > 0 || name === 'plumb-mux', `${name}: ${compared} names`)
  }
})

const TRY_NOTICES = `
import { relative, dirname } from 'node:path'
const [script, ...inputs] = process.argv.slice(2)
const { thirdPartyNotices } = await import(script)
const attempt = (input) => {
  try {
    return thirdPartyNotices([relative(dirname(dirname(script)), input)])
  } catch (error) {
    return String(error)
  }
}
console.log(JSON.stringify(inputs.map(attempt)))
`

t.test('a licence that is not in the list stops the build', async (t) => {
  const cases: [licence: string | undefined, file: string, expected: RegExp][] = [
    ['MIT', 'LICENSE', /\nlib 1\.2\.3, MIT\nhttps:\/\/github\.com\/a\/lib\n\nthe text\n$/],
    ['MIT AND OFL-1.1', 'licence.md', /the text\n$/],
    ['(GPL-3.0 OR MIT)', 'COPYING', /the text\n$/],
    ['GPL-3.0', 'LICENSE', /^Error: the licence of lib 1\.2\.3, 'GPL-3\.0', is not allowed/],
    ['MIT AND GPL-3.0', 'LICENSE', /^Error: the licence of lib 1\.2\.3, 'MIT AND GPL-3\.0', is not allowed/],
    [undefined, 'LICENSE', /^Error: the licence of lib 1\.2\.3, 'undefined', is not allowed/],
    ['MIT', 'index.d.ts', /^Error: lib has no text of its licence, 'MIT'/],
  ]
  const inputs = cases.map(([license, file], index) => {
    const lib = at('licences', String(index), 'node_modules/lib')
    mkdirSync(lib, { recursive: true })
    const repository = { url: 'git+https://github.com/a/lib.git' }
    writeFileSync(join(lib, 'package.json'), JSON.stringify({ name: 'lib', version: '1.2.3', license, repository }))
    writeFileSync(join(lib, file), 'the text\n')
    return join(lib, 'dist/index.js')
  })
  writeFileSync(at('notices.mjs'), TRY_NOTICES)
  const { stdout } = run(process.execPath, [at('notices.mjs'), join(ROOT, 'scripts/notices.mjs'), ...inputs], PLAIN)
  const texts = JSON.parse(stdout) as string[]
  for (const [index, [licence, file, expected]] of cases.entries()) t.match(texts[index], expected, `${licence} in ${file}`)
})
