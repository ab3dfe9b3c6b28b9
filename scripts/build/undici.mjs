// An esbuild plugin: undici's parser of HTTP/1 is compiled by V8's baseline compiler alone.

import { readFileSync } from 'node:fs'
import { ROOT } from '../command.mjs'

const COMPILED = 'new WebAssembly.Module('

/** Throws when undici compiles its parser in another way: then this plugin, or what it is for, has to be looked at again. */
export const baselineParser = {
  name: 'baseline-parser',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/undici\/lib\/dispatcher\/client-h1\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(COMPILED)) throw new Error(`cannot bundle: ${path} has no '${COMPILED}'`)
      const replaced = `require(${JSON.stringify(`${ROOT}/scripts/build/baseline-module.mjs`)}).compileBaseline(`
      return { contents: text.replaceAll(COMPILED, replaced), loader: 'js' }
    }),
}
