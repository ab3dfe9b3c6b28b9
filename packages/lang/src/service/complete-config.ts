// Inside agent { … } and tool { … }: the keys that are left, and what a key takes.

import { agentKeys } from '../check/agent.js'
import type { KeyRule, KeyTable } from '../check/config.js'
import { COMBINING } from '../check/parts.js'
import { toolKeys } from '../check/tool.js'
import type { Program } from '../compile.js'
import type { Bound } from '../names/names.js'
import type { AgentImplementation, Entry, Node, ObjectValue, ToolImplementation, Value } from '../parse/ast.js'
import { bindingCompletions, type Completion, keywords, moduleCompletions, paramCompletions } from './completion.js'
import { PLACEHOLDER } from './completion-text.js'
import { isOf } from './path-at.js'

export const configCompletions = (path: readonly Node[], program: Program): Completion[] | undefined => {
  if (!path.some(isOf('object'))) return undefined
  if (path.some(isOf('agent')) && path.some(isOf('condition'))) return undefined
  const impl = path.find(isOf('agent', 'tool')) as AgentImplementation | ToolImplementation | undefined
  const entry = impl?.config.entries.find((e) => path.includes(e))
  const table = impl?.kind === 'agent' ? agentKeys() : toolKeys()
  if (path.some(isNewKey)) {
    // Where no table says which keys an object inside may have, they are its users' own.
    const tables = [table, entry && table[entry.key.text]?.inner?.keys]
    const keys = impl && tables[path.filter(isEntry).length - 1]
    return keys ? keysLeft(keys, path.findLast(isOf('object')) as ObjectValue) : []
  }
  const name = path.findLast(isOf('name')) as (Value & { kind: 'name' }) | undefined
  if (!name) return []
  return impl && entry ? ofKey(entry.key.text, table[entry.key.text], name, program) : named(name, program, undefined)
}

const keysLeft = (table: KeyTable, { entries }: ObjectValue): Completion[] => {
  const given = new Set(entries.map((e) => e.key.text))
  return Object.entries(table)
    .filter(([key]) => !given.has(key))
    .map(([key, rule]) => ({ label: key, kind: 'key', detail: expected(rule), insert: `${key}: ` }))
}

const ofKey = (key: string, rule: KeyRule | undefined, name: Value & { kind: 'name' }, program: Program): Completion[] => [
  ...(name.name.module || !rule ? [] : literals(rule)),
  ...named(name, program, rule?.isNames ? key : undefined),
]

// What it takes, asked with a value that no rule takes but one that takes all.
const expected = (rule: KeyRule): string => rule.fits(null) ?? 'any value'

const literals = (rule: KeyRule): Completion[] => {
  const text = expected(rule)
  if (text === 'true or false') return keywords('true', 'false')
  return /^one of /.test(text) ? [...text.matchAll(/"[^"]*"/g)].map(([literal]) => ({ label: literal, kind: 'value' })) : []
}

// Keys that name bindings take tools or processes; elsewhere a name stands for a config value.
const named = ({ name }: Value & { kind: 'name' }, { entry }: Program, key: string | undefined): Completion[] => {
  const scope = name.module ? entry.modules.get(name.module.text) : entry
  const protocols = key === 'protocol' ? [...(scope?.protocols.values() ?? [])].filter(({ use }) => use !== 'processes') : []
  if (protocols.length > 0) return protocols.map((one): Completion => ({ label: one.name, kind: 'type' }))
  const found = scope ? bindingCompletions(scope, (b) => b.category === 'value' || (key !== undefined && isNamedBy(key, b))) : []
  const constants = scope ? paramCompletions(scope) : []
  return name.module ? [...found, ...constants] : [...found, ...constants, ...moduleCompletions(entry)]
}

const isNamedBy = (key: string, { category, isTool }: Bound): boolean => {
  if (key === 'process') return category === 'stream'
  return COMBINING.has(key) ? category === 'base' : isTool
}

const isEntry = (node: Node): boolean => 'key' in node
const isNewKey = (node: Node): boolean => isEntry(node) && (node as Entry).key.text === PLACEHOLDER
