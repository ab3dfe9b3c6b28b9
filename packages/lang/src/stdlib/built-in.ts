// Built-in tools by the names that models know, as the modules of the library name them.

import { STANDARD_LIBRARY } from './library.js'

/** `read_file`: `use fs`, `Fs.read`. Undefined: no module has such a tool. */
export const libraryNameOf = (builtIn: string): { readonly module: string; readonly name: string } | undefined => {
  for (const [module, text] of Object.entries(STANDARD_LIBRARY)) {
    const at = text.indexOf(`tool { builtin: "${builtIn}"`)
    const start = at < 0 ? -1 : text.lastIndexOf('\nlet ', at)
    const name = start < 0 ? undefined : /^\nlet (\w+)/.exec(text.slice(start, start + 80))?.[1]
    if (name !== undefined) return { module, name: `${module.charAt(0).toUpperCase()}${module.slice(1)}.${name}` }
  }
  return undefined
}
