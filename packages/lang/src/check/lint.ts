// Warnings: unconventional capitals, unused bindings. They change no exit status.

import { type Report, warning } from '../diagnostic/diagnostic.js'
import { type Bound, resolveName, type Scope } from '../names/names.js'
import type { Name, TestDeclaration, Value } from '../parse/ast.js'
import { PRIMITIVES } from '../parse/type.js'
import { nameIn } from './config.js'
import type { PartsOf } from './parts.js'

/** Types and modules start upper-case, bindings lower-case (plumbing(5), LEXICAL STRUCTURE). */
export const checkCapitals = (scope: Scope, report: Report): void => {
  for (const item of scope.module.program.items) {
    if ((item.kind === 'type' || item.kind === 'protocol') && /^[a-z]/.test(item.name.text) && !PRIMITIVES.has(item.name.text))
      odd(item.kind, 'upper', item.name, report)
    if (item.kind === 'param' && /^[A-Z]/.test(item.name.text)) odd('param', 'lower', item.name, report)
    if (item.kind === 'binding' && /^[A-Z]/.test(item.name.text)) odd('binding', 'lower', item.name, report)
    if (item.kind === 'use' && item.as && /^[a-z]/.test(item.as.text)) odd('module', 'upper', item.as, report)
  }
}

const odd = (what: string, wanted: 'upper' | 'lower', { text, span }: Name, report: Report): void => {
  const first = text.charAt(0)
  const better = (wanted === 'upper' ? first.toUpperCase() : first.toLowerCase()) + text.slice(1)
  const message = `${what} '${text}' starts with ${wanted === 'upper' ? 'a small letter' : 'a capital'}`
  report(warning('odd_capital', message, span, `'${better}' is the custom`))
}

/** Only in a file with a `main`: a library exports every binding. Tools under `@tool` count as used, and so does a binding with a test. */
export const checkUnused = (scope: Scope, partsOf: PartsOf, report: Report): void => {
  const main = scope.bindings.get('main')
  if (!main) return
  const forOthers = [...scope.bindings.values()].filter((b) => b.binding.annotations.some((a) => a.name.text === 'tool'))
  const tested = scope.module.program.items.flatMap((item) => (item.kind === 'test' ? boundsOfTest(item, scope) : []))
  const used = new Set([main, ...forOthers, ...tested])
  // A set iterates over members that are added meanwhile.
  for (const bound of used) for (const next of [...partsOf(bound), ...namedInConfig(bound)]) used.add(next)
  for (const bound of scope.bindings.values()) {
    if (!used.has(bound)) report(warning('unused_binding', `'${bound.name}' is never used`, bound.binding.name.span))
  }
}

/** The subject of the test, and its judges. */
const boundsOfTest = ({ of, config }: TestDeclaration, scope: Scope): Bound[] => {
  const judge = config.entries.find(({ key }) => key.text === 'judge')?.value
  const judges = judge?.kind === 'list' ? judge.items : judge ? [judge] : []
  const names = judges.flatMap((one) => (one.kind === 'name' || one.kind === 'value' ? (nameIn(one) ?? []) : []))
  return [of, ...names].flatMap((name) => resolveName(name, scope) ?? [])
}

const namedInConfig = ({ binding: { impl }, scope }: Bound): Bound[] => {
  if (impl.kind !== 'agent' && impl.kind !== 'tool' && impl.kind !== 'object') return []
  const words = wordsIn(impl.kind === 'object' ? impl : impl.config)
  return words.flatMap((w) => scope.bindings.get(w) ?? [])
}

const wordsIn = (value: Value): string[] => {
  if (value.kind === 'name') return value.name.module ? [] : [value.name.name.text]
  if (value.kind === 'list') return value.items.flatMap(wordsIn)
  if (value.kind === 'object') return value.entries.flatMap((e) => wordsIn(e.value))
  return value.kind === 'value' && typeof value.value === 'string' ? [value.value] : []
}
