// An esbuild plugin for ECMAScript modules: `import('package')` of a package that is CommonJS has its exports by name, as in Node.

import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { ROOT } from '../command.mjs'

export const namedExports = {
  name: 'named-exports',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ path: specifier, kind, resolveDir }) => {
      if (kind !== 'dynamic-import' || isBuiltin(specifier) || specifier.startsWith('@plumb/')) return
      const { path, errors } = await resolve(specifier, { kind: 'import-statement', resolveDir })
      return errors.length === 0 && isCommonJs(path) ? { path: relative(ROOT, path), namespace: 'named-exports' } : undefined
    })
    onLoad({ filter: /./, namespace: 'named-exports' }, ({ path }) => {
      const file = join(ROOT, path)
      return { contents: listExports(file), resolveDir: dirname(file), loader: 'js' }
    })
  },
}

const isCommonJs = (path) => {
  if (/\.[cm]js$/.test(path)) return path.endsWith('.cjs')
  return path.endsWith('.js') && typeOf(dirname(path)) !== 'module'
}

const typeOf = (directory) => {
  try {
    return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).type
  } catch {
    return directory === dirname(directory) ? undefined : typeOf(dirname(directory))
  }
}

const listExports = (path) => {
  const names = Object.keys(createRequire(import.meta.url)(path)).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name))
  const listed = names.map((name, i) => `const e${i} = module_.${name}`).join('\n')
  return `const module_ = require(${JSON.stringify(path)})
${listed}
export { ${names.map((name, i) => `e${i} as ${name}`).join(', ')} }
export default module_
`
}

const RESERVED = new Set(['default', '__esModule'])
