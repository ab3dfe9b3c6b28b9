// Answers requests about a document, with the language service. A position in no open document has the answer null.

import { type Completion, completionsAt, definitionAt, type Edit, format, renameAt, renameableAt, signaturesAt } from '@plumb/lang/service'
import type { Result } from '@plumb/wire'
import type * as protocol from 'vscode-languageserver-protocol/node'
import type { Documents } from './documents.js'
import { wordText } from './hover.js'
import type { DocumentParams, PositionParams } from './params.js'
import { offsetAt, rangeOf } from './position.js'

export const definition = (documents: Documents, { textDocument, position }: PositionParams): protocol.Location | null => {
  const document = documents.get(textDocument.uri)
  const span = document && definitionAt(documents.compiled(document), offsetAt(document.text, position))
  const uri = span && documents.uriOf(span.source.path)
  return span && uri !== undefined ? { uri, range: rangeOf(span.source.text, span) } : null
}

export const completions = (documents: Documents, { textDocument, position }: PositionParams): protocol.CompletionItem[] | null => {
  const document = documents.get(textDocument.uri)
  if (!document) return null
  const offset = offsetAt(document.text, position)
  const { start, items } = completionsAt(document, documents.files(), offset, documents.writtenOf(document).around)
  const range = rangeOf(document.text, { start, end: offset })
  // Editors sort by sortText, so it keeps the order of the service.
  return items.map(({ label, kind, detail, insert }, i) => ({
    label,
    kind: COMPLETION_KINDS[kind],
    sortText: String(i).padStart(4, '0'),
    textEdit: { range, newText: insert ?? label },
    ...(detail === undefined ? {} : { detail }),
  }))
}

export const signatureHelp = (documents: Documents, { textDocument, position }: PositionParams): protocol.SignatureHelp | null => {
  const document = documents.get(textDocument.uri)
  const found = document && signaturesAt(documents.compiled(document), offsetAt(document.text, position))
  if (!found) return null
  const signatures = found.usages.map(({ usage, text, word }) => {
    const said = word === undefined ? undefined : wordText({ kind: 'morphism', word })
    const documentation = said === undefined ? text : { kind: 'markdown' as const, value: said }
    return { label: usage, parameters: parametersOf(usage), ...(documentation === undefined ? {} : { documentation }) }
  })
  // The first signature that has the argument.
  const active = signatures.findIndex(({ parameters }) => found.argument < parameters.length)
  return { signatures, activeSignature: Math.max(0, active), activeParameter: found.argument }
}

// As offsets in the label.
const parametersOf = (usage: string): protocol.ParameterInformation[] => {
  const [whole = '', inner = ''] = /^[^(]*\(([^)]*)\)/.exec(usage) ?? []
  let at = whole.length - inner.length - 1
  return inner.split(',').flatMap((name) => {
    const start = at + (name.length - name.trimStart().length)
    at += name.length + 1
    return name.trim() === '' ? [] : [{ label: [start, start + name.trim().length] as [number, number] }]
  })
}

export const prepareRename = (documents: Documents, { textDocument, position }: PositionParams): Result<protocol.Range | null> => {
  const document = documents.get(textDocument.uri)
  if (!document) return { ok: true, value: null }
  const span = renameableAt(documents.compiled(document), offsetAt(document.text, position))
  return span.ok ? { ok: true, value: rangeOf(document.text, span.value) } : span
}

export const rename = (
  documents: Documents,
  { textDocument, position, newName }: PositionParams & { newName: string },
): Result<protocol.WorkspaceEdit | null> => {
  const document = documents.get(textDocument.uri)
  if (!document) return { ok: true, value: null }
  const others = documents.all.filter((other) => other !== document).map((other) => documents.compiled(other))
  const edits = renameAt(documents.compiled(document), others, documents.files(), offsetAt(document.text, position), newName)
  return edits.ok ? { ok: true, value: { changes: byFile(documents, edits.value) } } : edits
}

/** The whole text in one edit; none if it is formatted already; null if a syntax error prevents formatting. */
export const formatting = (documents: Documents, { textDocument }: DocumentParams): protocol.TextEdit[] | null => {
  const document = documents.get(textDocument.uri)
  const formatted = document && format(document)
  if (!document || !formatted?.ok) return null
  if (formatted.text === document.text) return []
  return [{ range: rangeOf(document.text, { start: 0, end: document.text.length }), newText: formatted.text }]
}

/** Edits in the protocol's form, without those of files that are not on disk. */
export const byFile = (documents: Documents, edits: readonly Edit[]): { [uri: string]: protocol.TextEdit[] } => {
  const changes: { [uri: string]: protocol.TextEdit[] } = {}
  for (const { span, text } of edits) {
    const uri = documents.uriOf(span.source.path)
    if (uri === undefined) continue
    const list = changes[uri] ?? []
    list.push({ range: rangeOf(span.source.text, span), newText: text })
    changes[uri] = list
  }
  return changes
}

// The protocol's numbers.
const COMPLETION_KINDS: Readonly<Record<Completion['kind'], protocol.CompletionItemKind>> = {
  function: 3,
  process: 3,
  tool: 3,
  field: 5,
  channel: 6,
  parameter: 6,
  type: 7,
  module: 9,
  key: 10,
  port: 10,
  value: 12,
  keyword: 14,
  annotation: 14,
}
