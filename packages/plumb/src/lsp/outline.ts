// Answers about whole documents: symbols, folding, inferred types, semantic tokens, and references.

import { foldsIn, hintsIn, type ListedSymbol, referencesAt, symbolsIn, TOKEN_KINDS, tokensIn } from '@plumb/lang/service'
import type * as protocol from 'vscode-languageserver-protocol/node'
import type { Document, Documents } from './documents.js'
import type { DocumentParams, PositionParams } from './params.js'
import { offsetAt, rangeOf } from './position.js'
import type { Workspace } from './workspace.js'

/** Maximum results of one request; an editor shows no more. */
const MAX_SYMBOLS = 1000

export const documentSymbols = (documents: Documents, { textDocument }: DocumentParams): protocol.DocumentSymbol[] | null => {
  const document = documents.get(textDocument.uri)
  return document ? symbolsIn(documents.compiled(document)).map((symbol) => toSymbol(symbol, document)) : null
}

/** Symbols of open documents, and then of the specs in the folders, whose names contain the letters of the query in order, case-insensitively. */
export const workspaceSymbols = (
  documents: Documents,
  workspace: Workspace,
  { query }: { readonly query: string },
): protocol.SymbolInformation[] => {
  const wanted = query.toLowerCase()
  const open = documents.all.map((document) => ({ ...document, symbols: symbolsIn(documents.compiled(document)) }))
  const isOpen = new Set(open.map(({ path }) => path))
  const found = [...open, ...workspace.files((path) => isOpen.has(path))].flatMap(({ uri, text, symbols }) =>
    symbols
      .flatMap((symbol) => [symbol, ...symbol.parts])
      .filter(({ name }) => holdsInOrder(name.toLowerCase(), wanted))
      .map((of) => ({ of, uri, text })),
  )
  return found.slice(0, MAX_SYMBOLS).map(({ of: { name, kind, at }, uri, text }) => ({
    name,
    kind: SYMBOL_KINDS[kind],
    location: { uri, range: rangeOf(text, at) },
  }))
}

const holdsInOrder = (text: string, letters: string): boolean => {
  let at = 0
  for (const letter of text) if (letter === letters[at]) at++
  return at === letters.length
}

const toSymbol = ({ name, kind, span, at, detail, parts }: ListedSymbol, document: Document): protocol.DocumentSymbol => ({
  name,
  kind: SYMBOL_KINDS[kind],
  range: rangeOf(document.text, span),
  selectionRange: rangeOf(document.text, at),
  ...(detail === undefined ? {} : { detail }),
  children: parts.map((part) => toSymbol(part, document)),
})

export const foldingRanges = (documents: Documents, { textDocument }: DocumentParams): protocol.FoldingRange[] | null => {
  const document = documents.get(textDocument.uri)
  if (!document) return null
  return foldsIn(documents.compiled(document)).map(({ span, isComment }) => {
    const { start, end } = rangeOf(document.text, span)
    return { startLine: start.line, endLine: end.line, ...(isComment ? { kind: 'comment' as const } : {}) }
  })
}

export const inlayHints = (
  documents: Documents,
  { textDocument, range }: DocumentParams & { readonly range: protocol.Range },
): protocol.InlayHint[] | null => {
  const document = documents.get(textDocument.uri)
  if (!document) return null
  const [from, to] = [offsetAt(document.text, range.start), offsetAt(document.text, range.end)]
  return hintsIn(documents.compiled(document))
    .filter(({ offset }) => from <= offset && offset <= to)
    .map(({ offset, text }) => ({ position: rangeOf(document.text, { start: offset, end: offset }).start, label: text, kind: TYPE_HINT }))
}

/** Each as five numbers: lines and characters from the one before, length, kind, and 1 for a declaration. */
export const semanticTokens = (documents: Documents, { textDocument }: DocumentParams): protocol.SemanticTokens | null => {
  const document = documents.get(textDocument.uri)
  if (!document) return null
  let last = { line: 0, character: 0 }
  const data = tokensIn(documents.compiled(document)).flatMap(({ span, kind, isDeclaration }) => {
    const { start } = rangeOf(document.text, span)
    const lines = start.line - last.line
    const characters = lines === 0 ? start.character - last.character : start.character
    last = start
    return [lines, characters, span.end - span.start, TOKEN_KINDS.indexOf(kind), isDeclaration ? 1 : 0]
  })
  return { data }
}

export const references = (
  documents: Documents,
  { textDocument, position, context }: PositionParams & { readonly context?: { readonly includeDeclaration?: boolean } },
): protocol.Location[] | null => {
  const document = documents.get(textDocument.uri)
  if (!document) return null
  const others = documents.all.filter((other) => other !== document).map((other) => documents.compiled(other))
  const found = referencesAt(documents.compiled(document), others, offsetAt(document.text, position))
  if (!found) return null
  return found
    .filter(({ isDeclaration }) => !isDeclaration || context?.includeDeclaration !== false)
    .flatMap(({ span }) => {
      const uri = documents.uriOf(span.source.path)
      return uri === undefined ? [] : [{ uri, range: rangeOf(span.source.text, span) }]
    })
}

/** The same name, in the document where the cursor is. */
export const highlights = (documents: Documents, params: PositionParams): protocol.DocumentHighlight[] | null => {
  const found = references(documents, params)
  const document = documents.get(params.textDocument.uri)
  return found === null ? null : found.filter(({ uri }) => uri === document?.uri).map(({ range }) => ({ range }))
}

// The protocol's numbers.
const TYPE_HINT = 1
const SYMBOL_KINDS: Readonly<Record<ListedSymbol['kind'], protocol.SymbolKind>> = {
  module: 2,
  protocol: 11,
  type: 5,
  field: 8,
  process: 12,
  channel: 13,
  value: 13,
  param: 14,
  test: 24,
  tool: 6,
}
