// Runs an executable once on a small job and keeps what Node compiled for it: make-cache.cjs DIST ARGUMENT… < input
//
// Of several runs each adds to what those before it have kept. MODEL in an argument becomes the address of a model on loopback.
'use strict'
const { writeFileSync, renameSync } = require('node:fs')
const v8 = require('node:v8')
const vm = require('node:vm')
const { join, relative } = require('node:path')
const { openModel } = require('./stub-model.cjs')

const keep = () => {
  for (const { script, cache } of require(join(dist, 'main.cjs')).values()) {
    writeFileSync(`${cache}.new`, script.createCachedData())
    renameSync(`${cache}.new`, cache)
  }
}

const [dist, ...args] = process.argv.slice(2)
// A cache keeps the name of its script, and is copied to where this machine's folders mean nothing: plumb/dist/main.bundle.cjs.
vm.Script = class extends vm.Script {
  constructor(source, options) {
    // By way of bytes: a part of a string is kept with the whole.
    const filename = Buffer.from(relative(join(dist, '../..'), options.filename)).toString()
    super(source, { ...options, filename })
  }
}
// A cache that was made under other flags than those that Node begins with would be refused, and what earlier runs have kept be gone.
v8.setFlagsFromString = () => {}
const run = (url) => {
  process.argv.splice(1, Infinity, join(dist, 'main.cjs'), ...args.map((arg) => arg.replaceAll('MODEL', url)))
  process.on('exit', keep)
  require(join(dist, 'main.cjs'))
}

if (args.some((arg) => arg.includes('MODEL'))) openModel().then(({ url }) => run(url))
else run('')
