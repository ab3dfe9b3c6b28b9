// esbuild plugins that embed what is not a module: bytes, the text of other programs, and prepared scripts.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { ROOT } from '../command.mjs'
import { bundle, SHARED } from './bundle.mjs'

// The files that each embedded text was made of.
const embeddedInputs = new Map()

/** The files that a result was made of, relative to the root. */
export const inputsOf = ({ metafile }) =>
  Object.keys(metafile.inputs)
    .flatMap((path) => embeddedInputs.get(path) ?? path)
    .filter((path) => !path.startsWith('<'))

// As a module with one export: esbuild's own loader makes them arrays, each byte of which import() would copy as a property.
const embeddedBytes = {
  name: 'embedded-bytes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.(ttf|wasm)$/ }, ({ path }) => ({
      contents: `export default Buffer.from('${readFileSync(path, 'base64')}', 'base64')`,
      loader: 'js',
    })),
}

// `import('./x.worker?text')` gives x.worker.ts, bundled, as text for a thread; `./x.browser?text` the same for a page.
const BROWSER = { platform: 'browser', format: 'iife', target: 'es2022', inject: [], define: {} }
const workerText = {
  name: 'worker-text',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.(worker|browser)\?text$/ }, ({ path, resolveDir }) => ({
      path: relative(ROOT, join(resolveDir, path.replace(/\?text$/, '.ts'))),
      namespace: 'worker-text',
    }))
    onLoad({ filter: /./, namespace: 'worker-text' }, async ({ path }) => {
      const target = path.endsWith('.browser.ts') ? BROWSER : {}
      const options = { ...SHARED, ...target, plugins: [embeddedBytes], sourcemap: false, minify: true, outfile: `${path}.cjs` }
      const { outputFiles, metafile } = await bundle({ ...options, entryPoints: [path] })
      embeddedInputs.set(`worker-text:${path}`, Object.keys(metafile.inputs))
      return { contents: outputFiles[0].text, loader: 'text' }
    })
  },
}

// `import('./x.script?packed')` gives an ELIZA script as our own parser has read it.
const ELIZA_SOURCES = `${ROOT}/packages/plumb-agent/src/provider/eliza`
const packedScripts = {
  name: 'packed-scripts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.script\?packed$/ }, ({ path, resolveDir }) => ({
      path: relative(ROOT, join(resolveDir, path.replace(/\?packed$/, ''))),
      namespace: 'packed-script',
    }))
    onLoad({ filter: /./, namespace: 'packed-script' }, async ({ path }) => {
      const exported = "export { packScript } from './packed-script.ts'; export { loadScript } from './script.ts'"
      const stdin = { contents: exported, resolveDir: ELIZA_SOURCES }
      const { outputFiles, metafile } = await bundle({ ...SHARED, plugins: [embeddedBytes], sourcemap: false, stdin, outfile: 'pack.cjs' })
      const reader = { exports: {} }
      new Function('require', 'module', 'exports', outputFiles[0].text)(createRequire(import.meta.url), reader, reader.exports)
      const { loadScript, packScript } = reader.exports
      const script = loadScript(readFileSync(`${ROOT}/${path}`, 'utf8'), path)
      if (!script.ok) throw new Error(script.error.detail)
      embeddedInputs.set(`packed-script:${path}`, [path, ...Object.keys(metafile.inputs)])
      return { contents: packScript(script.value), loader: 'text' }
    })
  },
}

export const EMBEDS = [embeddedBytes, workerText, packedScripts]
