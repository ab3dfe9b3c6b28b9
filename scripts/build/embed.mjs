// esbuild plugins that embed what is not a module: bytes, the text of other programs, and prepared tables.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { ROOT } from '../command.mjs'
import { bundle, SHARED } from './bundle.mjs'
import { itemsOf } from './page-items.mjs'

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
      const options = { ...SHARED, ...target, plugins: [embeddedBytes, priceTable], sourcemap: false, minify: true, outfile: `${path}.cjs` }
      const { outputFiles, metafile } = await bundle({ ...options, entryPoints: [path] })
      embeddedInputs.set(`worker-text:${path}`, Object.keys(metafile.inputs))
      return { contents: outputFiles[0].text, loader: 'text' }
    })
  },
}

// `import('./x.json?prices')` gives what the providers that the file lists ask for their models, by the table of a library: of each model what
// names it, what fits into it and what tokens cost; a quarter of the library, and none of its arithmetic, which is in floats.
const LIBRARY = '@pydantic/genai-prices'
// When it was published: to be changed with its version.
const PRICES_OF = { version: '0.1.8', date: '2026-09-23' }
// `import('./x.json?source')`: --version prints it without the table, whose text takes longer to load than Node to start.
const PRICES_SOURCE = `${LIBRARY} ${PRICES_OF.version} of ${PRICES_OF.date}`
const TOKENS = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok', 'input_audio_mtok']
const priceTable = {
  name: 'price-table',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.json\?prices$/ }, ({ path, resolveDir }) => ({
      path: relative(ROOT, join(resolveDir, path.replace(/\?prices$/, ''))),
      namespace: 'price-table',
    }))
    onResolve({ filter: /\.json\?source$/ }, () => ({ path: 'source', namespace: 'price-source' }))
    onLoad({ filter: /./, namespace: 'price-source' }, ({ path }) => {
      embeddedInputs.set(`price-source:${path}`, [])
      return { contents: PRICES_SOURCE, loader: 'text' }
    })
    onLoad({ filter: /./, namespace: 'price-table' }, async ({ path }) => {
      const { findProvider } = await import('@pydantic/genai-prices')
      const file = createRequire(import.meta.url).resolve(LIBRARY)
      embeddedInputs.set(`price-table:${path}`, [path, relative(ROOT, file)])
      const { version } = JSON.parse(readFileSync(join(file, '../../package.json'), 'utf8'))
      if (version !== PRICES_OF.version) throw new Error(`PRICES_OF is of ${PRICES_OF.version}, and ${LIBRARY} is ${version}`)
      const ids = JSON.parse(readFileSync(`${ROOT}/${path}`, 'utf8'))
      const providers = Object.fromEntries(ids.map((id) => [id, findProvider({ providerId: id }).models.flatMap(pricedModel)]))
      return { contents: JSON.stringify(providers), loader: 'json' }
    })
  },
}

const pricedModel = ({ match, context_window: window, prices }) => {
  const list = (Array.isArray(prices) ? prices : [{ prices }]).map(({ constraint, prices: all }) => ({
    ...(constraint ? { constraint } : {}),
    prices: Object.fromEntries(TOKENS.filter((kind) => all[kind] !== undefined).map((kind) => [kind, all[kind]])),
  }))
  const isByToken = list.every(({ prices: all }) => 'input_mtok' in all && 'output_mtok' in all)
  return isByToken ? [{ match, ...(window ? { window } : {}), prices: list }] : []
}

// `import('./x.1?keys')` gives what a manual page says of each key, for editors.
const pageKeys = {
  name: 'page-keys',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.\d\?keys$/ }, ({ path, resolveDir }) => ({
      path: relative(ROOT, join(resolveDir, path.replace(/\?keys$/, ''))),
      namespace: 'page-keys',
    }))
    onLoad({ filter: /./, namespace: 'page-keys' }, ({ path }) => {
      embeddedInputs.set(`page-keys:${path}`, [path])
      return { contents: JSON.stringify(itemsOf(readFileSync(`${ROOT}/${path}`, 'utf8'))), loader: 'json' }
    })
  },
}

export const EMBEDS = [embeddedBytes, workerText, priceTable, pageKeys]
