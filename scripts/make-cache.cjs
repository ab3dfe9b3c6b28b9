// Runs an executable once on a small job and keeps what Node compiled for it: make-cache.cjs DIST ARGUMENT… < input
'use strict'
const { writeFileSync, renameSync } = require('node:fs')
const { join } = require('node:path')

const dist = process.argv[2]
process.argv.splice(1, 2, join(dist, 'main.cjs'))
const script = require(join(dist, 'main.cjs'))
process.on('exit', () => {
  writeFileSync(join(dist, 'bundle.cache.new'), script.createCachedData())
  renameSync(join(dist, 'bundle.cache.new'), join(dist, 'bundle.cache'))
})
