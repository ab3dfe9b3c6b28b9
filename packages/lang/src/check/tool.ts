// tool { … }: one source, its keys, and for a lowered process the totality table and equal types (language.md, Totality).

import type { Chain, QualifiedName, ToolImplementation } from '../ast.js'
import type { Report } from '../diagnostic.js'
import { type Bound, findBinding, type Scope, shown } from '../names.js'
import type { Span } from '../source.js'
import { isEqual } from '../types/equal.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import { type KeyTable, readConfig } from './config.js'
import { memberOf } from './member.js'
import { ANYTHING, NAME, NAMES, numberIn, OBJECT, oneOf, STRINGS, TEXT, wholeFrom } from './rules.js'

const SOURCES = ['process', 'mcp', 'command', 'function', 'builtin', 'agent', 'pool', 'handoff', 'mock', 'spy', 'flaky', 'failing'] as const
const EFFECTS = ['fs.read', 'fs.write', 'net', 'net.private', 'exec', 'model'] as const
const ERROR_CATEGORIES = ['config', 'invalid', 'not_found', 'denied', 'internal', 'unavailable'] as const
const FOREVER = Number.POSITIVE_INFINITY

export const TOOL_KEYS: KeyTable = {
  process: NAME,
  mcp: { ...ANYTHING, isNames: true },
  name: TEXT,
  command: TEXT,
  function: TEXT,
  builtin: TEXT,
  roots: OBJECT,
  agent: TEXT,
  pool: NAMES,
  by: oneOf('round-robin', 'least-busy'),
  handoff: NAMES,
  on: STRINGS,
  mock: ANYTHING,
  spy: NAME,
  record: TEXT,
  flaky: NAME,
  rate: numberIn(0, 1),
  seed: wholeFrom(0),
  failing: oneOf(...ERROR_CATEGORIES),
  description: TEXT,
  timeout: numberIn(0, FOREVER),
  retry: wholeFrom(1),
  breaker: OBJECT,
  cache: numberIn(0, FOREVER),
  effects: { fits: (v) => (Array.isArray(v) && v.every((e) => (EFFECTS as readonly unknown[]).includes(e)) ? undefined : `a list of ${EFFECTS.join(', ')}`) },
  approval: oneOf('ask'),
  sandbox: OBJECT,
  max_output: wholeFrom(0),
}

export const checkTool = (bound: Bound, impl: ToolImplementation, report: Report): void => {
  const config = readConfig('a tool', impl.config, TOOL_KEYS, bound.scope, report)
  const sources = SOURCES.filter((s) => impl.config.entries.some((e) => e.key.text === s))
  if (sources.length !== 1) {
    const message = sources.length === 0 ? `tool '${bound.name}' has no source` : `tool '${bound.name}' has several sources: ${sources.join(', ')}`
    report({ severity: 'error', code: 'config_invalid', message, span: bound.binding.name.span, help: `give it one of ${SOURCES.join(', ')}` })
    return
  }
  const process = config.get('process')
  if (process) lower(bound, process.names[0] ?? fromString(String(process.value), process.valueSpan), report)
}

const fromString = (text: string, span: Span): QualifiedName => {
  const [first = '', second] = text.split('.')
  return second === undefined ? { name: { text: first, span }, span } : { module: { text: first, span }, name: { text: second, span }, span }
}

const STRUCTURAL: ReadonlySet<string> = new Set(['id', 'copy', 'discard', 'map', 'merge', 'empty', 'barrier', 'filter', 'project'])

const lower = (tool: Bound, name: QualifiedName, report: Report): void => {
  const notTotal = (word: string) =>
    report({ severity: 'error', code: 'lower_not_total', message: `cannot lower ${word} to a tool (not total)`, span: name.span, help: 'a tool gives exactly one result for each input' })
  if (!name.module && STRUCTURAL.has(name.name.text)) {
    if (NOT_TOTAL.has(name.name.text)) notTotal(name.name.text)
    else if (name.name.text === 'id') sameType('input and output', tool.inputs[0], tool.outputs[0], tool, name, report)
    return
  }
  const process = findBinding(name, tool.scope, report, (b) => b.category === 'stream')
  if (process === 'unknown' || process.category === 'unknown') return
  if (process.category !== 'stream') {
    report({ severity: 'error', code: 'not_a_process', message: `'${shown(name)}' is no stream process`, span: name.span, help: "'process' names an agent, a plumb or a chain of stream morphisms" })
    return
  }
  const word = notTotalIn(process, new Set())
  if (word !== undefined) return notTotal(word)
  const { impl } = process.binding
  if (impl.kind !== 'agent' && (process.inputs.length !== 1 || process.outputs.length !== 1)) {
    report({ severity: 'error', code: 'arity_mismatch', message: `'${shown(name)}' has several ports and cannot be lowered`, span: name.span, help: 'a tool has one input and one output' })
    return
  }
  sameType('input', process.inputs[0], tool.inputs[0], tool, name, report)
  sameType('output', process.outputs[0], tool.outputs[0], tool, name, report)
}

const sameType = (side: string, of: Type | undefined, own: Type | undefined, tool: Bound, name: QualifiedName, report: Report): void => {
  if (!of || !own || isEqual(of, own)) return
  const message = `the ${side} of '${shown(name)}' is '${printType(of)}', that of tool '${tool.name}' is '${printType(own)}': they must be equal`
  report({ severity: 'error', code: 'type_mismatch', message, span: name.span })
}

const NOT_TOTAL: ReadonlySet<string> = new Set(['filter', 'merge', 'barrier', 'project', 'empty'])

/** The first morphism that is not total, looked for through chains of chains; agents and plumbs answer for themselves. */
const notTotalIn = (process: Bound, seen: Set<Bound>): string | undefined => {
  const { impl } = process.binding
  if (seen.has(process) || impl.kind === 'agent' || impl.kind === 'tool' || impl.kind === 'plumb' || impl.kind === 'object') return undefined
  seen.add(process)
  return inChain(impl, process.scope, seen)
}

const inChain = (chain: Chain, scope: Scope, seen: Set<Bound>): string | undefined => {
  switch (chain.kind) {
    case 'sequence':
    case 'tensor':
    case 'choice':
      for (const item of chain.items) {
        const word = inChain(item, scope, seen)
        if (word !== undefined) return word
      }
      return undefined
    case 'field': {
      const member = memberOf(chain, scope)
      return member ? inChain(member, scope, seen) : inChain(chain.of, scope, seen)
    }
    case 'reference': {
      const bound = findBinding(chain.name, scope, () => {})
      return bound === 'unknown' ? undefined : notTotalIn(bound, seen)
    }
    default:
      return NOT_TOTAL.has(chain.kind) ? chain.kind : undefined
  }
}
