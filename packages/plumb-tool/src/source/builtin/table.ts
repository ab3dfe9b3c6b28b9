// The built-in tools by name. A new one is a file of its own, a line here, and its declaration in builtins.plumb.

import { fault, nearest, preview, type Result, succeed } from '@plumb/wire'
import { applyPatch } from './apply-patch/apply-patch.js'
import type { Builtin } from './builtin.js'
import { appendToFile } from './file/append-to-file.js'
import { deleteFile } from './file/delete-file.js'
import { findAndReplace } from './file/find-and-replace.js'
import { glob } from './file/glob.js'
import { grep } from './file/grep.js'
import { importImage } from './file/import-image.js'
import { makeDirectory } from './file/make-directory.js'
import { readDirectory } from './file/read-directory.js'
import { readFile } from './file/read-file.js'
import { writeFile } from './file/write-file.js'
import { metaRefine } from './meta-refine/meta-refine.js'
import { codeSearch, indexCode, indexMarkdownDocs, markdownSearch } from './search/search-tools.js'
import { httpGet } from './web/http-get.js'
import { webpageToMarkdown } from './web/webpage-to-markdown.js'

export const BUILTINS: readonly Builtin[] = [
  applyPatch,
  readFile,
  readDirectory,
  writeFile,
  appendToFile,
  findAndReplace,
  makeDirectory,
  deleteFile,
  grep,
  glob,
  importImage,
  indexMarkdownDocs,
  markdownSearch,
  indexCode,
  codeSearch,
  webpageToMarkdown,
  httpGet,
  metaRefine,
]

/** Names that other systems have built-ins for, and this one has not. */
const REFUSED: Readonly<Record<string, string>> = {
  odoc_search: "search documentation with 'markdown_search', or code with 'code_search'",
  fork: "a fresh conversation is a tool of its own, with 'agent' or 'process'",
}

/** By its own name or another that it goes by. */
export const findBuiltin = (name: string, builtins: readonly Builtin[] = BUILTINS): Result<Builtin> => {
  const found = builtins.find((builtin) => namesOf(builtin).includes(name))
  return found ? succeed(found) : { ok: false, error: fault('config_invalid', whyNot(name, builtins)) }
}

const namesOf = ({ name, aliases }: Builtin): readonly string[] => [name, ...aliases]

const whyNot = (name: string, builtins: readonly Builtin[]): string => {
  if (Object.hasOwn(REFUSED, name)) return `the built-in tool '${name}' is not part of this system; ${REFUSED[name]}`
  const near = nearest(name, builtins.flatMap(namesOf))
  return `no built-in tool is named '${preview(name)}'; ${near === undefined ? "'plumb-tool list' shows them" : `did you mean '${near}'?`}`
}
