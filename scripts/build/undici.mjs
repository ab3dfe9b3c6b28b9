// An esbuild plugin: what undici loads at its start and seldom uses is loaded late, and its parser of HTTP/1 is compiled by V8's baseline
// compiler alone.

import { readFileSync } from 'node:fs'
import { ROOT } from '../command.mjs'

const here = (file) => `${ROOT}/scripts/build/${file}`

/** In files of undici/lib/dispatcher: a text, what takes its place. */
const CHANGES = {
  'client.js': [
    // It is for `allowH2` alone, and loads node:http2: 7 ms of processor time.
    "const connectH2 = require('./client-h2.js')",
    "const connectH2 = (client, socket) => require('./client-h2.js')(client, socket)",
  ],
  'client-h1.js': ['new WebAssembly.Module(', `require(${JSON.stringify(here('baseline-module.mjs'))}).compileBaseline(`],
}

/** Throws when undici has another text: then this plugin, or what it is for, has to be looked at again. */
export const lateUndici = {
  name: 'late-undici',
  setup: ({ onLoad, onResolve }) => {
    onLoad({ filter: /\/undici\/lib\/dispatcher\/client(-h1)?\.js$/ }, ({ path }) => {
      const [text, other] = CHANGES[path.slice(path.lastIndexOf('/') + 1)]
      const contents = readFileSync(path, 'utf8')
      if (!contents.includes(text)) throw new Error(`cannot bundle: ${path} has no '${text}'`)
      return { contents: contents.replaceAll(text, other), loader: 'js' }
    })
    onResolve({ filter: /^node:assert$/ }, ({ importer }) =>
      importer.includes('/undici/lib/') ? { path: here('late-assert.cjs') } : undefined,
    )
  },
}
