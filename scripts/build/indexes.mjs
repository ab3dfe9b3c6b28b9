// An esbuild plugin that takes an import from an index.ts of ours, or an internal.ts, to the files that declare what is imported.
//
// esbuild drops from a bundle what nothing uses, but decides by whole files which bundle a module belongs to: with one index.ts in between,
// all that it lists would be in the bundle that a program starts with.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ROOT } from '../command.mjs'

/** Adds each index.ts that it reads to `read`, by the path relative to the root: a bundle is stale when one changes, and has none as its input. */
export const pastIndexes = (read) => ({
  name: 'past-indexes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(STATEMENT, (text, keyword, names, specifier) => {
        const index = indexOf(specifier, dirname(path))
        if (!index) return text
        const lines = text.split('\n').length - 1
        return (
          byFile(valuesIn(names), index, read)
            .map(([file, list]) => `${keyword} { ${list} } from '${file}'`)
            .join(';') + '\n'.repeat(lines)
        )
      }),
      loader: 'ts',
      resolveDir: dirname(path),
    })),
})

const STATEMENT = /^(import|export) \{([^}]*)\} from '([^']+)'/gm

/** `a, type B, c as d` as [['a', 'a'], ['c', 'd']]. */
const valuesIn = (names) =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(' as '))
    .map(([name, local = name]) => [name, local])

/** The files that declare these exports of an index, each with its list for a statement. */
const byFile = (names, index, read) => {
  const lists = new Map()
  for (const [name, local] of names) {
    const [file, own] = declaration(name, index, read)
    lists.set(file, [...(lists.get(file) ?? []), `${own} as ${local}`])
  }
  return [...lists]
}

const declaration = (name, index, read) => {
  read.add(index.slice(ROOT.length + 1))
  const text = readFileSync(index, 'utf8')
  for (const [, , names, specifier] of text.matchAll(STATEMENT))
    for (const [own, local] of valuesIn(names))
      if (local === name) {
        const next = indexOf(specifier, dirname(index))
        return next ? declaration(own, next, read) : [resolve(dirname(index), specifier.replace(/\.js$/, '.ts')), own]
      }
  throw new Error(`cannot bundle: ${index} does not export ${name} by its name`)
}

/** The list of exports that a specifier names, if it names one. */
const indexOf = (specifier, directory) => {
  if (specifier.startsWith('.')) return specifier.endsWith('/index.js') ? resolve(directory, specifier.replace(/\.js$/, '.ts')) : undefined
  const [scope, name, ...rest] = specifier.split('/')
  const file = scope === '@plumb' ? exportsOf(name)?.[['.', ...rest].join('/')] : undefined
  return file && /\/(index|internal)\.ts$/.test(file) ? file : undefined
}

let packages
/** Absolute paths by `.` or `./PART`. */
const exportsOf = (name) => {
  packages ??= new Map(
    readdirSync(`${ROOT}/packages`)
      .map((each) => join(ROOT, 'packages', each))
      .filter((each) => existsSync(`${each}/package.json`))
      .map((each) => {
        const { name, exports = {} } = JSON.parse(readFileSync(`${each}/package.json`, 'utf8'))
        return [name, Object.fromEntries(Object.entries(exports).map(([part, file]) => [part, join(each, file)]))]
      }),
  )
  return packages.get(`@plumb/${name}`)
}
