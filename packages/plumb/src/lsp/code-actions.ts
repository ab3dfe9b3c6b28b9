// Quick fixes: near names, and tested edits that leave fewer errors.

import { type Compiled, compile, type Diagnostic, errorsOf } from '@plumb/lang'
import { CheckReuse, type Edit, fixesOf, repairsOf } from '@plumb/lang/service'
import type * as protocol from 'vscode-languageserver-protocol/node'
import { byFile } from './answers.js'
import type { Document, Documents } from './documents.js'
import type { DocumentParams } from './params.js'
import { offsetAt } from './position.js'
import { toProtocol } from './publish.js'

/** Editors ask at each move of the cursor: a text of this length is checked in about a tenth of a second. */
const MAX_CHARACTERS = 300_000

export const codeActions = (
  documents: Documents,
  { textDocument, range }: DocumentParams & { range: protocol.Range },
): protocol.CodeAction[] | null => {
  const document = documents.get(textDocument.uri)
  if (!document) return null
  const from = offsetAt(document.text, range.start)
  const to = offsetAt(document.text, range.end)
  const compiled = documents.compiled(document)
  const near = compiled.diagnostics.filter(({ span }) => span.source.path === document.path && span.start <= to && from <= span.end)
  if (near.length === 0) return []
  const repairs = repairsIn(documents, document, compiled)
  return near.flatMap((d) => {
    const named = fixesOf(d).map(({ title, span, text }) => ({ title, edit: { span, text } }))
    const repair = named.length === 0 ? repairs.get(d) : undefined
    const offered = repair ? [{ title: titleOf(repair), edit: repair }] : named
    return offered.map(({ title, edit }) => ({
      title,
      kind: 'quickfix',
      diagnostics: [toProtocol(d, documents)],
      edit: { changes: byFile(documents, [edit]) },
    }))
  })
}

// Computed once for each text.
const known = new WeakMap<Compiled, ReadonlyMap<Diagnostic, Edit>>()

const repairsIn = (documents: Documents, { path }: Document, compiled: Compiled): ReadonlyMap<Diagnostic, Edit> => {
  const found = known.get(compiled)
  if (found) return found
  const reuse = new CheckReuse()
  const recheck = (text: string) => errorsOf(compile({ path, text, files: documents.files(), checksTests: true, reuse }).diagnostics)
  const repairs = repairsOf(compiled.program.entry.module.program.span.source, errorsOf(compiled.diagnostics), recheck, MAX_CHARACTERS)
  known.set(compiled, repairs)
  return repairs
}

const titleOf = ({ span: { source, start, end }, text }: Edit): string => {
  const old = source.text.slice(start, end)
  if (old === '') return `insert '${text.trim()}'`
  return text === '' ? `remove '${old}'` : `change '${old}' to '${text}'`
}
