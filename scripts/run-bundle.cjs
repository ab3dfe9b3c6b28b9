// Runs the bundles of an executable, each with the cache of its compiled code where that fits this Node. The build copies this file to
// dist/main.cjs, which runs dist/main.bundle.cjs; the others beside it are run when they are first asked for.
'use strict'
const { readFileSync } = require('node:fs')
const { Script } = require('node:vm')

const bundles = new Map()
const lateModules = new Map()

/** What bundles have for `require`. */
const load = (id) => {
  if (id.startsWith('late:')) return lateModule(id.slice('late:'.length))
  if (!id.startsWith('./')) return require(id)
  // A bundle, or one of the parts that it has for others: './pino', './main#chunk_A'.
  const [name, part] = id.slice('./'.length).split('#')
  const { exports } = bundles.get(name) ?? run(name)
  return part === undefined ? exports : exports[part]
}
load.main = require.main

// A module of Node that is loaded when something of it is first used.
const lateModule = (name) => {
  if (!lateModules.has(name)) lateModules.set(name, new Proxy({}, { get: (_, key) => require(name)[key] }))
  return lateModules.get(name)
}

const run = (name) => {
  const filename = `${__dirname}/${name}.bundle.cjs`
  // Node refuses a cache that another version or other flags have made, and compiles instead; another platform's it could take, and must not.
  const cache = `${__dirname}/${name}.${process.platform}-${process.arch}.cache`
  // What comes from a cache has no path on this machine, which source maps want.
  const cachedData = process.sourceMapsEnabled ? undefined : read(cache)
  // The bundle is ASCII, and one expression: a function.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData })
  const bundle = { exports: {}, script, cache }
  bundles.set(name, bundle)
  script.runInThisContext()(load, bundle, bundle.exports, filename, __dirname)
  return bundle
}

const read = (path) => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

// For make-cache.
module.exports = bundles
run('main')
