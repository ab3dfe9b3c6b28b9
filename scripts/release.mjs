// Makes all that a release hands out, the same bytes from the same sources: release.mjs [TO] [--only LIST] [--node DIRECTORY], TO by default dist/release
//
// TO/plumb-VERSION.tar.gz      tarball: to be unpacked anywhere
// TO/NAME-VERSION.tgz          npm: one executable, for npm install -g
// TO/plumb-all-VERSION.tgz     all: every executable, for npm install -g
// TO/plumb-lang-client-...tgz  client: the library for TypeScript
// TO/plumb_lang-...whl         wheel: that for Python, for any machine; and with single one for Linux on x64 that holds the executables
// TO/plumb-linux-x64           single: every executable and a Node in one file
// TO/plumb-linux-arm64         arm64: the same for arm64, which no test here can run; npm has no such Node for macOS
// TO/plumb-VERSION.vsix        vsix: the extension of VS Code
// TO/plumb-VERSION.cdx.json    what is in them, as CycloneDX
// TO/SHA256SUMS
//
// LIST has some of these words, with commas. DIRECTORY is where the Node of the one file is installed; else it comes from npm, as does vsce.
//
// What Node has compiled differs from build to build, so nothing here holds it: a start takes 85 ms of processor in place of 47. A build, and
// scripts/install in a clone, have it.

import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build, executables } from './build.mjs'
import { ROOT, run, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { stageExtension } from './editors/stage-vscode.mjs'
import { runOrThrow, stageClient, stagePackage } from './pack.mjs'
import { componentsIn, nodeComponent } from './release/components.mjs'
import { makeSingle, NODE, NODE_ARM64 } from './release/single.mjs'
import { stageAll } from './stage.mjs'
import { writeWheel } from './wheel.mjs'

const { version: VERSION, license: LICENSE } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
// Of files in archives: no clock is in them.
const EPOCH = '1700000000'
const VSCE = '@vscode/vsce@4.1.0'
/** The unscoped name is taken at npm. */
const SCOPE = '@plumb-lang'

const PARTS = ['npm', 'all', 'client', 'wheel', 'tarball', 'single', 'arm64', 'vsix']

const release = async (to, parts, nodeDirectory) => {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const directory = mkdtempSync(join(tmpdir(), 'plumb-release-'))
  try {
    const tree = join(directory, 'tree')
    stageAll(tree)
    removeCaches(tree)
    if (parts.includes('npm'))
      for (const name of executables()) await packForNpm(await stagePackage(name, join(directory, 'npm', name)), to)
    if (parts.includes('all')) await packAll(join(directory, 'all'), tree, to)
    if (parts.includes('client')) await packForNpm(await stageClient(join(directory, 'client')), to)
    if (parts.includes('wheel')) writeWheel(to)
    if (parts.includes('tarball')) await packTarball(directory, to)
    const notices = executables().map((name) => join(tree, name))
    const platform = []
    if (parts.includes('single')) {
      const reason = await makeSingle(tree, nodeDirectory ?? directory, join(to, 'plumb-linux-x64'))
      if (reason) warn(reason)
      else {
        platform.push(nodeComponent(NODE.name, NODE.version))
        if (parts.includes('wheel')) writeWheel(to, join(to, 'plumb-linux-x64'))
      }
    }
    if (parts.includes('arm64')) {
      const reason = await makeSingle(tree, nodeDirectory ?? directory, join(to, 'plumb-linux-arm64'), NODE_ARM64)
      if (reason) warn(reason)
      else platform.push(nodeComponent(NODE_ARM64.name, NODE_ARM64.version))
    }
    if (parts.includes('vsix')) {
      const extension = join(directory, 'vscode')
      const reason = await packExtension(directory, extension, to)
      if (reason) warn(reason)
      else notices.push(extension)
    }
    writeFileSync(join(to, `plumb-${VERSION}.cdx.json`), billOfMaterials(notices, platform))
    const files = readdirSync(to).sort()
    writeFileSync(join(to, 'SHA256SUMS'), files.map((file) => `${sha256(readFileSync(join(to, file)))}  ${file}\n`).join(''))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const warn = (reason) => console.error(`left out: ${reason}`)
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

const removeCaches = (directory) => {
  for (const path of readdirSync(directory, { recursive: true })) if (path.endsWith('.cache')) rmSync(join(directory, path))
}

const packForNpm = async (directory, to) => {
  removeCaches(directory)
  await runOrThrow('npm', ['pack', '--ignore-scripts', '--silent', `--pack-destination=${to}`, directory])
}

const packAll = async (all, tree, to) => {
  mkdirSync(all)
  cpSync(tree, join(all, 'lib'), { recursive: true })
  cpSync(`${ROOT}/man`, join(all, 'man'), { recursive: true })
  for (const file of ['README.md', 'LICENSE']) cpSync(`${ROOT}/${file}`, join(all, file))
  const manifest = {
    name: `${SCOPE}/plumb`,
    version: VERSION,
    description: 'A typed language, and small executables, for wiring LLM agents into pipelines',
    license: LICENSE,
    type: 'commonjs',
    engines: { node: '>=20' },
    bin: Object.fromEntries(executables().map((name) => [name, `lib/${name}/bin/${name}`])),
    man: readdirSync(`${ROOT}/man`).map((page) => `man/${page}`),
  }
  writeFileSync(join(all, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await packForNpm(all, to)
  renameSync(join(to, `${SCOPE.slice(1)}-plumb-${VERSION}.tgz`), join(to, `plumb-all-${VERSION}.tgz`))
}

const packTarball = async (directory, to) => {
  const name = `plumb-${VERSION}`
  const { DESTDIR: _, ...env } = process.env
  await runOrThrow(`${ROOT}/scripts/install`, [join(directory, name)], { env })
  removeCaches(join(directory, name, 'lib'))
  const plain = ['--sort=name', `--mtime=@${EPOCH}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u+w,go=rX']
  await runOrThrow('tar', [...plain, '-cf', join(directory, 'all.tar'), '-C', directory, name])
  await runOrThrow('gzip', ['-9n', join(directory, 'all.tar')])
  cpSync(join(directory, 'all.tar.gz'), join(to, `${name}.tar.gz`))
}

/** The reason why not. */
const packExtension = async (directory, from, to) => {
  await stageExtension(from)
  const words = [
    '--prefix',
    directory,
    'exec',
    '--yes',
    `--package=${VSCE}`,
    '--',
    'sh',
    '-c',
    'cd "$1" && vsce package --no-dependencies -o "$2"',
  ]
  const env = { ...process.env, SOURCE_DATE_EPOCH: EPOCH }
  const made = await run('npm', [...words, 'sh', from, join(to, `plumb-${VERSION}.vsix`)], { env, limitMs: 300_000 })
  return made.status === 0 ? undefined : `${VSCE} cannot be had, or failed: ${made.output.trim().split('\n').at(-1)}`
}

const billOfMaterials = (noticesIn, platform) => {
  const notices = noticesIn.map((directory) => readFileSync(join(directory, 'THIRD-PARTY-NOTICES'), 'utf8'))
  const components = [...componentsIn(notices), ...platform]
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': 'plumb', name: 'plumb', version: VERSION, licenses: [{ license: { id: LICENSE } }] },
    },
    components,
    dependencies: [{ ref: 'plumb', dependsOn: components.map((component) => component['bom-ref']) }],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

await runMain(import.meta.url, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string', default: PARTS.join() }, node: { type: 'string' } },
  })
  const parts = values.only.split(',')
  const unknown = parts.find((part) => !PARTS.includes(part))
  if (unknown !== undefined) throw new Error(`--only takes ${PARTS.join(', ')}, not '${unknown}'`)
  await installDependencies()
  await build()
  await release(resolve(positionals[0] ?? join(ROOT, 'dist/release')), parts, values.node && resolve(values.node))
})
