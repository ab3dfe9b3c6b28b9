// The bundles of what is the same in all executables: packages of others, texts of threads, lists of exports. They lie once beside all
// executables, in wire/dist/shared, without source maps, for none of it is ours; one that is packed alone has those that it uses in dist/shared
// of its own.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../command.mjs'
import { bundle, SHARED, WITHOUT_COMMENTS, WRAPPED } from './bundle.mjs'

export const SHARED_NAME = 'shared'
/** From the directory that holds the executables. */
export const SHARED_DIRECTORY = `wire/dist/${SHARED_NAME}`

/** Returns a function that bundles each of them once: from its name, its module and the directory that it is resolved from, to a result. */
export const openSharedBundles = (plugins) => {
  const known = new Map()
  return (name, { specifier, resolveDir }) => {
    const module = specifier.startsWith('.') ? join(resolveDir, specifier) : specifier
    const one = known.get(name) ?? { module, result: bundleModule(name, specifier, resolveDir, plugins) }
    if (one.module !== module) throw new Error(`two late bundles are called ${name}`)
    known.set(name, one)
    return one.result
  }
}

const bundleModule = (name, specifier, resolveDir, plugins) => {
  const stdin = { contents: `module.exports = require(${JSON.stringify(specifier)})`, resolveDir }
  const outfile = `packages/${SHARED_DIRECTORY}/${name}.bundle.cjs`
  return bundle({ ...SHARED, ...WRAPPED, ...WITHOUT_COMMENTS, sourcemap: false, stdin, plugins, outfile })
}

/** The names of the files, with caches, that an executable has of them. */
export const sharedFilesOf = (executable) => {
  const bundles = outputsOf(executable).filter((path) => path.startsWith(`packages/${SHARED_DIRECTORY}/`))
  const names = new Set(bundles.map(nameOf))
  return readdirSync(`${ROOT}/packages/${SHARED_DIRECTORY}`).filter((file) => names.has(nameOf(file)))
}

/** Removes what none of the executables has any more. */
export const removeUnusedShared = (executables) => {
  const used = new Set(executables.flatMap(outputsOf).map(nameOf))
  const directory = `${ROOT}/packages/${SHARED_DIRECTORY}`
  for (const file of readdirSync(directory)) if (!used.has(nameOf(file))) rmSync(`${directory}/${file}`)
}

const outputsOf = (executable) => {
  const stamp = `${ROOT}/packages/${executable}/dist/built.json`
  return existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')).outputs : []
}

// undici of undici.bundle.cjs and its caches.
const nameOf = (path) =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.bundle\.cjs$/, '')
    .replace(/\.[a-z0-9]+-[a-z0-9_]+\.cache$/, '')
