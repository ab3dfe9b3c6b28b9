// An esbuild plugin: undici loads HTTP/2 late, and its parser of HTTP/1 is compiled by V8's baseline compiler alone.

import { readFileSync } from 'node:fs'
import { ROOT } from '../command.mjs'

/** By file of undici/lib/dispatcher: a text, and what takes its place. */
const CHANGES = {
  'client.js': [
    // It is for `allowH2` alone, and loads node:http2: 6 ms.
    "const connectH2 = require('./client-h2.js')",
    "const connectH2 = (client, socket) => require('./client-h2.js')(client, socket)",
  ],
  'client-h1.js': ['new WebAssembly.Module(', `require(${JSON.stringify(`${ROOT}/scripts/build/baseline-module.mjs`)}).compileBaseline(`],
}

/** Throws when undici has another text: then this plugin, or what it is for, has to be looked at again. */
export const undiciChanges = {
  name: 'undici-changes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/undici\/lib\/dispatcher\/client(-h1)?\.js$/ }, ({ path }) => {
      const [text, other] = CHANGES[path.slice(path.lastIndexOf('/') + 1)]
      const contents = readFileSync(path, 'utf8')
      if (!contents.includes(text)) throw new Error(`cannot bundle: ${path} has no '${text}'`)
      return { contents: contents.replaceAll(text, other), loader: 'js' }
    }),
}
