// judge: a process of the spec that scores the result of each input, `!{ given, out } -> !{ score: number, … }`, or that says which of two is
// better, `!{ given, a, b } -> !{ better: "a" | "b" | "tie", … }`.

import { preview } from '@plumb/wire/preview'
import { nameIn } from '../check/config.js'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { findBinding, printName, type Scope } from '../names/names.js'
import type { TestValue } from '../parse/ast.js'
import { portsOfInstance } from '../plan/instance.js'
import { printType } from '../types/print.js'
import { type Field, JSON_TYPE, NUMBER, resolve, type Type } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import { recordOf } from './condition.js'
import type { Judge, TestPort } from './test-plan.js'

/** `given`, `out`: the types of what is scored. Undefined: it has errors, which are reported. */
export const readJudge = (
  value: TestValue,
  { given, out, scope, report }: { readonly given: Type; readonly out: Type; readonly scope: Scope; readonly report: Report },
): Judge | undefined => {
  const name = value.kind === 'value' || value.kind === 'name' ? nameIn(value) : undefined
  const refuse = (message: string): undefined => {
    report(error('config_invalid', message, value.span))
    return undefined
  }
  if (!name) return refuse("'judge' takes the name of a process: !{ given, out } -> !{ score: number }")
  const of = findBinding(name, scope, report)
  if (of === 'unknown' || of.category === 'unknown') return undefined
  const called = printName(name)
  if (of.category === 'value') return refuse(`'${called}' is a config value: there is nothing to run`)
  const { inputs, outputs } = of.category === 'stream' ? portsOfInstance(of) : onePort(of.inputs[0], of.outputs[0])
  const [input, moreInputs] = inputs.map(typed)
  const [output, moreOutputs] = outputs.map(typed)
  if (!input || !output || moreInputs || moreOutputs)
    return refuse(`'${called}' has several ports, and a judge takes { given, out } and gives { score }`)
  const takesRow = fieldNamed('row', input.type) !== undefined
  const better = fieldNamed('better', output.type)
  const isOfPairs = better !== undefined && fieldNamed('score', output.type) === undefined
  const row = takesRow ? JSON_TYPE : undefined
  const gets = recordOf(isOfPairs ? { given, a: out, b: out, row } : { given, out, row })
  if (isWirable(gets, input.type) === 'no')
    return refuse(`'${called}' takes '${preview(printType(input.type))}', and a judge of this gets '${preview(printType(gets), 200)}'`)
  if (isOfPairs) {
    if (better.isOptional || isWirable(better.type, WHICH) === 'no')
      return refuse(`'${called}' gives '${preview(printType(output.type))}', and a judge of pairs gives { better: "a" | "b" | "tie", … }`)
    return { of, kind: 'pair', input, output, takesRow }
  }
  const score = fieldNamed('score', output.type)
  if (!score || score.isOptional || isWirable(score.type, NUMBER) === 'no')
    return refuse(`'${called}' gives '${preview(printType(output.type))}', and a judge gives { score: number, … }`)
  return { of, kind: 'score', input, output, takesRow }
}

const WHICH: Type = { kind: 'sum', variants: ['a', 'b', 'tie'].map((value) => ({ kind: 'literal', value })) } as Type

const onePort = (input: Type | undefined, output: Type | undefined) => ({
  inputs: [{ name: 'input', type: input }],
  outputs: [{ name: 'output', type: output }],
})

const typed = ({ name, type }: { readonly name: string; readonly type?: Type | undefined }): TestPort => ({ name, type: type ?? JSON_TYPE })

const fieldNamed = (name: string, type: Type): Field | undefined => {
  const target = resolve(type)
  return target.kind === 'record' ? target.fields.find((field) => field.name === name) : undefined
}
