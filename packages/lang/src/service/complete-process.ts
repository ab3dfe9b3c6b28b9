// In a chain or a body: processes, channels, parameters, ports after '@', members after a module's dot, the words of the language.

import type { Program } from '../compile.js'
import { memberOf } from '../names/member.js'
import { type Bound, findBinding } from '../names/names.js'
import type { FieldOf, NameValue, Node, PlumbImplementation, Reference, SpawnStatement } from '../parse/ast.js'
import { MORPHISMS, NOT_TOTAL } from '../parse/morphism.js'
import { fields } from './complete-expression.js'
import { bindingCompletions, type Completion, keywords, moduleCompletions, paramCompletions } from './completion.js'
import { PLACEHOLDER } from './completion-text.js'
import { bindingAround } from './expression-at.js'
import { flowOf } from './flow.js'
import { type Locals, localsOf } from './locals.js'
import { isOf } from './path-at.js'
import { printPortType } from './signature.js'
import { portsWithError, type SymbolInfo } from './symbol.js'

const TOTAL = [...MORPHISMS].filter((word) => !NOT_TOTAL.has(word))

export const processCompletions = (path: readonly Node[], program: Program): Completion[] | undefined => {
  const bound = bindingAround(path, program)
  const node = path.findLast(isOf('reference', 'field', 'spawn', 'name')) as Reference | FieldOf | SpawnStatement | NameValue | undefined
  if (!bound || !node) return undefined
  const { impl } = bound.binding
  const locals: Locals = impl.kind === 'plumb' ? localsOf(bound, impl) : new Map()
  switch (node.kind) {
    case 'spawn':
      return inSpawn(node, bound, locals)
    case 'field': {
      const member = memberOf(node, bound.scope)
      if (!member) return fields(flowOf(bound).inputs.get(node.field))
      const home = bound.scope.modules.get(member.name.module?.text ?? '')
      return home ? bindingCompletions(home, (b) => isWanted(b, bound)) : []
    }
    case 'name':
      return numbers(node, program)
    case 'reference':
      if (node.port?.text === PLACEHOLDER) return portsBehind(node, bound, locals)
      return atProcess(node, bound, locals, impl.kind === 'plumb' ? impl : undefined)
  }
}

// Where a number of a morphism is.
const numbers = ({ name: { module } }: NameValue, { entry }: Program): Completion[] => {
  const home = module ? entry.modules.get(module.text) : entry
  return [...(home ? paramCompletions(home) : []), ...(module ? [] : moduleCompletions(entry))]
}

const isWanted = (b: Bound, around: Bound): boolean =>
  b !== around && (around.category === 'base' ? b.category === 'base' : b.category === 'stream')

const atProcess = (node: Reference, bound: Bound, locals: Locals, body: PlumbImplementation | undefined): Completion[] => {
  const isFirst = body?.statements.some((s) => s.kind === 'wire' && s.span.start === node.span.start)
  const isWhole = bound.binding.impl.span.start === node.span.start
  return [
    ...[...locals].flatMap(([label, meaning]) => local(label, meaning)),
    ...bindingCompletions(bound.scope, (b) => isWanted(b, bound)),
    ...moduleCompletions(bound.scope),
    ...keywords(...TOTAL, 'each', ...(bound.category === 'base' ? ['flatten', 'trace'] : NOT_TOTAL)),
    ...keywords(...(isFirst ? ['let', 'spawn'] : []), ...(isWhole ? ['agent', 'tool', 'plumb'] : [])),
  ]
}

const local = (label: string, meaning: SymbolInfo): Completion[] => {
  if (meaning.kind === 'channel') return [{ label, kind: 'channel', detail: `!${printPortType(meaning.type)}` }]
  return meaning.kind === 'parameter' ? [{ label, kind: 'parameter', detail: `!${printPortType(meaning.port?.type)}` }] : []
}

const portsBehind = (node: Reference, bound: Bound, locals: Locals): Completion[] => {
  const own = node.name.module ? undefined : locals.get(node.name.name.text)
  if (own) return own.kind === 'channel' ? keywords('input', 'output').map((c) => ({ ...c, kind: 'port' })) : []
  const process = findBinding(node.name, bound.scope, () => {})
  return process === 'unknown'
    ? []
    : portsWithError(process).map(({ name, type }) => ({ label: name, kind: 'port', detail: `!${printPortType(type)}` }))
}

const inSpawn = (node: SpawnStatement, bound: Bound, locals: Locals): Completion[] => {
  const process = findBinding(node.process, bound.scope, () => {})
  if (node.process.name.text === PLACEHOLDER) {
    const home = node.process.module ? bound.scope.modules.get(node.process.module.text) : bound.scope
    return home
      ? [...bindingCompletions(home, (b) => isWanted(b, bound)), ...(node.process.module ? [] : moduleCompletions(bound.scope))]
      : []
  }
  const argument = node.arguments.find((a) => a.channel.text === PLACEHOLDER)
  const given = new Set(node.arguments.map((a) => a.port?.text))
  const ports = process === 'unknown' || argument?.port ? [] : portsWithError(process).filter((p) => !given.has(p.name))
  return [
    ...[...locals].flatMap(([label, meaning]) => local(label, meaning)),
    ...ports.map(({ name, type }): Completion => ({ label: name, kind: 'port', detail: `!${printPortType(type)}`, insert: `${name}=` })),
  ]
}
