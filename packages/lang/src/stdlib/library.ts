// The modules that come with the language, by the name that `use` takes.

import fs from './fs.plumb'
import media from './media.plumb'
import mem from './mem.plumb'
import meta from './meta.plumb'
import search from './search.plumb'
import shell from './shell.plumb'
import web from './web.plumb'

export const STANDARD_LIBRARY: Readonly<Record<string, string>> = { fs, media, mem, meta, search, shell, web }
