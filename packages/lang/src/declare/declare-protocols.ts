// Protocols as automata, after all types are known. What is wrong with one is told at its place.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Protocol, Scope } from '../names/names.js'
import type { Steps } from '../parse/ast.js'
import { stepsWithin } from '../protocol/steps.js'
import { type Built, buildAutomaton } from './build-automaton.js'
import { checkChoices } from './check-choices.js'

export const declareProtocols = (scopes: readonly Scope[], report: Report): void => {
  const all = scopes.flatMap(({ protocols }) => [...protocols.values()])
  // One that goes on as another is as wrong as that, which is told once.
  const broken = new Set(all.filter(({ declaration }) => !areInOrder(declaration.steps, report)))
  const endless = new Set<Steps>()
  for (const protocol of all) {
    const built = buildAutomaton(protocol, broken, endless, report)
    if (built) declare(protocol, built, report)
  }
}

const declare = (protocol: Protocol, built: Built, report: Report): void => {
  const use = useOf(protocol, built, report)
  if (!use || !canEnd(built, report) || (use !== 'tools' && !checkChoices(built, report))) return
  protocol.use = use
  protocol.messages = built.messages
  // A label of a protocol for tools is a call like any other.
  const states = built.states.map(({ mayEnd, edges }) => ({
    mayEnd,
    edges: use === 'tools' ? edges.map((edge) => ({ ...edge, kind: 'call' as const })) : edges,
  }))
  protocol.automaton = { name: protocol.name, start: built.start, states }
}

/** Only the last step ends, goes back, goes on elsewhere or chooses, and the last one does. */
const areInOrder = (steps: Steps, report: Report): boolean => {
  let isRight = true
  const fail = (message: string, at: Parameters<typeof error>[2], help: string) => {
    isRight = false
    report(error('protocol_invalid', message, at, help))
  }
  for (const { list } of stepsWithin(steps)) {
    const found = list.findIndex(({ kind }) => kind !== 'send' && kind !== 'recv' && kind !== 'call')
    const [last, behind] = [list[found], list[found + 1]]
    if (!last) {
      const end = list.at(-1)?.span ?? steps.span
      fail('the steps end without an end', end, "the last one is 'end', 'loop', the name of a protocol or a choice: write ' . end'")
    } else if (behind) {
      const what = last.kind === 'choice' ? 'a choice' : last.kind === 'named' ? 'the name of a protocol' : `'${last.kind}'`
      const help =
        last.kind === 'choice'
          ? 'what follows a branch stands in it'
          : last.kind === 'named'
            ? /^[a-z]/.test(last.name.name.text)
              ? `a call of a tool is written 'call ${last.name.name.text}'`
              : 'it never returns'
            : 'take away what follows'
      fail(`nothing comes after ${what}: this step is unreachable`, behind.span, help)
    }
  }
  return isRight
}

const useOf = ({ name }: Protocol, { places }: Built, report: Report): Protocol['use'] | undefined => {
  const call = places.find(({ kind }) => kind === 'call')
  const message = places.find(({ kind }) => kind === 'send' || kind === 'recv')
  if (!call || !message) return call ? 'tools' : message ? 'processes' : 'either'
  const [first, second] = call.span.start < message.span.start ? [call, message] : [message, call]
  const text = `'${name}' has both calls of tools and messages between processes`
  const help = "one for tools has no 'send' or 'recv', one for processes no 'call'"
  report({ ...error('protocol_invalid', text, second.span, help), related: [{ message: 'the other is here', span: first.span }] })
  return undefined
}

/** Every state leads to one where it may be over; the first that does not is told. */
const canEnd = ({ states, places }: Built, report: Report): boolean => {
  const before = states.map((): number[] => [])
  for (const [from, { edges }] of states.entries()) for (const { to } of edges) before[to]?.push(from)
  const ending = new Set(states.flatMap(({ mayEnd }, state) => (mayEnd ? [state] : [])))
  // A set iterates over members that are added meanwhile.
  for (const state of ending) for (const from of before[state] ?? []) ending.add(from)
  const lost = places.find((_, state) => !ending.has(state))
  if (lost) report(error('protocol_invalid', "no way leads from here to 'end'", lost.span, "add an 'end' to a choice on the way"))
  return lost === undefined
}
