// Builds what is not fresh: build.mjs [--tests]
//
// Each package with a src/main.ts becomes packages/NAME/dist/main.bundle.cjs, which bin/NAME and its copy dist/main.cjs run with a cache of
// its compiled code. What the sources load by `import()` (a module of ours, a package, a worker, a list of exports named x.late.ts) becomes
// a bundle of its own beside it, loaded when it is first used. With --tests each test file becomes one file in packages/NAME/dist/test or
// test/dist. A stamp beside the output says what it was made from, and THIRD-PARTY-NOTICES which packages an executable contains, under
// which licences.
//
//   build/bundle.mjs   runs esbuild            build/embed.mjs    embeds bytes and texts
//   build/split.mjs    cuts late modules off   build/warm-up.mjs  makes the code caches
//   build/late.mjs     loads packages late     build/stamp.mjs    writes, and knows what is fresh
//   build/shared.mjs   bundles what executables share
//   build/installed.mjs  leaves packages out of tests
//   build/indexes.mjs  looks behind each index.ts, so that bundles are small
//   build/named-exports.mjs  names what a library has of CommonJS
//   build/undici.mjs   changes what undici loads at once, and how its parser is compiled

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { bundle, checkAscii, SHARED, takeLicenceComments, WRAPPED } from './build/bundle.mjs'
import { EMBEDS, inputsOf } from './build/embed.mjs'
import { pastIndexes } from './build/indexes.mjs'
import { installedPackages } from './build/installed.mjs'
import { lateNode, latePlugins } from './build/late.mjs'
import { namedExports } from './build/named-exports.mjs'
import { openSharedBundles, removeUnusedShared } from './build/shared.mjs'
import { splitBundles } from './build/split.mjs'
import { isFresh, removeStaleOutput, removeStamp, writeOutput, writeStamped } from './build/stamp.mjs'
import { undiciChanges } from './build/undici.mjs'
import { makeCodeCache, removeCodeCaches } from './build/warm-up.mjs'
import { ROOT, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { thirdPartyNotices } from './notices.mjs'

const TRANSFORMS = [...EMBEDS, undiciChanges]

/** Builds the executables. Resolves to the names of those that were not fresh. */
export const build = async () => {
  const began = Date.now()
  const stale = executables().filter((name) => !isFresh(`packages/${name}/dist`))
  const bundleShared = openSharedBundles([lateNode, ...TRANSFORMS])
  for (const name of stale) await buildExecutable(name, bundleShared, began)
  if (stale.length > 0) removeUnusedShared(executables())
  try {
    for (const name of stale) makeCodeCache(name, `${ROOT}/packages/${name}/dist`)
  } catch (error) {
    // One that fails its first job is not built.
    for (const name of stale) removeStamp(`packages/${name}/dist`)
    throw error
  }
  return stale
}

/** Builds the test files whose path contains one of the texts. Resolves to the files that were made, relative to the root. */
export const buildTests = async (...texts) => {
  const entries = testEntries().filter((entry) => texts.length === 0 || texts.some((text) => entry.in.includes(text)))
  const made = entries.map(({ out }) => `${out}.cjs`)
  if (texts.length > 0) for (const result of await bundleTests(entries)) writeOutput(result)
  else if (!isFresh('test/dist', made)) {
    const began = Date.now()
    writeStamped(await bundleTests(entries), 'test/dist', began)
  }
  return made
}

/** The names of the packages that are executables. */
export const executables = () => readdirSync(`${ROOT}/packages`).filter((name) => existsSync(`${ROOT}/packages/${name}/src/main.ts`))

const buildExecutable = async (name, bundleShared, began) => {
  const dist = `packages/${name}/dist`
  const results = await bundleExecutable(name, dist, bundleShared)
  const licences = new Set(results.flatMap(takeLicenceComments))
  for (const { outputFiles } of results) for (const file of outputFiles) checkAscii(file)
  const launcher = `packages/${name}/bin/${name}`
  const start = { path: `${ROOT}/${dist}/main.cjs`, contents: readFileSync(`${ROOT}/${launcher}`) }
  const notices = {
    path: `${ROOT}/${dist}/THIRD-PARTY-NOTICES`,
    // The bundler gives its files in another order each time.
    contents: [thirdPartyNotices(results.flatMap(inputsOf)), ...[...licences].sort()].join('\n'),
  }
  const inputs = { [launcher]: {}, 'scripts/notices.mjs': {} }
  removeCodeCaches(`${ROOT}/${dist}`)
  writeStamped([...results, { outputFiles: [start, notices], metafile: { inputs } }], dist, began)
  removeStaleOutput(dist)
}

const bundleExecutable = async (name, dist, bundleShared) => {
  const late = new Map()
  const indexes = new Set()
  const { before, after } = latePlugins(late)
  const results = [
    await splitBundles(
      bundle,
      {
        ...SHARED,
        entryPoints: { main: `packages/${name}/src/main.ts` },
        plugins: [...before, pastIndexes(indexes), ...TRANSFORMS, ...after],
      },
      { ...SHARED, ...WRAPPED, inject: [] },
      `${ROOT}/${dist}`,
    ),
  ]
  results.push({ outputFiles: [], metafile: { inputs: Object.fromEntries([...indexes].map((path) => [path, {}])) } })
  for (const [name, module] of late) results.push(await bundleShared(name, module))
  return results
}

// Packages that are CommonJS use these.
const AS_SHARED_NAMEJS = `import { createRequire as requireFrom } from 'node:module'
import { fileURLToPath as pathFrom } from 'node:url'
const require = requireFrom(import.meta.url)
const __filename = pathFrom(import.meta.url)
const __dirname = pathFrom(new URL('.', import.meta.url))`

/** Bundles the library of a package as ECMAScript modules that need no other package. Resolves to texts by file name, index.js among them. */
export const bundleLibrary = async (name) => {
  const { outputFiles } = await bundle({
    ...SHARED,
    plugins: [namedExports, ...TRANSFORMS],
    entryPoints: { index: `packages/${name}/src/index.ts` },
    outdir: 'lib',
    format: 'esm',
    supported: {},
    splitting: true,
    chunkNames: 'part-[hash]',
    outExtension: {},
    define: {},
    inject: [],
    banner: { js: AS_SHARED_NAMEJS },
    sourcemap: false,
  })
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
}

const bundleTests = async (entryPoints) => {
  // ajv is also part of what is tested, which contains its own copy.
  const external = Object.keys(JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).devDependencies).filter((name) => name !== 'ajv')
  return [
    await bundle({ ...SHARED, entryPoints: [createRequire(import.meta.url).resolve('tap')], outfile: TAP, sourcemap: false }),
    await bundle({ ...SHARED, plugins: [tapBundle, installedPackages, ...TRANSFORMS], entryPoints, outdir: '.', external }),
  ]
}

// tap is a hundred files, which take 0.1 s longer to load than one. It leaves out of stacks what is in node_modules/tap.
const TAP = 'test/dist/node_modules/tap/index.cjs'
const tapBundle = {
  name: 'tap-bundle',
  setup: ({ onResolve }) => onResolve({ filter: /^tap$/ }, () => ({ path: `${ROOT}/${TAP}`, external: true })),
}

const testEntries = () => [
  ...readdirSync(`${ROOT}/packages`).flatMap((name) => testFiles(`packages/${name}/test`, `packages/${name}/dist/test`)),
  ...['', '/faults', '/fuzz'].flatMap((directory) => testFiles(`test${directory}`, `test/dist${directory}`)),
]

const testFiles = (directory, out) =>
  existsSync(`${ROOT}/${directory}`)
    ? readdirSync(`${ROOT}/${directory}`)
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => ({ in: `${directory}/${file}`, out: `${out}/${file.slice(0, -'.ts'.length)}` }))
    : []

await runMain(import.meta.url, async () => {
  await installDependencies()
  await build()
  if (process.argv.includes('--tests')) await buildTests()
})
