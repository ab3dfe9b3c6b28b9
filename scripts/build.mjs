// Bundles what is not fresh: build.mjs [--tests]
//
// Each package with a src/main.ts becomes one CommonJS file, packages/NAME/dist/bundle.cjs, and dist/main.cjs to run it from a cache of its
// compiled code. A third-party package that the sources reach by
// `import()` becomes a file of its own beside it (dist/pino.cjs), loaded when that import runs. With --tests the test files too become
// one file each, under packages/NAME/dist/test and test/dist. A stamp beside what was made says from what.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, relative } from 'node:path'
import { installDependencies } from './dependencies.mjs'
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
  else if (!isFresh('test/dist', made)) writeStamped([await bundleTests(entries)], 'test/dist')
  return made
}

const executables = () => readdirSync(`${ROOT}/packages`).filter((name) => existsSync(`${ROOT}/packages/${name}/src/main.ts`))

const testEntries = () => [
  ...readdirSync(`${ROOT}/packages`).flatMap((name) => testFiles(`packages/${name}/test`, `packages/${name}/dist/test`)),
  ...testFiles('test', 'test/dist'),
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

const SHARED = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  loader: { '.plumb': 'text', '.script': 'text' },
  // import() becomes a late require: Node's module loader costs 5 ms that a CommonJS bundle need not pay.
  supported: { 'dynamic-import': false },
  plugins: [embeddedBytes],
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  write: false,
  logLevel: 'silent',
}

const bundleExecutable = async (name) => {
  const dist = `packages/${name}/dist`
  const late = new Map()
  const results = [
    await bundle({
      ...SHARED,
      entryPoints: { bundle: `packages/${name}/src/main.ts` },
      outdir: dist,
      plugins: [...SHARED.plugins, latePackages(late), lateChildren],
    }),
  ]
  for (const [file, { specifier, resolveDir }] of late) {
    const stdin = { contents: `module.exports = require(${JSON.stringify(specifier)})`, resolveDir }
    results.push(await bundle({ ...SHARED, stdin, outfile: `${dist}/${file}` }))
  }
  const start = { path: `${ROOT}/${dist}/main.cjs`, contents: readFileSync(`${ROOT}/scripts/run-bundle.cjs`) }
  writeStamped([...results, { outputFiles: [start], metafile: { inputs: { 'scripts/run-bundle.cjs': {} } } }], dist)
  makeCodeCache(name, `${ROOT}/${dist}`)
}

// What each executable is run on once, so that the code it starts with is in its cache.
const EXAMPLES = `${ROOT}/packages/plumb/examples`
const WARM_UP = {
  plumb: { args: [`${EXAMPLES}/orders.plumb`], input: readFileSync(`${EXAMPLES}/orders.jsonl`) },
  'plumb-agent': {
    args: ['-e', 'let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }'],
    input: '"Men are all alike."\n',
  },
}

const makeCodeCache = (name, dist) => {
  const { args, input } = WARM_UP[name] ?? { args: ['--version'], input: '' }
  // As the launcher would have it, and with nothing of the caller's that could stop it.
  const env = { PATH: process.env.PATH, PLUMB_FDS: '' }
  execFileSync(process.execPath, [`${ROOT}/scripts/make-cache.cjs`, dist, ...args], { input, env, stdio: ['pipe', 'ignore', 'pipe'] })
}

const bundleTests = (entryPoints) => {
  const external = Object.keys(JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).devDependencies)
  return bundle({ ...SHARED, entryPoints, outdir: '.', external })
}

// Leaves `import('package')` to a file of its own, and notes which are wanted.
const latePackages = (late) => ({
  name: 'late-packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ kind, path: specifier, resolveDir }) => {
      if (kind !== 'dynamic-import' || isBuiltin(specifier) || specifier.startsWith('@plumb/')) return
      const file = `${specifier.replace(/^@/, '').replaceAll('/', '-')}.cjs`
      late.set(file, { specifier, resolveDir })
      return { path: `./${file}`, external: true }
    }),
})

// commander needs child processes only for subcommands that are programs of their own; loading them costs every start 3 ms.
const lateChildren = {
  name: 'late-children',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/commander\/lib\/command\.js$/ }, ({ path }) => {
      const [eager, late] = ["require('node:child_process')", "{ get spawn() { return require('node:child_process').spawn } }"]
      const text = readFileSync(path, 'utf8')
      if (!text.includes(eager)) throw new Error(`commander has changed: ${eager} is not in ${path}`)
      return { contents: text.replace(eager, late), loader: 'js' }
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

const writeStamped = (results, dist) => {
  const outputs = results.flatMap(({ outputFiles }) => outputFiles.map(({ path }) => relative(ROOT, path)))
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs)).filter((path) => !path.startsWith('<'))
  for (const result of results) write(result)
  const stamp = { recipe: recipe(), outputs, inputs: Object.fromEntries(inputs.map((path) => [path, state(path)])) }
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

const state = (path) => {
  const stat = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })
  return stat ? `${stat.size} ${stat.mtimeMs}` : 'absent'
}

const recipe = () => {
  const hash = createHash('sha256').update(process.version)
  const manifests = readdirSync(`${ROOT}/packages`).map((name) => `packages/${name}/package.json`)
  for (const file of ['scripts/build.mjs', 'package.json', 'pnpm-lock.yaml', 'tsconfig.base.json', ...manifests]) {
    if (existsSync(`${ROOT}/${file}`)) hash.update(readFileSync(`${ROOT}/${file}`))
  }
  return hash.digest('hex')
}

await runMain(import.meta.url, async () => {
  await installDependencies()
  await build()
  if (process.argv.includes('--tests')) await buildTests()
})
