// The main of the one executable file. argv[0], or else the first word, says which program it is: plumb-agent a.plumb, or
// plumb-linux-x64 plumb-agent a.plumb; otherwise it is plumb, which may be
// its own name too. Its bundles are laid into a directory of the user's cache at the first start.
'use strict'
const { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const { homedir, tmpdir } = require('node:os')
const { basename, dirname, isAbsolute, join } = require('node:path')
const { getRawAsset } = require('node:sea')
const { brotliDecompressSync } = require('node:zlib')

const asset = (name) => Buffer.from(getRawAsset(name))
const { hash, names, files } = JSON.parse(asset('list').toString())

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

/** Written beside its place and moved there whole, so that of two first starts neither sees half of it. */
const unpackInto = (parent) => {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  if (!isOurs(parent)) throw new Error(`${parent} belongs to another user, or others may write into it`)
  const directory = join(parent, hash)
  if (existsSync(directory)) {
    if (!isOurs(directory)) throw new Error(`${directory} belongs to another user, or others may write into it`)
    return directory
  }
  const half = mkdtempSync(join(parent, 'new-'))
  const bytes = brotliDecompressSync(asset('bytes'))
  let at = 0
  for (const { path, size, isProgram } of files) {
    const file = join(half, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, bytes.subarray(at, at + size))
    if (isProgram) chmodSync(file, 0o755)
    at += size
  }
  try {
    renameSync(half, directory)
  } catch (error) {
    rmSync(half, { recursive: true, force: true })
    if (!existsSync(directory)) throw error
  }
  return directory
}

const unpack = () => {
  const reasons = []
  for (const parent of parents()) {
    try {
      return unpackInto(parent)
    } catch (error) {
      reasons.push(error.message)
    }
  }
  return refuse(`no directory to unpack into: ${reasons.join('; ')}`)
}

const runFile = (file, words) => {
  process.argv.splice(0, Number.POSITIVE_INFINITY, process.execPath, file, ...words)
  Module.runMain()
}

// Programs of ours start others by this file as if it were Node: with one of its own bundles, or a script on standard input.
const runText = (words) => {
  const path = join(process.cwd(), '[stdin]')
  const main = new Module(path)
  main.filename = path
  main.paths = Module._nodeModulePaths(process.cwd())
  process.argv.splice(0, Number.POSITIVE_INFINITY, process.execPath, '-', ...words)
  main._compile(readFileSync(0, 'utf8'), path)
}

const words = process.argv.slice(2)
if (words[0] === '-' && words.length === 2) runText(words.slice(1))
else {
  const directory = unpack()
  if (words[0]?.startsWith(`${directory}/`)) runFile(words[0], words.slice(1))
  else {
    const called = basename(process.argv0)
    const isNamed = called !== 'plumb' && names.includes(called)
    const name = isNamed ? called : names.includes(words[0]) ? words.shift() : 'plumb'
    // What is open beside 0 to 2 cannot be told from Node's own.
    process.env.PLUMB_FDS = ''
    process.env.PLUMB_CLOSED = ''
    runFile(join(directory, name, 'dist/main.cjs'), words)
  }
}
