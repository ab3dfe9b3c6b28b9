// An esbuild plugin for bundles that only run in this checkout: they load CommonJS packages from node_modules instead of containing them.
// 140 test files would otherwise hold 140 copies of undici, and take 25 s of processor time to build instead of 11.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const INNER = Symbol('asked by this plugin')

export const installedPackages = {
  name: 'installed-packages',
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^[^./]/ }, async ({ path: specifier, kind, importer, resolveDir, namespace, pluginData }) => {
      if (pluginData === INNER || kind === 'entry-point' || importer.includes('/node_modules/')) return
      const { errors, external, path } = await resolve(specifier, {
        kind: 'require-call',
        importer,
        resolveDir,
        namespace,
        pluginData: INNER,
      })
      const isInstalled = errors.length === 0 && !external && path.includes('/node_modules/')
      return isInstalled && isCommonJs(path) ? { path, external: true } : undefined
    }),
}

const isCommonJs = (path) => {
  if (!path.endsWith('.js')) return path.endsWith('.cjs')
  let directory = dirname(path)
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory)
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).type !== 'module'
}
