// The four tools: an indexer and a searcher of documents, the same of source text.

import { indexer } from './index-folder.js'
import { CODE, MARKDOWN } from './kind.js'
import { searcher } from './search-indexes.js'

export const indexMarkdownDocs = indexer('index_markdown_docs', [], MARKDOWN)
export const markdownSearch = searcher('markdown_search', [], MARKDOWN)
export const indexCode = indexer('index_code', ['index_ocaml_code'], CODE)
export const codeSearch = searcher('code_search', ['query_vector_db'], CODE)
