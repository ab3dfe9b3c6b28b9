// Writes what was built, with a stamp of what it was made from, and checks whether a stamp is still valid.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { ROOT } from '../command.mjs'
import { inputsOf } from './embed.mjs'
import { removeCodeCaches } from './warm-up.mjs'

const STAMP = 'built.json'
/** File systems round their times: a change this long before `began` may be one that came after. */
const CLOCK_ERROR_MS = 20

/** True when everything in `dist` is there, and was made from the files as they are now. `wanted` has to be in it. */
export const isFresh = (dist, wanted = []) => {
  const file = `${ROOT}/${dist}/${STAMP}`
  if (!existsSync(file)) return false
  const { recipe, outputs, inputs } = JSON.parse(readFileSync(file, 'utf8'))
  return (
    recipe === hashRecipe() &&
    outputs.every((path) => existsSync(`${ROOT}/${path}`)) &&
    wanted.every((path) => outputs.includes(path)) &&
    Object.entries(inputs).every(([path, state]) => state === stateOf(path))
  )
}

/** `began`: when the files were first read. A file that has changed since gets a state that never matches. */
export const writeStamped = (results, dist, began) => {
  const outputs = results.flatMap(({ outputFiles }) => outputFiles.map(({ path }) => relative(ROOT, path)))
  const inputs = results.flatMap(inputsOf)
  for (const result of results) writeOutput(result)
  const stamp = { recipe: hashRecipe(), outputs, inputs: Object.fromEntries(inputs.map((path) => [path, stateOf(path, began)])) }
  writeOutput({ outputFiles: [{ path: `${ROOT}/${dist}/${STAMP}`, contents: JSON.stringify(stamp) }] })
}

/** Renames each file that has changed into place, so that a process that starts meanwhile reads a complete one. */
export const writeOutput = ({ outputFiles }) => {
  for (const { path, contents } of outputFiles) {
    if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) continue
    removeCodeCaches(dirname(path), `${basename(path, '.bundle.cjs')}.`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.new`, contents)
    renameSync(`${path}.new`, path)
  }
}

/** The next build makes all of it. */
export const removeStamp = (dist) => rmSync(`${ROOT}/${dist}/${STAMP}`, { force: true })

/** Removes bundles of earlier builds, which would be packed with the others. */
export const removeStaleOutput = (dist) => {
  const { outputs } = JSON.parse(readFileSync(`${ROOT}/${dist}/${STAMP}`, 'utf8'))
  const made = new Set(outputs.map((path) => basename(path)))
  for (const file of readdirSync(`${ROOT}/${dist}`).filter((name) => /\.cjs(\.map)?$/.test(name) && !made.has(name)))
    rmSync(`${ROOT}/${dist}/${file}`)
}

const stateOf = (path, began = Number.POSITIVE_INFINITY) => {
  const stat = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })
  if (stat && stat.mtimeMs > began - CLOCK_ERROR_MS) return 'changed'
  return stat ? `${stat.size} ${stat.mtimeMs}` : 'absent'
}

// Of all that decides how files are built: Node, the build itself, and the manifests.
const hashRecipe = () => {
  const hash = createHash('sha256').update(process.version)
  const build = readdirSync(`${ROOT}/scripts/build`).map((name) => `scripts/build/${name}`)
  const manifests = readdirSync(`${ROOT}/packages`).map((name) => `packages/${name}/package.json`)
  for (const file of ['scripts/build.mjs', ...build, 'package.json', 'pnpm-lock.yaml', 'tsconfig.base.json', ...manifests]) {
    if (existsSync(`${ROOT}/${file}`)) hash.update(readFileSync(`${ROOT}/${file}`))
  }
  return hash.digest('hex')
}
