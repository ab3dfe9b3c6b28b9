// Choices between processes: one side makes each, and the other can tell what was chosen.

import { firstDirections } from '@plumb/wire/protocol'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { chosenType } from '../protocol/chosen-type.js'
import { findShared } from '../types/disjoint.js'
import type { Type } from '../types/type.js'
import type { Built } from './build-automaton.js'

export const checkChoices = ({ states, places, messages }: Built, report: Report): boolean => {
  const firsts = firstDirections(states)
  let isRight = true
  for (const [state, { edges }] of states.entries()) {
    const [place, first] = [places[state], firsts[state]]
    if (!place || edges.every(({ kind }) => kind !== 'choose')) continue
    if (first?.send && first.recv) {
      const message = "some branches of this choice begin with 'send', and others with 'recv'"
      const help =
        'it is made by whoever says the first message: let one side begin all branches, or tell the choice by a message of its own'
      report(error('protocol_invalid', message, place.span, help))
      isRight = false
    }
    const labels = edges.flatMap(({ kind, label }) => (kind === 'choose' ? [label] : []))
    const plain = edges.flatMap(({ message }) => (message === undefined ? [] : [messages[message] as Type]))
    const shared = plain.map((type) => findShared(type, chosenType(labels))).find((value) => value !== undefined)
    if (shared === undefined) continue
    const message = `the message that the lone 'loop' adds and the label of a branch are ambiguous: both may be ${shared}`
    report(error('protocol_invalid', message, place.span, "give the branch of 'loop' a label too, or the message another type"))
    isRight = false
  }
  return isRight
}
