// Foreign programs on a branch of a barrier: outputs can be matched to inputs only if the program answers each input once, or reports
// settled inputs. The key `answers` says which (plumb-agent(1)).

import { error, type Report, warning } from '../diagnostic/diagnostic.js'
import type { Bound } from '../names/names.js'
import type { GraphNode } from '../plan/graph.js'
import { partingsOf } from '../plan/parting.js'
import { planOf } from '../plan/root.js'
import { agentConfig } from './agent.js'
import type { PartsOf } from './parts.js'

/** Only for a program without errors: checks barriers in their running form, with all bound chains expanded. */
export const checkAnswers = (all: readonly Bound[], partsOf: PartsOf, report: Report): void => {
  if (!all.some((bound) => programOf(bound) !== undefined)) return
  const parts = new Set(all.flatMap(partsOf))
  // A chain that is used by others is expanded there.
  const wholes = all.filter((bound) => bound.category === 'stream' && (bound.binding.impl.kind === 'plumb' || !parts.has(bound)))
  for (const whole of wholes) for (const node of foreignIn(whole)) checkProgram(node, report)
}

const foreignIn = (bound: Bound): readonly GraphNode[] =>
  partingsOf(planOf(bound)).flatMap(({ place, branches }) => (place ? branches.flatMap((branch) => [...branch]) : []))

const checkProgram = ({ name, span, work }: GraphNode, report: Report): void => {
  const program = work.kind === 'agent' ? programOf(work.bound) : undefined
  if (!program || program.answers === 'each') return
  if (program.answers === 'some') {
    const message = `'${name}' answers only some of its inputs, so the barrier cannot tell which of its outputs belongs to which message`
    report(error('spec_invalid', message, span, `join without it; or let it report what it has 'settled', and leave 'answers' out`))
    return
  }
  const message = `'${name}' is a foreign program on a branch of a barrier: each of its outputs is taken to answer one input, in order`
  report(warning('origin_assumed', message, span, `write 'answers: "each"' in its agent if that is so, and 'answers: "some"' if not`))
}

/** The config of an agent that is a foreign program. */
const programOf = ({ binding: { impl }, scope }: Bound): { readonly answers: unknown } | undefined => {
  if (impl.kind !== 'agent') return undefined
  const config = agentConfig(impl, scope)
  return config.has('command') ? { answers: config.get('answers')?.value } : undefined
}
