// The ends of conversations: which protocol an end point speaks, on which side, and of which types its messages are.

import { firstDirections } from '@plumb/wire/protocol'
import type { EndPoint, Protocol } from '../names/names.js'
import { isEqual } from '../types/equal.js'
import { joinAll } from '../types/join.js'
import { JSON_TYPE, type Type } from '../types/type.js'
import { chosenType } from './chosen-type.js'

/** The port of what comes to an end point; what it says has the name itself. */
export const heardPort = (name: string): string => `${name}_in`

/** Of all messages that may come to it. Undefined: the protocol has an error, already reported. */
export const heardBy = ({ protocol, isDual }: EndPoint): Type | undefined => typeOf(protocol, isDual ? 'send' : 'recv')

/** Of all messages that it may say. */
export const saidBy = ({ protocol, isDual }: EndPoint): Type | undefined => typeOf(protocol, isDual ? 'recv' : 'send')

/** Whether nothing may ever be said on this way: then nothing has to be wired to it. */
export const isSilent = ({ protocol }: EndPoint, way: 'send' | 'recv'): boolean => typesOf(protocol, way).length === 0

const typeOf = (protocol: Protocol, way: 'send' | 'recv'): Type | undefined => {
  if (!protocol.automaton) return undefined
  // What overlaps cannot be told apart by its type: each message is checked when it comes.
  return joinAll(typesOf(protocol, way)) ?? JSON_TYPE
}

const typesOf = ({ automaton, messages }: Protocol, way: 'send' | 'recv'): readonly Type[] => {
  const types: Type[] = []
  const labels = new Set<string>()
  const states = automaton?.states ?? []
  for (const [state, first] of firstDirections(states).entries()) {
    const isMadeHere = first.recv ? way === 'recv' : way === 'send'
    for (const { kind, label, message } of states[state]?.edges ?? []) {
      if (kind === 'choose' && isMadeHere) labels.add(label)
      const type = kind === way && message !== undefined ? messages[message] : undefined
      if (type && !types.some((other) => isEqual(other, type))) types.push(type)
    }
  }
  return labels.size > 0 ? [...types, chosenType([...labels])] : types
}

export const printEndPoint = ({ protocol, isDual }: Pick<EndPoint, 'protocol' | 'isDual'>): string => `${isDual ? '~' : ''}${protocol.name}`

/** The same protocol, or one with the same states and messages. */
export const isSameProtocol = (a: Protocol, b: Protocol): boolean => {
  if (a === b || !a.automaton || !b.automaton) return true
  const isSameMessage = (type: Type, i: number) => b.messages[i] !== undefined && isEqual(type, b.messages[i] as Type)
  return (
    JSON.stringify([a.automaton.start, a.automaton.states]) === JSON.stringify([b.automaton.start, b.automaton.states]) &&
    a.messages.every(isSameMessage)
  )
}
