// Writes wheels of Python: archives with files of the package `plumb`, and what pip wants to know of them.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { executables } from './build.mjs'
import { ROOT } from './command.mjs'

const { version: VERSION } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
const NAME = 'plumb_lang'
const INFO = `${NAME}-${VERSION}.dist-info`

/** `single`: the one file of all executables, for Linux on x64; without one the wheel is for any machine. Returns its file name. */
export const writeWheel = (to, single) => {
  const tag = single === undefined ? 'py3-none-any' : 'py3-none-manylinux_2_28_x86_64'
  const files = pythonFiles().map((name) => ({ name: `plumb/${name}`, bytes: readFileSync(`${ROOT}/python/plumb/${name}`) }))
  if (single !== undefined) {
    files.push({ name: 'plumb/bin/plumb', bytes: readFileSync(single), mode: 0o755 })
    const commands = executables().map((name) => `${name} = plumb._command:main\n`)
    files.push(textFile(`${INFO}/entry_points.txt`, `[console_scripts]\n${commands.join('')}`))
  }
  files.push(
    { name: `${INFO}/licenses/LICENSE`, bytes: readFileSync(`${ROOT}/LICENSE`) },
    textFile(`${INFO}/METADATA`, metadata()),
    textFile(`${INFO}/WHEEL`, `Wheel-Version: 1.0\nGenerator: plumb ${VERSION}\nRoot-Is-Purelib: ${single === undefined}\nTag: ${tag}\n`),
  )
  files.push(textFile(`${INFO}/RECORD`, [...files.map(recorded), `${INFO}/RECORD,,\n`].join('')))
  const name = `${NAME}-${VERSION}-${tag}.whl`
  writeFileSync(join(to, name), zip(files))
  return name
}

const pythonFiles = () =>
  readdirSync(`${ROOT}/python/plumb`)
    .filter((name) => /\.(py|typed)$/.test(name))
    .sort()

const textFile = (name, text) => ({ name, bytes: Buffer.from(text) })

const metadata = () =>
  `Metadata-Version: 2.4
Name: plumb-lang
Version: ${VERSION}
Summary: Calls the processes of a plumb spec from Python, and makes agents of functions.
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.10
Typing :: Typed
Description-Content-Type: text/markdown

${readFileSync(`${ROOT}/python/README.md`, 'utf8')}`.replace('Typing :: Typed\n', 'Classifier: Typing :: Typed\n')

const recorded = ({ name, bytes }) => `${name},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}\n`

// The first day of a zip archive, so that the same files are the same bytes.
const DATE = 0x0021

/** The files in a zip archive, in their order. */
const zip = (files) => {
  const parts = []
  const directory = []
  let offset = 0
  for (const { name, bytes, mode = 0o644 } of files) {
    const packed = deflateRawSync(bytes)
    const path = Buffer.from(name)
    const shared = Buffer.alloc(26)
    // Version, flags, method, time, date, check, sizes, length of the name.
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt16LE(DATE, 8)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(path.length, 22)
    const attributes = Buffer.alloc(14)
    attributes.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 6)
    attributes.writeUInt32LE(offset, 10)
    const local = [word(0x04034b50), shared, path, packed]
    // Made by a Unix.
    directory.push(word(0x02014b50), Buffer.from([20, 3]), shared, attributes, path)
    parts.push(...local)
    offset += local.reduce((sum, { length }) => sum + length, 0)
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(size, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, ...directory, word(0x06054b50), end])
}

const word = (value) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

// zlib.crc32 came with Node 20.15.
const crc32 = (bytes) => {
  let sum = 0xffffffff
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff] ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}
