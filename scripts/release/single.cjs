// The main of the one executable file. argv[0], or else the first word, says which program it is: plumb-agent a.plumb, or
// plumb-linux-x64 plumb-agent a.plumb; otherwise it is plumb. Its bundles are laid into a directory of the user's cache at the first start, with
// a link to this file there that is called node: by that name it is the Node of its programs, and of what they start.
'use strict'
const fs = require('node:fs')
const { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = fs
const Module = require('node:module')
const { homedir, tmpdir } = require('node:os')
const { basename, dirname, isAbsolute, join, resolve } = require('node:path')
const { getRawAsset } = require('node:sea')
const { brotliDecompressSync } = require('node:zlib')

/** Of the link. */
const NODE = 'node'

const asset = (name) => Buffer.from(getRawAsset(name))

const refuse = (detail) => {
  process.stderr.write(`plumb: error: ${detail}\n`)
  process.exit(2)
}

/** No other user may have put anything there: what lies in it is run. */
const isOurs = (directory) => {
  const { uid, mode } = lstatSync(directory)
  return lstatSync(directory).isDirectory() && uid === process.getuid() && (mode & 0o022) === 0
}

const parents = () => {
  const { XDG_CACHE_HOME: cache } = process.env
  const kept = cache && isAbsolute(cache) ? cache : join(homedir(), '.cache')
  return [join(kept, 'plumb'), join(tmpdir(), `plumb-${process.getuid()}`)]
}

/** Cleaners of caches take single files away. */
const isWhole = (directory, { names }) => names.every((name) => existsSync(join(directory, name, 'dist/main.cjs')))

/** Whoever runs from it goes on with what it has loaded. */
const moveAway = (directory) => {
  const old = `${directory}-${process.pid}`
  try {
    renameSync(directory, old)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  rmSync(old, { recursive: true, force: true })
}

/** Written beside its place and moved there whole, so that of two first starts neither sees half of it. */
const unpackInto = (parent, list) => {
  const { hash, files } = list
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  if (!isOurs(parent)) throw new Error(`${parent} belongs to another user, or others may write into it`)
  const directory = join(parent, hash)
  if (existsSync(directory)) {
    if (!isOurs(directory)) throw new Error(`${directory} belongs to another user, or others may write into it`)
    if (isWhole(directory, list)) return directory
    moveAway(directory)
  }
  const half = fs.mkdtempSync(join(parent, 'new-'))
  const bytes = brotliDecompressSync(asset('bytes'))
  let at = 0
  for (const { path, size, isProgram } of files) {
    const file = join(half, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, bytes.subarray(at, at + size))
    if (isProgram) fs.chmodSync(file, 0o755)
    at += size
  }
  try {
    renameSync(half, directory)
  } catch (error) {
    rmSync(half, { recursive: true, force: true })
    if (!existsSync(directory) || !isWhole(directory, list)) throw error
  }
  return directory
}

/** The file may have been moved since the last start. */
const linkNode = (directory) => {
  const link = join(directory, NODE)
  if (existsSync(link) && fs.readlinkSync(link) === process.execPath) return
  const next = `${link}-${process.pid}`
  rmSync(next, { force: true })
  fs.symlinkSync(process.execPath, next)
  renameSync(next, link)
}

const unpack = (list) => {
  const reasons = []
  for (const parent of parents()) {
    try {
      const directory = unpackInto(parent, list)
      linkNode(directory)
      return directory
    } catch (error) {
      reasons.push(error.message)
    }
  }
  return refuse(`no directory to unpack into: ${reasons.join('; ')}`)
}

const setArguments = (...words) => process.argv.splice(0, Number.POSITIVE_INFINITY, process.execPath, ...words)

/** As `node FILE WORD…`, with the caches of compiled code that the first starts leave: a release has none, since no two of them are the same. */
const runFile = (file, words) => {
  const dist = dirname(file)
  setArguments(file, ...words)
  process.on('exit', () => keepCompiled(dist, process.mainModule?.exports))
  Module.runMain()
}

/** Each start adds to the caches of those before it, until most of what is used is there. */
const STARTS_KEPT = 4

// Whatever hinders, the program has ended as it should.
const keepCompiled = (dist, bundles) => {
  try {
    const count = join(dist, 'starts')
    const starts = existsSync(count) ? lstatSync(count).size : 0
    if (starts >= STARTS_KEPT || !bundles) return
    for (const { script, cache } of bundles.values()) {
      writeFileSync(`${cache}-${process.pid}`, script.createCachedData())
      renameSync(`${cache}-${process.pid}`, cache)
    }
    fs.appendFileSync(count, '.')
  } catch {}
}

/** As `node -e TEXT` or `node -`. */
const runText = (text) => {
  const path = join(process.cwd(), '[eval]')
  const main = new Module(path)
  main.filename = path
  main.paths = Module._nodeModulePaths(process.cwd())
  main._compile(text, path)
}

const runAsNode = ([first, ...words]) => {
  if (isAbsolute(process.argv0)) process.execPath = resolve(process.argv0)
  if (first === '-e') {
    setArguments(...words.slice(1))
    runText(words[0])
  } else if (first === '-') {
    setArguments('-', ...words)
    runText(readFileSync(0, 'utf8'))
  } else runFile(first, words)
}

const runAsProgram = (words) => {
  const list = JSON.parse(asset('list').toString())
  const directory = unpack(list)
  const called = basename(process.argv0)
  const isNamed = called !== 'plumb' && list.names.includes(called)
  const name = isNamed ? called : list.names.includes(words[0]) ? words.shift() : 'plumb'
  // Only the launcher of a program says these: here its programs look by themselves.
  for (const variable of ['PLUMB_FDS', 'PLUMB_CLOSED']) delete process.env[variable]
  process.execPath = join(directory, NODE)
  runFile(join(directory, name, 'dist/main.cjs'), words)
}

const words = process.argv.slice(2)
if (basename(process.argv0) === NODE) runAsNode(words)
else runAsProgram(words)
