// Runs an executable once on a small job and keeps what Node compiled for it: make-cache.cjs DIST ARGUMENT… < input
//
// Of several runs each adds to what those before it have kept. MODEL in an argument becomes the address of a model on loopback.
'use strict'
const { writeFileSync, renameSync } = require('node:fs')
const { join } = require('node:path')
const { openModel } = require('./stub-model.cjs')

const keep = () => {
  for (const { filename, script } of Object.values(require.cache)) {
    if (!script) continue
    const cache = filename.replace(/\.cjs$/, '.cache')
    writeFileSync(`${cache}.new`, script.createCachedData())
    renameSync(`${cache}.new`, cache)
  }
}

const [dist, ...args] = process.argv.slice(2)
const run = (url) => {
  process.argv.splice(1, Infinity, join(dist, 'main.cjs'), ...args.map((arg) => arg.replaceAll('MODEL', url)))
  process.on('exit', keep)
  require(join(dist, 'main.cjs'))
}

if (args.some((arg) => arg.includes('MODEL'))) openModel().then(({ url }) => run(url))
else run('')
