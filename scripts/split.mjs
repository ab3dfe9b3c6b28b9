// Divides what an executable is made of into bundles: what it starts with, and each `import()` of a module of ours.
//
// esbuild divides modules into chunks so that none is there twice, but many, and as ECMAScript modules only. Its chunks are made into
// few CommonJS bundles here: main has all that it imports, a late bundle all that only its import() reaches, and `shared` what several
// late ones reach. What one wants of another it requires as BUNDLE#CHUNK, which bin/NAME knows how to read.

import { basename, join } from 'node:path'

/**
 * Resolves to { outputFiles, metafile } as esbuild's build does; `make` is that. `divided` are its options for the modules, with
 * `entryPoints.main`, and `linked` those for the bundles, which are OUTDIR/NAME.bundle.cjs; `outdir` is absolute.
 */
export const splitBundles = async (make, divided, linked, outdir) => {
  const { outputFiles, metafile } = await make({
    ...divided,
    outdir,
    format: 'esm',
    supported: {},
    splitting: true,
    chunkNames: 'chunk_[hash]',
    outExtension: {},
    sourcemap: 'inline',
  })
  const chunks = readChunks(metafile.outputs)
  const bundles = assign(chunks, basename(join(outdir, '..')))
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const { outputFiles: files } = await make({
    ...linked,
    entryPoints: Object.fromEntries([...new Set(bundles.values())].map((name) => [`${name}.bundle`, `bundle:${name}`])),
    outdir,
    minifyWhitespace: true,
    plugins: [link(chunks, bundles, texts, outdir)],
  })
  return { outputFiles: files, metafile }
}

// By name: what it imports, now and late, what it exports, and of which module it was made where that is the target of an import().
const readChunks = (outputs) => {
  const chunks = new Map()
  for (const [path, { imports, exports, entryPoint }] of Object.entries(outputs)) {
    const to = (kind) => imports.filter((one) => !one.external && one.kind === kind).map((one) => basename(one.path))
    chunks.set(basename(path), { now: to('import-statement'), late: to('dynamic-import'), exports, entryPoint })
  }
  return chunks
}

// The bundle of each chunk.
const assign = (chunks, executable) => {
  const bundles = new Map()
  const reach = (from, kinds, seen = new Set()) => {
    if (seen.has(from) || bundles.get(from) === 'main') return seen
    seen.add(from)
    for (const kind of kinds) for (const to of chunks.get(from)[kind]) reach(to, kinds, seen)
    return seen
  }
  for (const chunk of reach('main.js', ['now'])) bundles.set(chunk, 'main')
  const entries = new Set([...bundles.keys()].flatMap((chunk) => chunks.get(chunk).late).filter((chunk) => !bundles.has(chunk)))
  const named = new Set(['shared'])
  for (const entry of entries) {
    const bundle = nameOf(chunks.get(entry).entryPoint, executable)
    if (named.has(bundle)) throw new Error(`two late bundles are called ${bundle}`)
    named.add(bundle)
    for (const chunk of reach(entry, ['now', 'late'])) bundles.set(chunk, bundles.has(chunk) ? 'shared' : bundle)
  }
  return bundles
}

// Of packages/plumb/src/view/page.ts view-page, and of what another package has, the name of that before it.
const nameOf = (module, executable) => {
  const [, name, path] = /^packages\/([^/]+)\/src\/(.*?)(?:\/?index)?\.ts$/.exec(module)
  return [...(name === executable ? [] : [name]), ...path.split('/')].filter(Boolean).join('-')
}

const link = (chunks, bundles, texts, outdir) => ({
  name: 'link',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^bundle:/ }, ({ path }) => ({ path: path.slice('bundle:'.length), namespace: 'bundle' }))
    onResolve({ filter: /./ }, ({ path, importer, namespace }) => {
      const chunk = basename(path)
      if (!path.startsWith('./') || !bundles.has(chunk)) return { path, external: true }
      const from = namespace === 'bundle' ? importer : bundles.get(basename(importer))
      const to = bundles.get(chunk)
      if (from === to) return { path: join(outdir, chunk) }
      return { path: `./${to}#${exportName(chunk)}`, external: true }
    })
    onLoad({ filter: /./, namespace: 'bundle' }, ({ path: bundle }) => ({
      contents: [...(bundle === 'main' ? ["import './main.js'"] : []), ...partsOf(wanted(chunks, bundles, bundle), chunks)].join('\n'),
      resolveDir: outdir,
    }))
    onLoad({ filter: /./ }, ({ path }) => ({ contents: texts.get(basename(path)), resolveDir: outdir }))
  },
})

// As a function, and the exports of a chunk as an object that it makes: most starts want none of them. It is a declaration, so it is there
// before the rest of the bundle has run.
const partsOf = (names, chunks) => {
  const exportsOf = (name) => chunks.get(name).exports.map((key) => [key, `${exportName(name)}_${key}`])
  const part = (name) => `${exportName(name)}: { ${exportsOf(name).map(([key, local]) => `get ${key}() { return ${local} }`)} }`
  return [
    ...names.map((name) => `import { ${exportsOf(name).map(([key, local]) => `${key} as ${local}`)} } from './${name}'`),
    `export function parts() { return { ${names.map(part)} } }`,
  ]
}

// The chunks that other bundles import of this one.
const wanted = (chunks, bundles, bundle) => {
  const from = [...chunks].filter(([name]) => bundles.get(name) !== bundle).flatMap(([, { now, late }]) => [...now, ...late])
  return [...new Set(from)].filter((name) => bundles.get(name) === bundle).sort()
}

const exportName = (chunk) => basename(chunk, '.js').replace(/\W/g, '_')
