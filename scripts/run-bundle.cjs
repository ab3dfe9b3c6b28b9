// Runs the bundle beside it, with the cache of its compiled code where that fits this Node; it saves a third of the start.
// The build copies this file: dist/main.cjs runs dist/main.bundle.cjs, dist/pino.cjs runs dist/pino.bundle.cjs.
'use strict'
const { readFileSync } = require('node:fs')
const { Script } = require('node:vm')

const base = __filename.slice(0, -'.cjs'.length)
const filename = `${base}.bundle.cjs`
const read = (path) => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
// Node refuses a cache that another version or other flags have made, and compiles instead; another platform's it could take, and must not.
const cache = `${base}.${process.platform}-${process.arch}.cache`
// What comes from a cache has no path on this machine, which source maps want.
const cachedData = process.sourceMapsEnabled ? undefined : read(cache)
// The bundle is ASCII.
const source = `(function (require, module, exports, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`
const script = new Script(source, { filename, cachedData })
// For make-cache.
Object.assign(module, { script, cache })
script.runInThisContext()(require, module, exports, filename, __dirname)
