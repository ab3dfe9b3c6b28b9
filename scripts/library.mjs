// Lays out what programs import of a package: lib/index.js, an ECMAScript module with all it needs beside it, and its declarations in lib/types.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { bundleLibrary } from './build.mjs'
import { ROOT, run, tool } from './step.mjs'

/** What goes into its package.json; nothing where it has nothing for others. */
export const exportsOf = (name) =>
  existsSync(`${ROOT}/packages/${name}/src/index.ts`)
    ? { exports: { '.': { types: `./lib/types/${name}/src/index.d.ts`, default: './lib/index.js' } } }
    : {}

export const layLibrary = async (name, to) => {
  if (!exportsOf(name).exports) return
  const files = await bundleLibrary(name)
  for (const [file, contents] of files) write(`${to}/lib/${file}`, contents)
  // Whatever the package itself says: the executable beside it is CommonJS.
  write(`${to}/lib/package.json`, '{ "type": "module" }\n')
  await layTypes(name, `${to}/lib/types`)
}

const layTypes = async (name, to) => {
  const { status, output } = await run(tool('tsc'), ['-b', `packages/${name}`])
  if (status !== 0) throw new Error(`cannot declare ${name}:\n${output}`)
  const waiting = [`${name}/src/index`]
  const known = new Set(waiting)
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    const [folder, ...path] = module.split('/')
    const text = readFileSync(`${ROOT}/packages/${folder}/dist/types/${path.join('/')}.d.ts`, 'utf8')
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
}

const IMPORT = /(\bfrom |\bimport\(|\bimport )['"]([^'"]+)['"]/g

/** As PACKAGE/src/MODULE; undefined for those that come with Node. */
const targetOf = (specifier, from) => {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier)).replace(/\.js$/, '')
  const [, short, part] = /^@plumb\/([^/]+)(\/.*)?$/.exec(specifier) ?? []
  if (short === undefined) {
    if (specifier.startsWith('node:')) return undefined
    throw new Error(`what ${from} declares is of '${specifier}', which is not handed on`)
  }
  const folder = existsSync(`${ROOT}/packages/${short}`) ? short : `plumb-${short}`
  const { exports } = JSON.parse(readFileSync(`${ROOT}/packages/${folder}/package.json`, 'utf8'))
  return normalize(`${folder}/${exports[`.${part ?? ''}`]}`).replace(/\.ts$/, '')
}

const write = (path, contents) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
}
