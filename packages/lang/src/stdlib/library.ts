// The modules that come with the language, by the name that `use` takes.

import fs from './fs.plumb'
import media from './media.plumb'
import mem from './mem.plumb'
import meta from './meta.plumb'
import search from './search.plumb'
import shell from './shell.plumb'
import web from './web.plumb'

export const STANDARD_LIBRARY: Readonly<Record<string, string>> = { fs, media, mem, meta, search, shell, web }

/**
 * A built-in tool by the name that models know, as a module of the library names it.
 * `read_file`: `use fs`, `Fs.read`. Undefined: no module has such a tool.
 */
export const libraryNameOf = (builtIn: string): { readonly module: string; readonly name: string } | undefined => {
  for (const [module, text] of Object.entries(STANDARD_LIBRARY)) {
    const at = text.indexOf(`tool { builtin: "${builtIn}"`)
    const start = at < 0 ? -1 : text.lastIndexOf('\nlet ', at)
    const name = start < 0 ? undefined : /^\nlet (\w+)/.exec(text.slice(start, start + 80))?.[1]
    if (name !== undefined) return { module, name: `${module.charAt(0).toUpperCase()}${module.slice(1)}.${name}` }
  }
  return undefined
}
