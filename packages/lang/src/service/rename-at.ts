// Renames a declared thing everywhere. Refused if the program would not mean the same afterwards.

import { type Code, fault } from '@plumb/wire/error'
import type { Result } from '@plumb/wire/result'
import { type Compiled, compile } from '../compile.js'
import { errorsOf } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { Files } from '../names/modules.js'
import { RESERVED } from '../parse/cursor.js'
import { PROTOCOL_WORDS } from '../parse/protocol.js'
import { isPrimitive } from '../parse/type.js'
import { type Edit, edited } from './edit.js'
import { type Occurrence, occurrenceAt } from './occurrences.js'
import { everyOccurrence, sameMeaning, spanKey } from './references-at.js'
import { declarationOf } from './symbol.js'

/** The name under a place, if it is one that can be renamed: of a binding, a type, a channel or a parameter. */
export const renameableAt = ({ program }: Compiled, offset: number): Result<Span> => {
  const occurrence = occurrenceAt(program.entry, offset)
  if (!occurrence) return refuse('unknown_name', 'nothing that can be renamed is here')
  const { kind } = occurrence.meaning
  if (kind === 'port') return refuse('unknown_name', 'the ports of agents and chains are named by the language')
  if (kind === 'module') return refuse('unknown_name', "a module is named by its 'use': change it there")
  const declaration = declarationOf(occurrence.meaning)
  if (declaration?.source.path.startsWith('<stdlib>')) return refuse('unknown_name', 'it belongs to the standard library')
  return { ok: true, value: occurrence.span }
}

/** `others` are the other open programs: names in them that mean the same are renamed too. */
export const renameAt = (compiled: Compiled, others: readonly Compiled[], files: Files, offset: number, name: string): Result<Edit[]> => {
  const place = renameableAt(compiled, offset)
  if (!place.ok) return place
  const occurrence = occurrenceAt(compiled.program.entry, offset) as Occurrence
  const old = textOf(place.value)
  if (name === old) return { ok: true, value: [] }
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return refuse('syntax_error', `'${name}' is not a name: letters, digits and '_', not a digit first`)
  if (RESERVED.has(name)) return refuse('syntax_error', `'${name}' is a reserved word`)
  const { kind } = occurrence.meaning
  if (kind === 'protocol' && PROTOCOL_WORDS.has(name)) return refuse('syntax_error', `'${name}' is a word of protocols`)
  if ((kind === 'type' || kind === 'protocol') && isPrimitive(name)) return refuse('duplicate_name', `'${name}' is a type of the language`)
  const programs = [compiled, ...others]
  const broken = programs.flatMap((c) => c.diagnostics).find((d) => d.code === 'syntax_error')
  if (broken) return refuse('syntax_error', `'${broken.span.source.path}' has a syntax error: names in it might be missed`)
  const edits = sameMeaning(programs, occurrence).map(({ span, isShorthand }) => ({ span, text: isShorthand ? `${old}: ${name}` : name }))
  const changed = programs.map((c) => compile({ ...entryOf(c, edits), files: withEdits(files, edits), checksTests: true }))
  return meansTheSame(programs, changed, edits)
    ? { ok: true, value: edits }
    : refuse('duplicate_name', `'${name}' already means something where '${old}' is used`)
}

const refuse = <T>(code: Code, detail: string): Result<T> => ({ ok: false, error: fault(code, detail) })

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end)

const entryOf = ({ program }: Compiled, edits: readonly Edit[]) => {
  const { path, program: tree } = program.entry.module
  return { path, text: applied(tree.span.source.text, path, edits) }
}

const withEdits = (files: Files, edits: readonly Edit[]): Files => ({
  ...files,
  read: (path) => {
    const read = files.read(path)
    return read.ok ? { ok: true, value: applied(read.value, path, edits) } : read
  },
})

const applied = (text: string, path: string, edits: readonly Edit[]): string =>
  edited(
    text,
    edits.filter((e) => e.span.source.path === path),
  )

// Every name must still refer to the same declaration, and there must be no new errors.
const meansTheSame = (before: readonly Compiled[], after: readonly Compiled[], edits: readonly Edit[]): boolean => {
  const moved = (span: Span): string => {
    const own = edits.filter((e) => e.span.source.path === span.source.path)
    const shift = own.filter((e) => e.span.start < span.start).reduce((sum, e) => sum + e.text.length - (e.span.end - e.span.start), 0)
    // The name that is after the field now.
    const behind = own.find((e) => e.span.start === span.start)?.text.search(/[^ ]*$/) ?? 0
    return spanKey({ ...span, start: span.start + shift + behind })
  }
  const asIs = (span: Span): string => spanKey(span)
  const list = (programs: readonly Compiled[], at: (span: Span) => string) =>
    everyOccurrence(programs).map((o) => {
      const declaration = declarationOf(o.meaning)
      return `${at(o.span)} ${o.meaning.kind} ${declaration ? at(declaration) : ''}`
    })
  const faults = (programs: readonly Compiled[]) => programs.flatMap((c) => errorsOf(c.diagnostics)).length
  return faults(before) === faults(after) && list(before, moved).join('\n') === list(after, asIs).join('\n')
}
