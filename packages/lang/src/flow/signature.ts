// A labelled signature is trusted by callers and checked for its binding; an unlabelled one passes labels through.

import type { Bound, EndPoint } from '../names/names.js'
import { stepsWithin } from '../protocol/steps.js'
import { overlay } from './combine.js'
import { declaredShape, type Written, writesLabelIn } from './declared.js'
import type { Findings } from './finding.js'
import type { TrailStep } from './label.js'
import { PLAIN, type Shape, violationsOf } from './shape.js'

export interface SignatureFlow {
  readonly isWorded: boolean
  /** Checks the input against the signature, and returns it with the declared labels. */
  enter(given: readonly Shape[]): readonly Shape[]
  leave(made: readonly Shape[]): readonly Shape[]
}

const written = ({ binding: { signature, impl }, scope, ends }: Bound): { inputs: Written[]; outputs: Written[] } => ({
  inputs: (signature?.inputs ?? []).map(({ type }, i) => {
    const end = ends.get(i)
    return end ? ofMessages(end, 'heard') : { type, scope }
  }),
  outputs: [
    ...(signature?.outputs ?? []).map(({ type }) => ({ type, scope })),
    ...(impl.kind === 'agent' ? [] : [...ends.values()].map((end) => ofMessages(end, 'said'))),
  ],
})

/** What an end of a conversation takes, or gives: any of its messages, as its protocol writes them. */
const ofMessages = ({ protocol: { declaration, scope }, isDual }: EndPoint, way: 'heard' | 'said'): Written => {
  const kind = (way === 'heard') === isDual ? 'send' : 'recv'
  const variants = stepsWithin(declaration.steps).flatMap(({ list }) => list.flatMap((step) => (step.kind === kind ? [step.type] : [])))
  const [only] = variants
  return { type: only && variants.length === 1 ? only : { kind: 'sum', variants, span: declaration.span }, scope }
}

const known = new WeakMap<Bound, boolean>()

/** Whether its signature names a label. */
export const isWorded = (bound: Bound): boolean => {
  const found = known.get(bound)
  if (found !== undefined) return found
  const { inputs, outputs } = written(bound)
  const isFound = [...inputs, ...outputs].some(writesLabelIn)
  known.set(bound, isFound)
  return isFound
}

/** The accepted labels; none if the signature names none. */
export const takenBy = (bound: Bound, i: number): Shape => {
  const port = written(bound).inputs[i]
  return port && isWorded(bound) ? declaredShape(port, 'takes', inputStep(bound)) : PLAIN
}

export const givenTo = (bound: Bound, i: number): Shape => {
  const port = written(bound).inputs[i]
  return port ? declaredShape(port, 'gives', inputStep(bound)) : PLAIN
}

export const saidOf = (bound: Bound, i: number): Shape => {
  const port = written(bound).outputs[i]
  return port ? declaredShape(port, 'gives', outputStep(bound)) : PLAIN
}

const inputStep = ({ name, binding }: Bound): TrailStep => ({ text: `from the input of '${name}'`, span: binding.name.span })
const outputStep = ({ name, binding }: Bound): TrailStep => ({ text: `from '${name}', as its signature says`, span: binding.name.span })

export const ofSignature = (bound: Bound, { findings }: { readonly findings: Findings }): SignatureFlow => {
  if (!isWorded(bound)) return { isWorded: false, enter: (given) => given, leave: (made) => made }
  const { signature, name } = bound.binding
  return {
    isWorded: true,
    enter: (given) =>
      given.map((shape, i) => {
        for (const { label, trail, path } of violationsOf(shape, takenBy(bound, i))) {
          const port = signature?.inputs[i]
          findings.add({
            label,
            sink: `'${bound.name}'${path && `, at '${path}'`}, whose signature takes none there`,
            span: port?.span ?? name.span,
            trail,
            last: [{ text: `given to '${bound.name}'`, span: name.span }],
            help: `write '${label}' there if it may be given any, or put ${wayAcross(label)} before '${bound.name}'`,
          })
        }
        return overlay(givenTo(bound, i), shape)
      }),
    leave: (made) =>
      made.map((shape, i) => {
        const said = saidOf(bound, i)
        for (const { label, trail, path } of violationsOf(shape, said)) {
          findings.add({
            label,
            sink: `the output of '${bound.name}'${path && `, at '${path}'`}, whose signature says that it has none`,
            span: signature?.outputs[i]?.span ?? name.span,
            trail,
            last: [{ text: `leaves '${bound.name}'`, span: name.span }],
            help: `write '${label}' there, or put ${wayAcross(label)} before it leaves`,
          })
        }
        return overlay(said, shape)
      }),
  }
}

export const wayAcross = (label: 'untrusted' | 'secret'): string => (label === 'untrusted' ? 'endorse("why")' : 'declassify("why")')
