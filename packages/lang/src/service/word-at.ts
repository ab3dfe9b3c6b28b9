// The keys of agents, tools and tests, the morphisms, and words such as `agent` and `untrusted`: what a manual page explains.

import { agentKeys } from '../check/agent.js'
import { toolKeys } from '../check/tool.js'
import type { Compiled } from '../compile.js'
import type { Span } from '../diagnostic/source.js'
import type { Entry, Node } from '../parse/ast.js'
import { MORPHISMS } from '../parse/morphism.js'
import { isOf, pathAt } from './path-at.js'

export interface LanguageWord {
  readonly kind: 'agent' | 'tool' | 'test' | 'morphism' | 'word'
  readonly word: string
  readonly span: Span
  /** The accepted value, as in an error: `a whole number from 0`. */
  readonly takes?: string
}

/** Keys of objects inside a value are their users' own, or are described at the outer key. */
export const wordAt = ({ program }: Compiled, offset: number): LanguageWord | undefined => {
  const path = pathAt(program.entry.module.program, offset)
  return keyIn(path) ?? morphismIn(path, offset) ?? otherIn(path, offset)
}

const keyIn = (path: readonly Node[]): LanguageWord | undefined => {
  const owner = path.find(isOf('agent', 'tool', 'test'))
  const entries = path.filter((node): node is Entry => 'key' in node && 'value' in node)
  const [entry] = entries
  if (!owner || !entry || entries.length > 1 || path.at(-1) !== entry.key) return undefined
  const { text: word, span } = entry.key
  const rule = owner.kind === 'agent' ? agentKeys()[word] : owner.kind === 'tool' ? toolKeys()[word] : undefined
  // Asked with a value that only an unrestricted rule accepts.
  const takes = rule && (rule.fits(null) ?? 'any value')
  return { kind: owner.kind, word, span, ...(takes === undefined ? {} : { takes }) }
}

const morphismIn = (path: readonly Node[], offset: number): LanguageWord | undefined => {
  const node = path.findLast((n) => isOf(...MORPHISMS, 'each')(n))
  if (!node || !('kind' in node) || typeof node.kind !== 'string') return undefined
  const end = node.span.start + node.kind.length
  return offset > end ? undefined : { kind: 'morphism', word: node.kind, span: { ...node.span, end } }
}

/** Words of the language other than the morphisms, by the kind of node that has them. */
export const WORDS = ['agent', 'tool', 'plumb', 'spawn', 'channel', 'untrusted', 'secret'] as const

const otherIn = (path: readonly Node[], offset: number): LanguageWord | undefined => {
  const node = path.findLast((n) => isOf('agent', 'tool', 'plumb', 'spawn', 'channel', 'labelled')(n))
  if (!node || !('kind' in node)) return undefined
  const word = 'label' in node ? String(node.label) : String(node.kind)
  const { source } = node.span
  // A channel is declared by a `let`, and the word is after its type.
  const start = node.kind === 'channel' ? node.span.end - word.length : node.span.start
  const end = start + word.length
  if (offset < start || end < offset || source.text.slice(start, end) !== word) return undefined
  return { kind: 'word', word, span: { source, start, end } }
}
