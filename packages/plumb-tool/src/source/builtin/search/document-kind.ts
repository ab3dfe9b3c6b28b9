// The two kinds of index: Markdown documents and source code.

import { headOf } from '../../../call/cut-text.js'
import { type Chunk, chunkLines, HEADING_SEPARATOR, isBlankLine, type LineBlock, packBlocks } from './chunk.js'
import { chunkMarkdown } from './chunk-markdown.js'
import { significantTerms, termsOf } from './terms.js'

// Lines that close a declaration, or comment on one.
const NO_DECLARATION = /^(\s|[})\]>;#@*/]|--|\(\*|"""|'''|end\b|begin\b|import\b|from\b|using\b|use\b|open\b|package\b|include\b)/

const MAX_HEADING = 120

export const chunkCode = (text: string): Chunk[] => {
  const lines = chunkLines(text)
  const blocks: LineBlock[] = []
  let start = 0
  let heading = ''
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1]
    if (heading === '' && !isBlankLine(line) && !NO_DECLARATION.test(line)) heading = headOf(line.trim(), MAX_HEADING)
    if (next !== undefined && !(isBlankLine(line) && !isBlankLine(next))) continue
    // A long declaration is also split at blank lines inside it; each part keeps its name.
    blocks.push({ start, end: at + 1, heading, isStart: false })
    start = at + 1
    if (next !== undefined && !/^\s/.test(next)) heading = ''
  }
  return packBlocks(lines, blocks)
}

export interface DocumentKind {
  /** Directory of the indexes, below the root. */
  readonly directory: string
  readonly fits: (path: string) => boolean
  readonly chunk: (text: string) => Chunk[]
  /** The tool that makes such an index. */
  readonly indexer: string
  readonly what: string
  /** For messages, as in `.md, .markdown`. */
  readonly endings: string
  /** The FTS5 tokenizer: English stemming for prose, none for identifiers. */
  readonly tokenizer: 'porter ascii' | 'ascii'
  /** The terms of a text, in order. */
  readonly words: (text: string) => readonly string[]
  /** The terms of a query or title without stop words. */
  readonly significantTerms: (text: string) => readonly string[]
  /** A chunk as results show it, with its headings. */
  readonly show: (heading: string, text: string) => string
}

// `read\_file` and `read&#95;file` are read_file.
const withoutEscapes = (text: string): string =>
  text
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&nbsp;|&#(\d{2,4});/g, (_, code) => (code === undefined ? ' ' : String.fromCharCode(code)))

// The chunk may begin with its own heading.
const withHeadings = (heading: string, text: string): string => {
  const all = heading.split(HEADING_SEPARATOR)
  const first = text.slice(0, text.indexOf('\n')).replace(/^[# ]+/, '')
  const missing = first.startsWith(all.at(-1) ?? '') ? all.slice(0, -1) : all
  return [missing.join(HEADING_SEPARATOR), text].filter((part) => part !== '').join('\n\n')
}

const MARKDOWN_ENDINGS = ['md', 'markdown', 'mdown', 'mkd', 'mdx']

export const MARKDOWN: DocumentKind = {
  directory: '.md_index',
  fits: (path) => MARKDOWN_ENDINGS.some((ending) => path.toLowerCase().endsWith(`.${ending}`)),
  chunk: chunkMarkdown,
  indexer: 'index_markdown_docs',
  what: 'Markdown files',
  endings: MARKDOWN_ENDINGS.map((ending) => `.${ending}`).join(', '),
  tokenizer: 'porter ascii',
  words: (text) => termsOf(withoutEscapes(text)),
  significantTerms: (text) => significantTerms(termsOf(withoutEscapes(text))),
  show: withHeadings,
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

export const CODE: DocumentKind = {
  directory: '.code_index',
  fits: (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
    return NAMES.has(name) || (name.includes('.') && EXTENSIONS.has(name.slice(name.lastIndexOf('.') + 1)))
  },
  chunk: chunkCode,
  indexer: 'index_code',
  what: 'source files',
  endings: `those of programs, such as .ts, .py, .go, .rs, .java and ${LANGUAGES.length - 5} others`,
  tokenizer: 'ascii',
  words: termsOf,
  significantTerms: termsOf,
  show: (_, text) => text,
}
