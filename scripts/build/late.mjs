// esbuild plugins that leave modules out of the main bundle, to be loaded when they are first used.

import { isBuiltin } from 'node:module'
import { basename } from 'node:path'
import { SHARED_NAME } from './shared.mjs'

/**
 * The plugins that come before and after all others. They add to `late` what needs a bundle of its own: by name, the module and the
 * directory that it is resolved from.
 */
export const latePlugins = (late) => ({ before: [lateNode, lateWorkers(late), lateModules(late)], after: [latePackages(late)] })

const add = (late, name, module) => {
  late.set(name, module)
  return { path: `./${SHARED_NAME}/${name}`, external: true }
}

// Modules of Node that take time to load and that not every start uses.
const LATE_NODE = [
  ...['child_process', 'crypto', 'dns', 'fs/promises', 'http', 'https', 'net', 'os', 'readline', 'readline/promises', 'stream'],
  ...['stream/promises', 'stream/web', 'timers/promises', 'tty', 'url', 'v8', 'vm', 'worker_threads', 'zlib'],
]

/** bin/NAME loads `late:node:x` when something of it is first used. */
export const lateNode = {
  name: 'late-node',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^node:/ }, ({ path, kind, importer }) => {
      const isOurs = kind === 'import-statement' && !importer.includes('/node_modules/')
      // commander needs child_process only for subcommands that are separate programs.
      const isLate = LATE_NODE.includes(path.slice('node:'.length)) && (isOurs || path === 'node:child_process')
      return isLate && kind !== 'dynamic-import' ? { path: `late:${path}`, external: true, sideEffects: false } : undefined
    }),
}

// The text of a worker thread is loaded as late as a package.
const lateWorkers = (late) => ({
  name: 'late-workers',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.worker\?text$/ }, ({ path: specifier, resolveDir }) => {
      return add(late, basename(specifier, '?text'), { specifier, resolveDir })
    }),
})

// `import('./x.late.js')`, a list of exports of a large package. It holds nothing of our own, so that no state exists twice.
const lateModules = (late) => ({
  name: 'late-modules',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.late\.js$/ }, ({ path, resolveDir }) => {
      return add(late, basename(path, '.late.js'), { specifier: path.replace(/\.js$/, '.ts'), resolveDir })
    }),
})

// `import('package')`, and `require('package')` in our own sources.
const latePackages = (late) => ({
  name: 'late-packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ kind, path: specifier, resolveDir }) => {
      const isLate = kind === 'dynamic-import' || (kind === 'require-call' && !resolveDir.includes('/node_modules/'))
      if (!isLate || isBuiltin(specifier) || specifier.startsWith('@plumb/')) return
      return add(late, specifier.replace(/^@/, '').replaceAll('/', '-'), { specifier, resolveDir })
    }),
})
