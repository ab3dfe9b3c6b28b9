// Checked expressions → stages. What a stage does with a message is generated code; what it may contain, generator.ts says. Stages of one type
// that are given the same reading share what is known of a message.

import type { Expression } from '../ast.js'
import { isTooDeep, isUnbounded } from '../types/depth.js'
import { MAX_DEPTH } from '../types/tree.js'
import type { Type } from '../types/type.js'
import { openInference } from './check.js'
import * as demand from './demand.js'
import { emitBool } from './emit-call.js'
import { emitWrite } from './emit-write.js'
import { equal } from './equal.js'
import { Failure } from './failure.js'
import { FUNCTIONS } from './function.js'
import { Generator } from './generator.js'
import * as number from './number.js'
import { Reading } from './reading.js'
import { type Evaluate, ScannedStage } from './scanned-stage.js'
import type { Sink } from './sink.js'
import * as slice from './slice.js'
import * as text from './text.js'
import { type Stage, Verdict } from './verdict.js'
import * as write from './write.js'

export type { Stage } from './verdict.js'
export { Verdict } from './verdict.js'

/** WROTE, or PASS where the expression is the whole input. The expression has been checked (checkExpression) against the same input. */
export const compileMap = (e: Expression, input: Type, reading = new Reading(input)): Stage => {
  const g = openGenerator(e, input, reading)
  if (g.path(e)?.length === 0) return compileCheck(input, reading)
  const end = isUnbounded(g.fact(e).type) ? 'R.refuseDeep(out)\n' : ''
  return open(input, reading, g, `let p = out.at\n${emitWrite(e, g)}\nout.commit(p)\n${end}return ${Verdict.WROTE}`)
}

// No reader would take it, and a loop could go on with it for ever.
const refuseDeep = ({ buf, start, end }: Sink): void => {
  if (isTooDeep(buf, start, end)) throw new Failure(`the result is nested more than ${MAX_DEPTH} deep`, 'too_deep')
}

/** PASS or DROP; WROTE where a default had to be filled in. */
export const compileFilter = (e: Expression, input: Type, reading = new Reading(input)): Stage => {
  const g = openGenerator(e, input, reading)
  return open(input, reading, g, `return ${emitBool(e, g)} ? ${Verdict.PASS} : ${Verdict.DROP}`)
}

/** PASS; WROTE where a default had to be filled in. */
export const compileCheck = (type: Type, reading = new Reading(type)): Stage => new ScannedStage(type, reading, () => Verdict.PASS)

const openGenerator = (e: Expression, input: Type, reading: Reading): Generator => {
  const inference = openInference(input, ({ message }) => {
    throw new TypeError(`not checked: ${message}`)
  })
  inference.infer(e)
  return new Generator(inference, reading)
}

const RUNTIME: Readonly<Record<string, unknown>> = {
  ...slice,
  ...number,
  ...text,
  ...demand,
  ...write,
  equal,
  refuseDeep,
  ...Object.fromEntries([...FUNCTIONS].map(([name, { run }]) => [`call_${name}`, run])),
}

const open = (input: Type, reading: Reading, g: Generator, body: string): Stage => {
  const used = new Set<string>()
  const code = body.replace(/\bR\.(\w+)/g, (_, name: string) => {
    used.add(name)
    return name
  })
  const variables = g.variables.size > 0 ? `let ${[...g.variables].join(', ')}\n` : ''
  const source = `'use strict'
${used.size > 0 ? `const { ${[...used].join(', ')} } = R\n` : ''}${g.constants.map((_, i) => `const K${i} = K[${i}]`).join('\n')}
return (b, k, out) => {\n${variables}${code}\n}`
  const evaluate = new Function('R', 'K', source)(RUNTIME, g.constants) as (buf: Buffer, caps: Int32Array, out: Sink) => Verdict
  return new ScannedStage(input, reading, evaluate satisfies Evaluate)
}
