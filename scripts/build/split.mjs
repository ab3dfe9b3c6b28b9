// Splits an executable into bundles: one that it starts with, and one for each `import()` of a module of ours.
//
// esbuild splits modules into chunks so that none is there twice, but into many, and as ECMAScript modules only. This makes a few CommonJS
// bundles of its chunks: main contains everything that it imports, a late bundle everything that only its import() reaches, and `shared` what
// several late bundles reach; where that is much, what the same ones reach is in a bundle of its own, `shared-2` and so on. A bundle requires a chunk of another as BUNDLE#CHUNK, which bin/NAME resolves.

import { basename, join } from 'node:path'

/**
 * `build` is esbuild's; resolves to { outputFiles, metafile } as it does. `splitOptions` are those for the modules, with `entryPoints.main`,
 * and `linkOptions` those for the bundles, which are OUTDIR/NAME.bundle.cjs; `outdir` is absolute.
 */
export const splitBundles = async (build, splitOptions, linkOptions, outdir) => {
  const { outputFiles, metafile } = await build({
    ...splitOptions,
    outdir,
    format: 'esm',
    supported: {},
    splitting: true,
    chunkNames: 'chunk_[hash]',
    outExtension: {},
    sourcemap: 'inline',
  })
  const chunks = readChunks(metafile.outputs)
  const bundles = assignChunks(chunks, basename(join(outdir, '..')))
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const entryPoints = Object.fromEntries([...new Set(bundles.values())].map((name) => [`${name}.bundle`, `bundle:${name}`]))
  const linked = await build({
    ...linkOptions,
    entryPoints,
    outdir,
    minifyWhitespace: true,
    plugins: [link(chunks, bundles, texts, outdir)],
  })
  return { outputFiles: linked.outputFiles, metafile }
}

// By name: the chunks that it imports, at once and late, its exports, its size, and its module when that is the target of an import().
const readChunks = (outputs) => {
  const chunks = new Map()
  for (const [path, { imports, exports, entryPoint, inputs }] of Object.entries(outputs)) {
    const to = (kind) => imports.filter((one) => !one.external && one.kind === kind).map((one) => basename(one.path))
    const bytes = Object.values(inputs).reduce((sum, { bytesInOutput }) => sum + bytesInOutput, 0)
    chunks.set(basename(path), { now: to('import-statement'), late: to('dynamic-import'), exports, entryPoint, bytes })
  }
  return chunks
}

// By executable, the late module with which most starts go on: its bundle has all that it imports, also what other late bundles reach, and what
// it loads late has bundles of its own.
const USUAL = {
  // Unless a parent has prepared its work.
  'plumb-agent': 'packages/plumb-agent/src/config/compile-agent.ts',
  'plumb-serve': 'packages/plumb-serve/src/main-serve.ts',
}

// Returns the name of the bundle for each chunk.
const assignChunks = (chunks, executable) => {
  const bundles = new Map()
  const reach = (from, kinds, seen = new Set()) => {
    if (seen.has(from) || bundles.has(from)) return seen
    seen.add(from)
    for (const kind of kinds) for (const to of chunks.get(from)[kind]) reach(to, kinds, seen)
    return seen
  }
  for (const chunk of reach('main.js', ['now'])) bundles.set(chunk, 'main')
  const moduleOf = (entry) => chunks.get(entry).entryPoint
  // Sorted, since esbuild lists chunks in another order each time, and two builds are the same.
  const late = () => {
    const all = [...bundles.keys()].flatMap((chunk) => chunks.get(chunk).late).filter((chunk) => !bundles.has(chunk))
    return new Set(all.sort((a, b) => (moduleOf(a) < moduleOf(b) ? -1 : 1)))
  }
  const usual = [...late()].find((entry) => moduleOf(entry) === USUAL[executable])
  if (usual) for (const chunk of reach(usual, ['now'])) bundles.set(chunk, bundleName(moduleOf(usual), executable))
  const users = new Map()
  const named = new Set(['shared', ...bundles.values()])
  for (const entry of late()) {
    const bundle = bundleName(moduleOf(entry), executable)
    if (named.has(bundle)) throw new Error(`two late bundles are called ${bundle}`)
    named.add(bundle)
    for (const chunk of reach(entry, ['now', 'late'])) users.set(chunk, [...(users.get(chunk) ?? []), bundle])
  }
  return new Map([...bundles, ...shareOut(chunks, users, bundles)])
}

/** Bytes. What is less is not worth another bundle, which takes as long to load as so much more of one; least of all names and constants. */
const [LARGE, SMALL] = [20_000, 2000]

// Returns the bundle of each chunk, from the late bundles that use it. `bundles`: of those that have one.
const shareOut = (chunks, users, bundles) => {
  const sizes = new Map()
  for (const [chunk, its] of users) sizes.set(`${its}`, (sizes.get(`${its}`) ?? 0) + chunks.get(chunk).bytes)
  const large = [...sizes]
    .filter(([its, bytes]) => its.includes(',') && bytes >= LARGE)
    .map(([its]) => its)
    .sort()
  // Main begins without another bundle.
  const isSmall = (chunk) => chunks.get(chunk).bytes < SMALL && chunks.get(chunk).now.every((to) => bundles.get(to) === 'main')
  const nameOf = ([chunk, its]) => {
    if (its.length === 1) return its[0]
    if (large.includes(`${its}`)) return `shared-${large.indexOf(`${its}`) + 2}`
    return isSmall(chunk) ? 'main' : 'shared'
  }
  return new Map([...users].map((entry) => [entry[0], nameOf(entry)]))
}

// view-page for packages/plumb/src/view/page.ts; a module of another package has the name of that package in front.
const bundleName = (module, executable) => {
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
      // Last, since it starts the program, which may at once load a bundle that needs parts of this one.
      contents: [...partsOf(exportedChunks(chunks, bundles, bundle), chunks), ...(bundle === 'main' ? ["import './main.js'"] : [])].join(
        '\n',
      ),
      resolveDir: outdir,
    }))
    onLoad({ filter: /./ }, ({ path }) => ({ contents: texts.get(basename(path)), resolveDir: outdir }))
  },
})

// A function that makes an object of the exports of each chunk: most starts need none of them. A declaration, so that it exists before the
// rest of the bundle has run.
const partsOf = (names, chunks) => {
  const exportsOf = (name) => chunks.get(name).exports.map((key) => [key, `${exportName(name)}_${key}`])
  const part = (name) => `${exportName(name)}() { return { ${exportsOf(name).map(([key, local]) => `${key}: ${local}`)} } }`
  return [
    ...names.map((name) => `import { ${exportsOf(name).map(([key, local]) => `${key} as ${local}`)} } from './${name}'`),
    `export function parts() { return { ${names.map(part)} } }`,
  ]
}

// Returns the chunks of this bundle that other bundles import.
const exportedChunks = (chunks, bundles, bundle) => {
  const from = [...chunks].filter(([name]) => bundles.get(name) !== bundle).flatMap(([, { now, late }]) => [...now, ...late])
  return [...new Set(from)].filter((name) => bundles.get(name) === bundle).sort()
}

const exportName = (chunk) => basename(chunk, '.js').replace(/\W/g, '_')
