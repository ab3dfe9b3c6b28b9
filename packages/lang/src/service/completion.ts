// One thing that can be written, and the lists that several places share.

import type { Bound, Scope } from '../names/names.js'
import { printPortType, printSignature } from './signature.js'

export interface Completion {
  readonly label: string
  readonly kind:
    | 'keyword'
    | 'type'
    | 'process'
    | 'tool'
    | 'value'
    | 'channel'
    | 'parameter'
    | 'port'
    | 'field'
    | 'function'
    | 'key'
    | 'module'
    | 'annotation'
  /** Its type or usage, on one line. */
  readonly detail?: string
  /** What is written, where that is more than the label. */
  readonly insert?: string
}

export const keywords = (...words: readonly string[]): Completion[] => words.map((label) => ({ label, kind: 'keyword' }))

export const bindingCompletions = (scope: Scope, isWanted: (b: Bound) => boolean): Completion[] =>
  [...scope.bindings.values()]
    .filter(isWanted)
    .map((bound) => ({ label: bound.name, kind: kindOf(bound), detail: printSignature(bound).replace(/^ : /, '') }))

/** Where a type can stand an end of a conversation can, too. */
export const protocolsOf = (scope: Scope | undefined): Completion[] =>
  [...(scope?.protocols.keys() ?? [])].map((label) => ({ label, kind: 'type', detail: 'protocol' }))

/** Constants: a name of theirs is where a value does. */
export const paramCompletions = (scope: Scope): Completion[] =>
  [...scope.params.values()].map(({ name, type }) => ({ label: name, kind: 'value', detail: printPortType(type) }))

export const moduleCompletions = (scope: Scope): Completion[] => [...scope.modules.keys()].map((label) => ({ label, kind: 'module' }))

const kindOf = (bound: Bound): Completion['kind'] => (bound.category === 'value' ? 'value' : bound.isTool ? 'tool' : 'process')
