// The two kinds of index: of documents and of source text.

import type { Chunk } from './chunk.js'
import { chunkCode } from './chunk-code.js'
import { chunkMarkdown } from './chunk-markdown.js'

export interface Kind {
  /** Below the root that is searched. */
  readonly folder: string
  readonly fits: (path: string) => boolean
  readonly chunk: (text: string) => Chunk[]
  /** What makes an index of it, for those who miss one. */
  readonly indexer: string
  readonly what: string
}

export const MARKDOWN: Kind = {
  folder: '.md_index',
  fits: (path) => /\.(md|markdown|mdown|mkd|mdx)$/i.test(path),
  chunk: chunkMarkdown,
  indexer: 'index_markdown_docs',
  what: 'Markdown files',
}

const LANGUAGES = [
  ...['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte', 'astro', 'css', 'scss', 'less', 'html', 'htm'],
  ...['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'm', 'mm', 'cu', 'rs', 'go', 'zig', 'nim', 'd', 'swift', 'dart', 'asm', 's'],
  ...['java', 'kt', 'kts', 'scala', 'groovy', 'gradle', 'clj', 'cljs', 'cljc', 'cs', 'fs', 'fsi', 'fsx', 'vb'],
  ...['ml', 'mli', 'mll', 'mly', 're', 'rei', 'res', 'hs', 'lhs', 'elm', 'purs', 'idr', 'agda', 'lean', 'v', 'sml', 'sig', 'plumb'],
  ...['py', 'pyi', 'pyx', 'rb', 'erb', 'php', 'pl', 'pm', 'lua', 'r', 'jl', 'tcl', 'sh', 'bash', 'zsh', 'fish', 'ps1', 'awk', 'sed'],
  ...['lisp', 'lsp', 'el', 'scm', 'ss', 'rkt', 'ex', 'exs', 'erl', 'hrl', 'f', 'f90', 'f95', 'pas', 'ada', 'adb', 'ads', 'cob', 'pro'],
  ...['sql', 'graphql', 'proto', 'thrift', 'tf', 'hcl', 'nix', 'cmake', 'mk', 'vhd', 'vhdl', 'sv', 'sol', 'wat', 'glsl', 'wgsl'],
]
const EXTENSIONS = new Set(LANGUAGES)
const NAMES = new Set([
  'makefile',
  'gnumakefile',
  'dockerfile',
  'containerfile',
  'cmakelists.txt',
  'rakefile',
  'gemfile',
  'justfile',
  'dune',
])

export const CODE: Kind = {
  folder: '.code_index',
  fits: (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
    return NAMES.has(name) || (name.includes('.') && EXTENSIONS.has(name.slice(name.lastIndexOf('.') + 1)))
  },
  chunk: chunkCode,
  indexer: 'index_code',
  what: 'source files',
}
