// Checked expressions → stages. What a stage does with a message is generated code; what it may contain, generator.ts says.

import type { Expression } from '../ast.js'
import type { Type } from '../types/type.js'
import { openInference } from './check.js'
import * as demand from './demand.js'
import { emitBool } from './emit-call.js'
import { emitWrite } from './emit-write.js'
import { equal } from './equal.js'
import { FUNCTIONS } from './function.js'
import { Generator } from './generator.js'
import * as number from './number.js'
import { type Evaluate, ScannedStage } from './scanned-stage.js'
import type { Sink } from './sink.js'
import * as slice from './slice.js'
import * as text from './text.js'
import { type Stage, Verdict } from './verdict.js'
import * as write from './write.js'

export type { Stage } from './verdict.js'
export { Verdict } from './verdict.js'

/** WROTE, or PASS where the expression is the whole input. The expression has been checked (checkExpression) against the same input. */
export const compileMap = (e: Expression, input: Type): Stage => {
  const g = openGenerator(e, input)
  if (g.path(e)?.length === 0) return compileCheck(input)
  return open(input, g, `let p = out.at\n${emitWrite(e, g)}\nout.commit(p)\nreturn ${Verdict.WROTE}`)
}

/** PASS or DROP; WROTE where a default had to be filled in. */
export const compileFilter = (e: Expression, input: Type): Stage => {
  const g = openGenerator(e, input)
  return open(input, g, `return ${emitBool(e, g)} ? ${Verdict.PASS} : ${Verdict.DROP}`)
}

/** PASS; WROTE where a default had to be filled in. */
export const compileCheck = (type: Type): Stage => new ScannedStage(type, [], () => Verdict.PASS)

const openGenerator = (e: Expression, input: Type): Generator => {
  const inference = openInference(input, ({ message }) => {
    throw new TypeError(`not checked: ${message}`)
  })
  inference.infer(e)
  return new Generator(inference)
}

const RUNTIME: Readonly<Record<string, unknown>> = {
  ...slice,
  ...number,
  ...text,
  ...demand,
  ...write,
  equal,
  ...Object.fromEntries([...FUNCTIONS].map(([name, { run }]) => [`call_${name}`, run])),
}

const open = (input: Type, g: Generator, body: string): Stage => {
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
  return new ScannedStage(input, g.paths, evaluate satisfies Evaluate)
}
