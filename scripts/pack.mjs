// Makes the packages for release: pack.mjs [DIR] [--no-single], by default dist
//
// DIR/NAME-VERSION.tgz is one executable with its library, for `npm install -g`; DIR/plumb-lang-client-VERSION.tgz the library for programs that
// call specs; DIR/plumb-VERSION.tar.gz is the output of scripts/install, to be unpacked anywhere; DIR/plumb_lang-VERSION-TAG.whl the library for
// Python, one wheel for any machine and, without --no-single, one for Linux on x64 that holds the one file of all executables.

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, executables } from './build.mjs'
import { ROOT, run, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { exportsOf, writeLibrary } from './library.mjs'
import { makeSingle } from './release/single.mjs'
import { stageAll, stageAlone } from './stage.mjs'
import { writeWheel } from './wheel.mjs'

const VERSION = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).version

const pack = async (to, withSingle) => {
  mkdirSync(to, { recursive: true })
  const directory = mkdtempSync(join(tmpdir(), 'plumb-pack-'))
  try {
    const packages = []
    for (const name of executables()) packages.push(await stagePackage(name, join(directory, name)))
    packages.push(await stageClient(join(directory, 'client')))
    await runOrThrow('npm', ['pack', '--ignore-scripts', '--silent', `--pack-destination=${to}`, ...packages])
    writeWheel(to)
    if (withSingle) await packSingle(directory, to)
    const { DESTDIR: _, ...env } = process.env
    await runOrThrow(`${ROOT}/scripts/install`, [join(directory, `plumb-${VERSION}`)], { env })
    await runOrThrow('tar', ['--numeric-owner', '-czf', join(to, `plumb-${VERSION}.tar.gz`), '-C', directory, `plumb-${VERSION}`])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const packSingle = async (directory, to) => {
  const tree = join(directory, 'tree')
  stageAll(tree)
  const single = join(directory, 'single')
  const reason = await makeSingle(tree, directory, single)
  if (reason) console.error(`left out: ${reason}`)
  else writeWheel(to, single)
}

/** Writes the package of one executable, as npm takes it. */
export const stagePackage = async (name, directory) => {
  const pages = pagesOf(name)
  stageAlone(name, directory, { man: pages.map((page) => `man/${page}`), ...exportsOf(name) })
  await writeLibrary(name, directory)
  mkdirSync(`${directory}/man`)
  for (const page of pages) copyFileSync(`${ROOT}/man/${page}`, `${directory}/man/${page}`)
  writeFileSync(`${directory}/README.md`, readme(name))
  return directory
}

/** Writes the package of the client library, as npm takes it: it needs no executable to be installed from npm. */
export const stageClient = async (directory) => {
  const { description, license, engines } = JSON.parse(readFileSync(`${ROOT}/packages/client/package.json`, 'utf8'))
  await writeLibrary('client', directory)
  rmSync(`${directory}/lib/package.json`)
  const { exports } = exportsOf('client')
  const manifest = { name: '@plumb-lang/client', version: VERSION, description, license, type: 'module', engines, exports }
  writeFileSync(`${directory}/package.json`, `${JSON.stringify(manifest, undefined, 2)}\n`)
  copyFileSync(`${ROOT}/LICENSE`, `${directory}/LICENSE`)
  writeFileSync(`${directory}/README.md`, CLIENT_README)
  return directory
}

const CLIENT_README = `# @plumb-lang/client

Calls the processes of a plumb spec from TypeScript and JavaScript; it needs no other package.

    import { open } from '@plumb-lang/client'
    const plumb = await open({ spec: 'desk.plumb' })
    console.log(await plumb.call('main', { text: 'I was billed twice' }))
    await plumb.close()

\`plumb\` is that of the package \`plumb\` beside this one, else the one on PATH. \`plumb types desk.plumb\` writes the types of the spec. MIT, see LICENSE.
`

// npm refuses a page that another package has installed: each page is in one package, and those of the whole family are in plumb.
const pagesOf = (name) =>
  readdirSync(`${ROOT}/man`).filter(
    (page) => page === `${name}.1` || (name === 'plumb' && !executables().includes(page.replace(/\.1$/, ''))),
  )

const readme = (name) => {
  const { description } = JSON.parse(readFileSync(`${ROOT}/packages/${name}/package.json`, 'utf8'))
  return `# ${name}

${description}

It needs Node.js 20 or newer, and nothing beside it: \`npm install -g ./${name}-${VERSION}.tgz\` puts it on PATH, with its manual page.
Another executable of the family that a spec asks for is looked for beside it and on PATH. \`${name} --help\` shows examples.

${exportsOf(name).exports ? `A program can import it, with types: \`import('${name}')\`.\n\n` : ''}MIT, see LICENSE; what it holds of others is in THIRD-PARTY-NOTICES.
`
}

/** Runs a command; throws its output where it fails. */
export const runOrThrow = async (command, args, options) => {
  const { status, output } = await run(command, args, options)
  if (status !== 0) throw new Error(`'${[command, ...args].join(' ')}' failed:\n${output.trimEnd()}`)
}

await runMain(import.meta.url, async () => {
  await installDependencies()
  await build()
  const [to = join(ROOT, 'dist')] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
  await pack(resolve(to), !process.argv.includes('--no-single'))
})
