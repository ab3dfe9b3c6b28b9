// Runs an executable once on a small job and saves what Node compiled for it: make-cache.cjs DIST ARGUMENT… < input
//
// Each run adds to the caches of those before it. MODEL in an argument becomes the address of a model on loopback.
'use strict'
const { writeFileSync, renameSync } = require('node:fs')
const v8 = require('node:v8')
const vm = require('node:vm')
const { join, relative } = require('node:path')
const { openModel } = require('../stub-model.cjs')

const saveCaches = () => {
  for (const { script, cache } of require(join(dist, 'main.cjs')).values()) {
    writeFileSync(`${cache}.new`, script.createCachedData())
    renameSync(`${cache}.new`, cache)
  }
}

const [dist, ...args] = process.argv.slice(2)
// A cache contains the name of its script, and is copied to other machines: the name is relative, as in plumb/dist/main.bundle.cjs.
vm.Script = class extends vm.Script {
  constructor(source, options) {
    // A copy: a substring would keep the whole string alive.
    const filename = Buffer.from(relative(join(dist, '../..'), options.filename)).toString()
    super(source, { ...options, filename })
  }
}
// Node refuses a cache that was made under other flags than it starts with; the caches of earlier runs would be lost.
v8.setFlagsFromString = () => {}
const run = (url) => {
  process.argv.splice(1, Infinity, join(dist, 'main.cjs'), ...args.map((arg) => arg.replaceAll('MODEL', url)))
  process.on('exit', saveCaches)
  require(join(dist, 'main.cjs'))
}

if (args.some((arg) => arg.includes('MODEL'))) openModel().then(({ url }) => run(url))
else run('')
