// Writes the library of a package: lib/index.js, an ECMAScript module with everything it needs beside it, and its declarations in lib/types.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative, resolve } from 'node:path'
import { keepNeeded } from './build/needed-declarations.mjs'
import { bundleLibrary } from './build.mjs'
import { ROOT, run, tool } from './command.mjs'

/** The fields for its package.json; none when the package has no library. */
export const exportsOf = (name) =>
  existsSync(`${ROOT}/packages/${name}/src/index.ts`)
    ? { exports: { '.': { types: `./lib/types/${name}/src/index.d.ts`, default: './lib/index.js' } } }
    : {}

export const writeLibrary = async (name, to) => {
  if (!exportsOf(name).exports) return
  const files = await bundleLibrary(name)
  for (const [file, contents] of files) write(`${to}/lib/${file}`, contents)
  // The package itself is CommonJS, for its executable.
  write(`${to}/lib/package.json`, '{ "type": "module" }\n')
  await writeTypes(name, `${to}/lib/types`)
}

const writeTypes = async (name, to) => {
  const { status, output } = await run(tool('tsc'), ['-b', `packages/${name}`])
  if (status !== 0) throw new Error(`cannot declare ${name}:\n${output}`)
  const waiting = [`${name}/src/index`]
  const known = new Set(waiting)
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    const [directory, ...path] = module.split('/')
    const text = readFileSync(`${ROOT}/packages/${directory}/dist/types/${path.join('/')}.d.ts`, 'utf8')
    const named = text.replace(IMPORT, (whole, start, specifier) => {
      const target = targetOf(specifier, module)
      if (target === undefined) return whole
      if (!known.has(target)) waiting.push(target)
      known.add(target)
      const away = relative(dirname(module), target)
      return `${start}'${away.startsWith('.') ? away : `./${away}`}.js'`
    })
    write(`${to}/${module}.d.ts`, named.replace(/^\/\/# sourceMappingURL=.*$/m, ''))
  }
  const files = [...known].map((module) => resolve(to, `${module}.d.ts`))
  for (const path of keepNeeded(resolve(to, `${name}/src/index.d.ts`), files)) rmSync(path)
}

const IMPORT = /(\bfrom |\bimport\(|\bimport )['"]([^'"]+)['"]/g

/** Returns PACKAGE/src/MODULE; undefined for a module of Node. */
const targetOf = (specifier, from) => {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier)).replace(/\.js$/, '')
  const [, short, part] = /^@plumb\/([^/]+)(\/.*)?$/.exec(specifier) ?? []
  if (short === undefined) {
    if (specifier.startsWith('node:')) return undefined
    throw new Error(`the declarations of ${from} use '${specifier}', which is not packed`)
  }
  const directory = existsSync(`${ROOT}/packages/${short}`) ? short : `plumb-${short}`
  const { exports } = JSON.parse(readFileSync(`${ROOT}/packages/${directory}/package.json`, 'utf8'))
  return normalize(`${directory}/${exports[`.${part ?? ''}`]}`).replace(/\.ts$/, '')
}

const write = (path, contents) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
}
