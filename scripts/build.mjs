// Bundles what is not fresh: build.mjs [--tests]
//
// Each package with a src/main.ts becomes one CommonJS file, packages/NAME/dist/main.bundle.cjs, which bin/NAME, and its copy dist/main.cjs,
// runs from a cache of its compiled code. A module of ours or a third-party package that the sources reach by `import()`, or a package by a
// `require` of theirs, becomes a file of its own beside it (dist/pino.bundle.cjs), loaded when that runs; so does a list of exports that is
// named x.late.ts. Modules of Node that cost are loaded when something of them is first used. With --tests the test files too become one file
// each, under packages/NAME/dist/test and test/dist. A stamp beside what was made says from what, and THIRD-PARTY-NOTICES what of others an
// executable holds, under which licences.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { installDependencies } from './dependencies.mjs'
import { thirdPartyNotices } from './notices.mjs'
import { splitBundles } from './split.mjs'
import { ROOT, runMain } from './step.mjs'

/** Makes the executables. Resolves to the names of those that were not fresh. */
export const build = async () => {
  const stale = executables().filter((name) => !isFresh(`packages/${name}/dist`))
  for (const name of stale) await bundleExecutable(name)
  return stale
}

/** Makes the test files whose path contains the text. Resolves to what they became, relative to the root. */
export const buildTests = async (text = '') => {
  const entries = testEntries().filter((entry) => entry.in.includes(text))
  const made = entries.map(({ out }) => `${out}.cjs`)
  if (text !== '') write(await bundleTests(entries))
  else if (!isFresh('test/dist', made)) {
    const began = Date.now()
    writeStamped([await bundleTests(entries)], 'test/dist', began)
  }
  return made
}

/** Their names. */
export const executables = () => readdirSync(`${ROOT}/packages`).filter((name) => existsSync(`${ROOT}/packages/${name}/src/main.ts`))

const testEntries = () => [
  ...readdirSync(`${ROOT}/packages`).flatMap((name) => testFiles(`packages/${name}/test`, `packages/${name}/dist/test`)),
  ...['', '/faults', '/fuzz'].flatMap((room) => testFiles(`test${room}`, `test/dist${room}`)),
]

const testFiles = (folder, out) =>
  existsSync(`${ROOT}/${folder}`)
    ? readdirSync(`${ROOT}/${folder}`)
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => ({ in: `${folder}/${file}`, out: `${out}/${file.slice(0, -'.ts'.length)}` }))
    : []

// As a module with one export: esbuild's own loader makes them arrays, each byte of which import() would copy as a property.
const embeddedBytes = {
  name: 'embedded-bytes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.(ttf|wasm)$/ }, ({ path }) => ({
      contents: `export default Buffer.from('${readFileSync(path, 'base64')}', 'base64')`,
      loader: 'js',
    })),
}

// A thread wants the text of a program: `import('./x.worker?text')` gives all of x.worker.ts, bundled; a page wants that of x.browser.ts.
// What it is made of is noted for the stamp.
const parts = new Map()
const BROWSER = { platform: 'browser', format: 'iife', target: 'es2022', inject: [], define: {} }
const workerText = {
  name: 'worker-text',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.(worker|browser)\?text$/ }, ({ path, resolveDir }) => ({
      path: relative(ROOT, join(resolveDir, path.replace(/\?text$/, '.ts'))),
      namespace: 'worker-text',
    }))
    onLoad({ filter: /./, namespace: 'worker-text' }, async ({ path }) => {
      const place = path.endsWith('.browser.ts') ? BROWSER : {}
      const options = { ...SHARED, ...place, plugins: [embeddedBytes], sourcemap: false, minify: true, outfile: `${path}.cjs` }
      const { outputFiles, metafile } = await bundle({ ...options, entryPoints: [path] })
      parts.set(`worker-text:${path}`, Object.keys(metafile.inputs))
      return { contents: outputFiles[0].text, loader: 'text' }
    })
  },
}

// `import('./x.script?packed')` gives a script of ELIZA's as our own reader has read it.
const ELIZA_SOURCES = `${ROOT}/packages/plumb-agent/src/provider/eliza`
const packedScripts = {
  name: 'packed-scripts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.script\?packed$/ }, ({ path, resolveDir }) => ({
      path: relative(ROOT, join(resolveDir, path.replace(/\?packed$/, ''))),
      namespace: 'packed-script',
    }))
    onLoad({ filter: /./, namespace: 'packed-script' }, async ({ path }) => {
      const exported = "export { packScript } from './packed-script.ts'; export { loadScript } from './script.ts'"
      const stdin = { contents: exported, resolveDir: ELIZA_SOURCES }
      const { outputFiles, metafile } = await bundle({ ...SHARED, plugins: [embeddedBytes], sourcemap: false, stdin, outfile: 'pack.cjs' })
      const reader = { exports: {} }
      new Function('require', 'module', 'exports', outputFiles[0].text)(createRequire(import.meta.url), reader, reader.exports)
      const { loadScript, packScript } = reader.exports
      const script = loadScript(readFileSync(`${ROOT}/${path}`, 'utf8'), path)
      if (!script.ok) throw new Error(script.error.detail)
      parts.set(`packed-script:${path}`, [path, ...Object.keys(metafile.inputs)])
      return { contents: packScript(script.value), loader: 'text' }
    })
  },
}

const SHARED = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  loader: { '.plumb': 'text', '.script': 'text', '.css': 'text', '.child.cjs': 'text', '.peg': 'text', '.md': 'text' },
  // import() becomes a late require: Node's module loader costs 5 ms that a CommonJS bundle need not pay.
  supported: { 'dynamic-import': false },
  // Packages that ask where they are, which a CommonJS file says otherwise.
  define: { 'import.meta.url': 'importMetaUrl' },
  inject: ['scripts/import-meta-url.mjs'],
  plugins: [embeddedBytes, workerText, packedScripts],
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  write: false,
  logLevel: 'silent',
}

// A bundle is a function, as bin/NAME calls it.
const WRAPPED = {
  banner: { js: '(function (require, module, exports, __filename, __dirname) {' },
  footer: { js: '})' },
}

// esbuild leaves comments in the characters they are written in. Those that speak of rights are kept, in THIRD-PARTY-NOTICES.
const WITHOUT_COMMENTS = { minifyWhitespace: true, legalComments: 'external' }

// Takes them out of what was made, and gives them.
const takeLegal = (result) => {
  const isLegal = ({ path }) => path.endsWith('.LEGAL.txt')
  const texts = result.outputFiles.filter(isLegal).map(({ text }) => text)
  result.outputFiles = result.outputFiles.filter((file) => !isLegal(file))
  return texts
}

const bundleExecutable = async (name) => {
  const began = Date.now()
  const dist = `packages/${name}/dist`
  const late = new Map()
  const results = [
    await splitBundles(
      bundle,
      {
        ...SHARED,
        entryPoints: { main: `packages/${name}/src/main.ts` },
        plugins: [lateNode, lateWorkers(late), lateModules(late), ...SHARED.plugins, latePackages(late)],
      },
      { ...SHARED, ...WRAPPED, inject: [] },
      `${ROOT}/${dist}`,
    ),
  ]
  for (const [file, { specifier, resolveDir }] of late) {
    const stdin = { contents: `module.exports = require(${JSON.stringify(specifier)})`, resolveDir }
    results.push(
      await bundle({
        ...SHARED,
        ...WRAPPED,
        ...WITHOUT_COMMENTS,
        stdin,
        plugins: [lateNode, ...SHARED.plugins],
        outfile: `${dist}/${file}.bundle.cjs`,
      }),
    )
  }
  const legal = new Set(results.flatMap(takeLegal))
  for (const { outputFiles } of results) for (const file of outputFiles) checkAscii(file)
  const launcher = `packages/${name}/bin/${name}`
  const start = { path: `${ROOT}/${dist}/main.cjs`, contents: readFileSync(`${ROOT}/${launcher}`) }
  const notices = {
    path: `${ROOT}/${dist}/THIRD-PARTY-NOTICES`,
    contents: [thirdPartyNotices(results.flatMap(inputsOf)), ...legal].join('\n'),
  }
  const means = [launcher, 'scripts/make-cache.cjs', 'scripts/notices.mjs'].map((file) => [file, {}])
  removeCodeCaches(`${ROOT}/${dist}`)
  writeStamped([...results, { outputFiles: [start, notices], metafile: { inputs: Object.fromEntries(means) } }], dist, began)
  removeOthers(`${ROOT}/${dist}`)
  makeCodeCache(name, `${ROOT}/${dist}`)
}

// The launcher reads a bundle a byte a character. What is not ASCII esbuild escapes, but for templates with a tag, whose
// raw text that would change: those would come out garbled.
const checkAscii = ({ path, text }) => {
  const [found] = /[^\n]{0,60}[^\0-\x7f][^\n]{0,20}/.exec(text) ?? []
  if (path.endsWith('.bundle.cjs') && found) throw new Error(`cannot bundle: '${basename(path)}' is not all ASCII: ${found}`)
}

// Packages that are CommonJS ask for these.
const AS_COMMONJS = `import { createRequire as requireFrom } from 'node:module'
import { fileURLToPath as pathFrom } from 'node:url'
const require = requireFrom(import.meta.url)
const __filename = pathFrom(import.meta.url)
const __dirname = pathFrom(new URL('.', import.meta.url))`

/** What programs import of a package, as ECMAScript modules that need no other package. Resolves to texts by file name, index.js among them. */
export const bundleLibrary = async (name) => {
  const { outputFiles } = await bundle({
    ...SHARED,
    entryPoints: { index: `packages/${name}/src/index.ts` },
    outdir: 'lib',
    format: 'esm',
    supported: {},
    splitting: true,
    chunkNames: 'part-[hash]',
    outExtension: {},
    define: {},
    inject: [],
    banner: { js: AS_COMMONJS },
    sourcemap: false,
  })
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
}

// What each executable is run on, one after the other, so that the code it starts with is in its cache. MODEL is a model on loopback.
const EXAMPLES = `${ROOT}/packages/plumb/examples`
const ID = 'type Event = { at: int, kind: "view" | "click" } let main : !Event -> !Event = id'
const TOOLS = '@tool true let inc : int -> int = map(value + 1) @tool true let twice : int -> int = inc ; inc'
const DOUBLE = 'type N = { n: int } @tool true let double : N -> N = map({ n: n * 2 })'
const CAT = 'let main : !string -> !string = bot let bot : !string -> !string = agent { command: ["cat"], tools: ["inc"] }'
const MCP_REQUESTS = [
  { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version: '0' } } },
  { method: 'notifications/initialized' },
  { id: 1, method: 'tools/list' },
  { id: 2, method: 'tools/call', params: { name: 'check', arguments: { source: 'let main : !int -> !int = id' } } },
]
  .map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
  .join('')
const agentOf = (config) => `let bot : !string -> !string = agent { ${config} }`
const ELIZA = agentOf('provider: "eliza", model: "doctor"')
const WARM_UP = {
  plumb: [
    // So many that what is for many lines is made too.
    { args: [`${EXAMPLES}/orders.plumb`], input: readFileSync(`${EXAMPLES}/orders.jsonl`, 'utf8').repeat(4) },
    { args: ['-e', ID], input: '{"at":1,"kind":"view"}\n' },
    { args: ['check', `${EXAMPLES}/orders.plumb`], input: '' },
    { args: ['-e', `${TOOLS} ${CAT}`], input: '"hi"\n' },
  ],
  'plumb-agent': [
    { args: ['-e', ELIZA], input: '"Men are all alike."\n' },
    { args: ['--help'], input: '' },
    { args: ['-e', agentOf('provider: "anthropic", model: "stub", endpoint: "MODEL"')], input: '"Men are all alike."\n' },
    // As plumb starts it.
    {
      args: [
        '--agent',
        'bot',
        '--telemetry',
        '--no-envelopes',
        '--fds',
        '3',
        '--max-line',
        '16777472',
        '--sources-fd',
        '9',
        '--',
        '<eval>',
      ],
      input: '"Men are all alike."\n',
      handed: `${JSON.stringify({ entry: '<eval>', files: { '<eval>': ELIZA }, modules: {} })}\n`,
    },
  ],
  'plumb-mcp': [{ args: [`${EXAMPLES}/orders.plumb`], input: MCP_REQUESTS }],
  'plumb-mux': [
    { args: ['--', 'cat'], input: '{"__port":"input","msg":1}\n' },
    { args: ['--fds', 'none', '--', 'cat'], input: '{"__port":"input","msg":1}\n' },
  ],
  'plumb-tool': [
    { args: ['call', '-R', 'read_file', 'package.json'], input: '' },
    { args: ['--help'], input: '' },
    { args: ['-e', DOUBLE, 'call', 'double', '{"n":1}'], input: '' },
    ...[
      ['list', ''],
      ['call twice -', '1\n'],
      ['serve', '{"id":"a","name":"twice","input":1}\n'],
    ].map(([words, input]) => ({ args: ['-e', TOOLS, ...words.split(' ')], input })),
  ],
}

// Before the bundles change: of the source that a cache was made of Node compares only the length.
const removeCodeCaches = (dist) => {
  if (!existsSync(dist)) return
  for (const file of readdirSync(dist).filter((name) => name.endsWith('.cache'))) rmSync(`${dist}/${file}`, { force: true })
}

// What an earlier build has made, and this one has not, would be handed on too.
const removeOthers = (dist) => {
  const { outputs } = JSON.parse(readFileSync(`${dist}/${STAMP}`, 'utf8'))
  const made = new Set(outputs.map((path) => basename(path)))
  for (const file of readdirSync(dist).filter((name) => /\.cjs(\.map)?$/.test(name) && !made.has(name))) rmSync(`${dist}/${file}`)
}

const makeCodeCache = (name, dist) => {
  for (const { args, input, handed } of WARM_UP[name] ?? [{ args: ['--version'], input: '' }]) {
    // As the launcher would have it, and with nothing of the caller's that could stop it.
    const env = { PATH: process.env.PATH, PLUMB_FDS: handed ? '3' : '', ANTHROPIC_API_KEY: 'none' }
    const command = [`${ROOT}/scripts/make-cache.cjs`, dist, ...args]
    const stdio = ['pipe', 'pipe', 'pipe']
    if (!handed) {
      execFileSync(process.execPath, command, { input, env, stdio })
      continue
    }
    const file = `${dist}/handed.new`
    writeFileSync(file, handed)
    const fd = openSync(file)
    // Telemetry is 3, the sources are 9.
    execFileSync(process.execPath, command, { input, env, stdio: [...stdio, 'pipe', ...new Array(5).fill('ignore'), fd] })
    closeSync(fd)
    rmSync(file)
  }
}

const bundleTests = (entryPoints) => {
  // ajv is also a part of what is tested, which brings its own.
  const external = Object.keys(JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).devDependencies).filter((name) => name !== 'ajv')
  return bundle({ ...SHARED, entryPoints, outdir: '.', external })
}

// A thread of its own, and its text, is wanted as late as a package.
const lateWorkers = (late) => ({
  name: 'late-workers',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.worker\?text$/ }, ({ path: specifier, resolveDir }) => {
      const file = `${basename(specifier, '?text')}`
      late.set(file, { specifier, resolveDir })
      return { path: `./${file}`, external: true }
    }),
})

// What is wanted of a package of many parts: `import('./x.late.js')`, a list of exports and nothing of our own, so that no state is there twice.
const lateModules = (late) => ({
  name: 'late-modules',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.late\.js$/ }, ({ path, resolveDir }) => {
      const file = basename(path, '.late.js')
      late.set(file, { specifier: path.replace(/\.js$/, '.ts'), resolveDir })
      return { path: `./${file}`, external: true }
    }),
})

// Leaves `import('package')`, and `require('package')` in our own sources, to a file of its own, and notes which are wanted.
const latePackages = (late) => ({
  name: 'late-packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ kind, path: specifier, resolveDir }) => {
      const isLate = kind === 'dynamic-import' || (kind === 'require-call' && !resolveDir.includes('/node_modules/'))
      if (!isLate || isBuiltin(specifier) || specifier.startsWith('@plumb/')) return
      const file = `${specifier.replace(/^@/, '').replaceAll('/', '-')}`
      late.set(file, { specifier, resolveDir })
      return { path: `./${file}`, external: true }
    }),
})

// Modules of Node that cost, and that not every start wants: bin/NAME loads them when something of them is first used.
const LATE_NODE = [
  ...['child_process', 'crypto', 'dns', 'fs/promises', 'http', 'https', 'net', 'os', 'readline', 'readline/promises', 'stream'],
  ...['stream/promises', 'stream/web', 'timers/promises', 'tty', 'url', 'v8', 'vm', 'worker_threads', 'zlib'],
]
const lateNode = {
  name: 'late-node',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^node:/ }, ({ path, kind, importer }) => {
      const isOurs = kind === 'import-statement' && !importer.includes('/node_modules/')
      // commander needs it only for subcommands that are programs of their own.
      const isLate = LATE_NODE.includes(path.slice('node:'.length)) && (isOurs || path === 'node:child_process')
      return isLate && kind !== 'dynamic-import' ? { path: `late:${path}`, external: true, sideEffects: false } : undefined
    }),
}

const bundle = async (options) => {
  const esbuild = await import('esbuild')
  const { errors, warnings, ...result } = await esbuild.build(options).catch((failure) => failure)
  const messages = [
    ...(await esbuild.formatMessages(errors, { kind: 'error' })),
    ...(await esbuild.formatMessages(warnings, { kind: 'warning' })),
  ]
  // A warning tells of code that would not do at run time what it says.
  if (messages.length > 0) throw new Error(`cannot bundle:\n${messages.join('')}`)
  return result
}

const STAMP = 'built.json'

const inputsOf = ({ metafile }) =>
  Object.keys(metafile.inputs)
    .flatMap((path) => parts.get(path) ?? path)
    .filter((path) => !path.startsWith('<'))

// What changed since `began` may have been read before it did: it is stamped as nothing that can be found again.
const writeStamped = (results, dist, began) => {
  const outputs = results.flatMap(({ outputFiles }) => outputFiles.map(({ path }) => relative(ROOT, path)))
  const inputs = results.flatMap(inputsOf)
  for (const result of results) write(result)
  const stamp = { recipe: recipe(), outputs, inputs: Object.fromEntries(inputs.map((path) => [path, state(path, began)])) }
  write({ outputFiles: [{ path: `${ROOT}/${dist}/${STAMP}`, contents: JSON.stringify(stamp) }] })
}

// Renamed into place, so that a process that starts meanwhile reads a whole file.
const write = ({ outputFiles }) => {
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.new`, contents)
    renameSync(`${path}.new`, path)
  }
}

const isFresh = (dist, wanted = []) => {
  const file = `${ROOT}/${dist}/${STAMP}`
  if (!existsSync(file)) return false
  const { recipe: made, outputs, inputs } = JSON.parse(readFileSync(file, 'utf8'))
  return (
    made === recipe() &&
    outputs.every((path) => existsSync(`${ROOT}/${path}`)) &&
    wanted.every((path) => outputs.includes(path)) &&
    Object.entries(inputs).every(([path, was]) => was === state(path))
  )
}

const state = (path, began = Number.POSITIVE_INFINITY) => {
  const stat = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })
  // The clock of a file system is behind by some milliseconds.
  if (stat && stat.mtimeMs > began - 20) return 'changed'
  return stat ? `${stat.size} ${stat.mtimeMs}` : 'absent'
}

const recipe = () => {
  const hash = createHash('sha256').update(process.version)
  const manifests = readdirSync(`${ROOT}/packages`).map((name) => `packages/${name}/package.json`)
  for (const file of ['scripts/build.mjs', 'scripts/split.mjs', 'package.json', 'pnpm-lock.yaml', 'tsconfig.base.json', ...manifests]) {
    if (existsSync(`${ROOT}/${file}`)) hash.update(readFileSync(`${ROOT}/${file}`))
  }
  return hash.digest('hex')
}

await runMain(import.meta.url, async () => {
  await installDependencies()
  await build()
  if (process.argv.includes('--tests')) await buildTests()
})
