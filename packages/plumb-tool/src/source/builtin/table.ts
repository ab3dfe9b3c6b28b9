// The table of built-in tools. A new one is a file, or a part of one, a line here, and a declaration in builtins.plumb.

import { fault, nearest, preview, type Result, succeed } from '@plumb/wire'
import { ALIASES, aliasesOf } from './aliases.js'
import type { Builtin } from './builtin.js'

export interface BuiltinRow {
  readonly name: string
  /** Loads its code at the first call: most processes call one of them, or none. */
  readonly load: () => Promise<Builtin>
}

export const BUILTINS: readonly BuiltinRow[] = [
  { name: 'apply_patch', load: async () => (await import('./apply-patch/apply-patch.js')).applyPatch },
  { name: 'read_file', load: async () => (await import('./file/read-file.js')).readFile },
  { name: 'read_directory', load: async () => (await import('./file/read-directory.js')).readDirectory },
  { name: 'write_file', load: async () => (await import('./file/write-file.js')).writeFile },
  { name: 'append_to_file', load: async () => (await import('./file/write-file.js')).appendToFile },
  { name: 'find_and_replace', load: async () => (await import('./file/find-and-replace.js')).findAndReplace },
  { name: 'make_directory', load: async () => (await import('./file/write-file.js')).makeDirectory },
  { name: 'delete_file', load: async () => (await import('./file/write-file.js')).deleteFile },
  { name: 'grep', load: async () => (await import('./file/grep.js')).grep },
  { name: 'glob', load: async () => (await import('./file/glob.js')).glob },
  { name: 'import_image', load: async () => (await import('./file/read-file.js')).importImage },
  { name: 'index_markdown_docs', load: async () => (await import('./search/index-directory.js')).indexMarkdownDocs },
  { name: 'markdown_search', load: async () => (await import('./search/search-indexes.js')).markdownSearch },
  { name: 'index_code', load: async () => (await import('./search/index-directory.js')).indexCode },
  { name: 'code_search', load: async () => (await import('./search/search-indexes.js')).codeSearch },
  { name: 'webpage_to_markdown', load: async () => (await import('./web/webpage-to-markdown.js')).webpageToMarkdown },
  { name: 'http_get', load: async () => (await import('./web/http-get.js')).httpGet },
  { name: 'meta_refine', load: async () => (await import('./meta-refine/meta-refine.js')).metaRefine },
]

/** Built-in tools of other systems that this one does not have, with their replacement. */
const REFUSED: Readonly<Record<string, string>> = {
  odoc_search: "search documentation with 'markdown_search', or code with 'code_search'",
  fork: "a fresh conversation is a tool of its own, with 'agent' or 'process'",
}

/** Finds a built-in by name or alias. `config_invalid` with a suggestion. */
export const findBuiltin = (name: string, builtins: readonly BuiltinRow[] = BUILTINS): Result<BuiltinRow> => {
  const found = builtins.find((builtin) => namesOf(builtin).includes(name))
  return found ? succeed(found) : { ok: false, error: fault('config_invalid', whyNot(name, builtins)) }
}

/** The name of the built-in with this alias. */
export const aliasedBuiltin = (alias: string): string | undefined => (Object.hasOwn(ALIASES, alias) ? ALIASES[alias] : undefined)

/** Why a built-in of another system is missing; undefined for other names. */
export const whyRefused = (name: string): string | undefined =>
  Object.hasOwn(REFUSED, name) ? `the built-in tool '${name}' is not part of this system; ${REFUSED[name]}` : undefined

const namesOf = ({ name }: BuiltinRow): readonly string[] => [name, ...aliasesOf(name)]

const whyNot = (name: string, builtins: readonly BuiltinRow[]): string => {
  const refused = whyRefused(name)
  if (refused !== undefined) return refused
  const near = nearest(name, builtins.flatMap(namesOf))
  return `no built-in tool is named '${preview(name)}'; ${near === undefined ? "'plumb-tool list' shows them" : `did you mean '${near}'?`}`
}
