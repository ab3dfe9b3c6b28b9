// In bundles: WebAssembly that V8 compiles quickly and never optimises.
//
// undici's parser of HTTP/1 is one large function. V8 begins to optimise it behind the first 10 kB of answers, which takes some 100 ms of
// processor time and 17 MB, and the end of the process waits for it. Nothing is faster afterwards: most of an answer is skipped, not parsed.

import { setFlagsFromString } from 'node:v8'

/** By V8, the number of bytes that a function runs before V8 optimises it, as in `node --v8-options`; the versions in which that was tried. */
const USUAL_BUDGETS = { 11.3: 1_800_000, 12.4: 13_000_000, 13.6: 13_000_000 }
const UNREACHED = 2_000_000_000

/** The same as `new WebAssembly.Module(bytes)`. */
export const compileBaseline = (bytes) => {
  const [version] = /^\d+\.\d+/.exec(process.versions.v8)
  const usual = USUAL_BUDGETS[version]
  if (usual === undefined) return new WebAssembly.Module(bytes)
  setFlagsFromString(`--wasm-tiering-budget=${UNREACHED}`)
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    // Under another value Node refuses the caches of what is loaded later.
    setFlagsFromString(`--wasm-tiering-budget=${usual}`)
  }
}
