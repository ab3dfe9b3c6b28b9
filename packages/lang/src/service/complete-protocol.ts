// What can be written in a protocol: steps, the labels of its branches, and the tools that its calls name.

import type { Program } from '../compile.js'
import type { Branch, NamedStep, Node, ProtocolDeclaration, Steps } from '../parse/ast.js'
import { stepsWithin } from '../protocol/steps.js'
import { bindingCompletions, type Completion, keywords, moduleCompletions, protocolsOf } from './completion.js'
import { PLACEHOLDER } from './completion-text.js'
import { isOf } from './path-at.js'

/** Undefined: the place is in none, or where a type is. */
export const protocolCompletions = (path: readonly Node[], { entry }: Program): Completion[] | undefined => {
  const declaration = path.find(isOf('protocol')) as ProtocolDeclaration | undefined
  if (!declaration) return undefined
  const labels = () => [...bindingCompletions(entry, (bound) => bound.isTool), ...labelsIn(declaration.steps)]
  if (path.some(isOf('call'))) return labels()
  const branch = path.findLast(isOf('labelled')) as (Branch & { kind: 'labelled' }) | undefined
  if (branch?.label.text === PLACEHOLDER) return [...labels(), ...keywords('end', 'loop')]
  const at = path.findIndex(isOf('named'))
  const isStep = at > 0 && 'list' in (path[at - 1] as Node)
  if (!isStep) return undefined
  const { module } = (path[at] as NamedStep).name
  if (module) return protocolsOf(entry.modules.get(module.text))
  return [...keywords('send', 'recv', 'call', 'loop', 'end'), ...protocolsOf(entry), ...moduleCompletions(entry)]
}

const labelsIn = (steps: Steps): Completion[] => {
  const found = new Set<string>()
  for (const { list } of stepsWithin(steps)) {
    for (const step of list) {
      if (step.kind === 'call') found.add(step.tool.text)
      if (step.kind === 'choice') for (const one of step.branches) if (one.kind === 'labelled') found.add(one.label.text)
    }
  }
  found.delete(PLACEHOLDER)
  return [...found].map((label) => ({ label, kind: 'key' }))
}
