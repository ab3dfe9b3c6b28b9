// Lists the sources, sinks and crossings of a program, for reviewers.

import type { Program } from '../compile.js'
import { position, type Span } from '../diagnostic/source.js'
import type { Bound, Scope } from '../names/names.js'
import type { CallExpression, Name, QualifiedName } from '../parse/ast.js'
import { type AnyNode, visitNodes } from '../parse/visit.js'
import { agentOf, asksPerson } from '../program/agent-plan.js'
import { type ToolPlan, toolOf } from '../program/tool-plan.js'
import type { EffectsOf } from './analysis.js'
import { reachOfAgent, reachOfTool } from './reach.js'
import { flat } from './shape.js'
import { isWorded, saidOf, takenBy } from './signature.js'
import { errorTags, sourceTags } from './tool.js'
import { isInLibrary } from './words.js'

export interface FlowEntry {
  readonly kind: 'source' | 'sink' | 'crossing'
  /** The binding, or the word. */
  readonly name: string
  /** For a crossing its reason. */
  readonly why: string
  readonly file: string
  readonly line: number
  readonly column: number
}

export type FlowList = readonly FlowEntry[]

/** In the order of the program; of the standard library only what the program names. Only for a program without errors. */
export const listFlows = ({ scopes }: Program, effectsOf: EffectsOf): FlowList => {
  const named = new Set(scopes.filter((scope) => !isInLibrary(scope)).flatMap(namesIn))
  return scopes.flatMap((scope) => [
    ...[...scope.bindings.values()].flatMap((bound) => (isInLibrary(scope) && !named.has(bound) ? [] : ofBinding(bound, effectsOf))),
    ...(isInLibrary(scope) ? [] : crossingsIn(scope)),
  ])
}

const namesIn = (scope: Scope): readonly Bound[] => {
  const found: Bound[] = []
  visitNodes(scope.module.program.items, (node) => {
    const [module, name] = memberNamed(node) ?? []
    const bound = module && name && scope.modules.get(module.text)?.bindings.get(name.text)
    if (bound) found.push(bound)
  })
  return found
}

/** `Module.name`, and `Module.name(…)`. */
const memberNamed = (node: AnyNode): readonly [module: Name, name: Name] | undefined => {
  const { module, name, function: called } = node as AnyNode & Partial<QualifiedName> & Partial<CallExpression>
  const member = name ?? called
  return module && member && [module, member]
}

const entry = (kind: FlowEntry['kind'], name: string, why: string, { source, start }: Span): FlowEntry => ({
  kind,
  name,
  why,
  file: source.path,
  ...position(source, start),
})

const ofBinding = (bound: Bound, effectsOf: EffectsOf): readonly FlowEntry[] => {
  const { impl, name } = bound.binding
  const at = (kind: FlowEntry['kind'], why: string) => entry(kind, bound.name, why, name.span)
  if (impl.kind === 'agent') return ofAgent(bound).map(([kind, why]) => at(kind, why))
  return bound.category === 'base' && impl.kind === 'tool' ? ofTool(toolOf(bound), effectsOf).map(([kind, why]) => at(kind, why)) : []
}

type EntryParts = readonly [FlowEntry['kind'], string]

const ofAgent = (bound: Bound): readonly EntryParts[] => {
  const { config } = agentOf(bound)
  const { leaves, isOutside } = reachOfAgent(config)
  const isSending = config.command === undefined && config.provider !== 'eliza' && config.provider !== 'person'
  const servers = Array.isArray(config.mcp) ? config.mcp : []
  return [
    ...servers.flatMap((server): EntryParts[] => {
      const { prefix, trusted } = Object(server)
      return [
        trusted === true ? ['crossing', `server '${prefix}' is trusted`] : ['source', `untrusted: the tools of server '${prefix}'`],
        ['sink', `the tools of server '${prefix}'`],
      ]
    }),
    ...(isOutside ? [['source', 'untrusted: its program has a network'] satisfies EntryParts] : []),
    ...(asksPerson(bound) ? [['crossing', 'a person reads each input, and answers'] satisfies EntryParts] : []),
    ...(isSending
      ? [['sink', 'for secrets: what it reads goes to its provider'] satisfies EntryParts]
      : leaves
        ? [['sink', 'for secrets: its program may send them away'] satisfies EntryParts]
        : []),
    ...(config.sees_secrets === true
      ? [['crossing', `sees_secrets: its ${isSending ? 'provider' : 'program'} may be shown secrets`] satisfies EntryParts]
      : []),
  ]
}

const OPAQUE = ['mcp', 'command', 'function', 'builtin', 'agent']

const ofTool = (plan: ToolPlan, effectsOf: EffectsOf): readonly EntryParts[] => {
  const { body, bound } = plan
  if (body.kind !== 'tool') return []
  const asked: readonly EntryParts[] = body.config.approval === 'ask' ? [['crossing', 'approval: a person reads each call']] : []
  if (!OPAQUE.includes(body.source)) return asked
  const effects = effectsOf(plan)
  const harmful = effects.filter((e) => e !== 'fs.read' && e !== 'model')
  const { untrusted, secret } = errorTags(bound, body, effects)
  const isSilent = sourceTags(bound, body, effects).untrusted === undefined
  const { leaves, isOutside } = reachOfTool(body.source, body.config)
  const isByNetwork = isOutside && !effects.includes('net')
  const { trusted } = Object(body.config.mcp)
  // A tool whose code is not analysed, and whose signature removes the untrusted label.
  const isGate = isWorded(bound) && flat(takenBy(bound, 0)).untrusted !== undefined && flat(saidOf(bound, 0)).untrusted === undefined
  return [
    ...(untrusted
      ? [
          [
            'source',
            `untrusted${isSilent ? ' errors' : ''}: ${isByNetwork ? 'its sandbox has a network' : body.source === 'builtin' && !effects.includes('net') ? 'a root' : effects.join(', ') || body.source}`,
          ] satisfies EntryParts,
        ]
      : []),
    ...(secret ? [['source', 'secret: a root'] satisfies EntryParts] : []),
    ...(harmful.length > 0 ? [['sink', harmful.join(', ')] satisfies EntryParts] : []),
    ...(leaves && !effects.includes('net') ? [['sink', 'for secrets: its sandbox lets them out'] satisfies EntryParts] : []),
    ...(trusted === true ? [['crossing', 'its server is trusted'] satisfies EntryParts] : []),
    ...(isGate ? [['crossing', 'its signature: it takes what is untrusted and gives what is not'] satisfies EntryParts] : []),
    ...asked,
  ]
}

const crossingsIn = (scope: Scope): readonly FlowEntry[] => {
  const found: FlowEntry[] = []
  visitNodes(scope.module.program.items, (node) => {
    if (node.kind !== 'endorse' && node.kind !== 'declassify') return
    const { value } = node.reason as { value: string }
    found.push(entry('crossing', node.kind, value, node.span))
  })
  return found
}
