// Whether a program uses labels, and so is checked by default; and whether any can begin in it.

import type { Program } from '../compile.js'
import type { Scope } from '../names/names.js'
import type { Item } from '../parse/ast.js'
import { visitEntries, writesLabel } from '../parse/visit.js'
import { STANDARD_LIBRARY } from '../stdlib/library.js'
import { secretParams } from './secret-params.js'

const WORDS = /\b(?:untrusted|secret|endorse|declassify)\b/

/** In the user's own files: the standard library does not count. */
export const writesFlowWords = ({ scopes }: Program): boolean =>
  scopes.some((scope) => {
    const { items, span } = scope.module.program
    return WORDS.test(span.source.text) && !isInLibrary(scope) && (writesLabel(items) || labelsRoots(items))
  })

/** Whether something secret may begin in the file of a binding, or in what it uses: for what keeps words and knows no flows. */
export const mayHoldSecrets = (scope: Scope): boolean => {
  const scopes = new Set<Scope>()
  const add = (one: Scope): void => {
    if (scopes.has(one)) return
    scopes.add(one)
    for (const used of one.modules.values()) add(used)
  }
  add(scope)
  const begins = ({ module: { program } }: Scope): boolean =>
    /\bsecret\b/.test(program.span.source.text) && (writesLabel(program.items) || labelsRoots(program.items))
  return [...scopes].some((one) => !isInLibrary(one) && begins(one)) || secretParams([...scopes]).size > 0
}

export const isInLibrary = ({ module }: Scope): boolean => Object.values(STANDARD_LIBRARY).includes(module.program.span.source.text)

// `roots: { drop: { path: "drop", untrusted: true } }`
const labelsRoots = (items: unknown): boolean => {
  let isFound = false
  visitEntries(items, ({ key, value }) => {
    if ((key.text === 'untrusted' || key.text === 'secret') && value.kind === 'value' && value.value === true) isFound = true
  })
  return isFound
}

/** By a word in a type, by a tool, by a server or a program of an agent, by a param that is a key: elsewhere no label begins. */
export const mayLabel = ({ scopes }: Program): boolean =>
  scopes.some(({ module: { program } }) => LABELS.test(program.span.source.text) || program.items.some(isSource)) ||
  secretParams(scopes).size > 0

const LABELS = /\b(?:untrusted|secret)\b/

const SOURCE_KEYS: ReadonlySet<string> = new Set(['mcp', 'command'])

const isSource = (item: Item): boolean => {
  if (item.kind !== 'binding') return false
  const { impl } = item
  return impl.kind === 'tool' || (impl.kind === 'agent' && impl.config.entries.some(({ key }) => SOURCE_KEYS.has(key.text)))
}
