// The modules that come with the language, by the name that `use` takes.

import mem from './mem.plumb'

export const STANDARD_LIBRARY: Readonly<Record<string, string>> = { mem }
