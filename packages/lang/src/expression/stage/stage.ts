// Checked expressions → stages. What a stage does with a message is said by the interpreter (interpret.ts), and done faster by generated code; what
// that may contain, generator.ts says. Stages of one type that are given the same scanner share what is known of a message.

import type { Expression } from '../../parse/ast.js'
import { MAX_DEPTH } from '../../scan/tree.js'
import { isTooDeep, isUnbounded } from '../../types/depth.js'
import type { Type } from '../../types/type.js'
import { emitBool } from '../emit/call.js'
import { Generator } from '../emit/generator.js'
import { emitWrite } from '../emit/write.js'
import { Checked } from '../infer/checked.js'
import * as coerce from '../run/coerce.js'
import { equal } from '../run/equal.js'
import { expect, Failure } from '../run/failure.js'
import { FUNCTIONS } from '../run/function.js'
import { evaluate, holds, openEnvironment } from '../run/interpret.js'
import * as number from '../run/number.js'
import type { Sink } from '../run/sink.js'
import * as slice from '../run/slice.js'
import * as text from '../run/text.js'
import * as write from '../run/write.js'
import { putValue } from '../run/write.js'
import { MessageScanner } from './message-scanner.js'
import { type Evaluate, ScannedStage, type Work } from './scanned-stage.js'
import { type Stage, Verdict } from './verdict.js'

export type { Stage } from './verdict.js'
export { Verdict } from './verdict.js'

/** WROTE, or PASS where the expression is the whole input. The expression has been checked (checkExpression) against the same input. */
export const compileMap = (e: Expression, input: Type, scanner = new MessageScanner(input)): Stage => {
  const checked = new Checked(e, input)
  if (checked.path(e)?.length === 0) return compileCheck(input, scanner)
  return new ScannedStage(input, scanner, {
    generate: () => {
      const g = new Generator(checked, scanner)
      return evaluation(g, emitMap(e, g))
    },
    interpret: (message, tree, out) => {
      out.commit(putValue(out, out.at, evaluate(e, openEnvironment(checked, message, tree))))
      refuseDeep(out)
      return Verdict.WROTE
    },
  })
}

/** Statements that write the result, which is the last of what they do. */
export const emitMap = (e: Expression, g: Generator): string => emitResult(emitWrite(e, g), isUnbounded(g.fact(e).type))

export const emitResult = (writing: string, mayBeDeep: boolean): string =>
  `let p = out.at\n${writing}\nout.commit(p)\n${mayBeDeep ? 'R.refuseDeep(out)\n' : ''}return ${Verdict.WROTE}`

// No reader would take it, and a loop could go on with it for ever.
const refuseDeep = ({ buf, start, end }: Sink): void => {
  if (isTooDeep(buf, start, end)) throw new Failure(`the result is nested more than ${MAX_DEPTH} deep`, 'too_deep')
}

/** PASS or DROP; WROTE where a default had to be filled in. */
export const compileFilter = (e: Expression, input: Type, scanner = new MessageScanner(input)): Stage => {
  const checked = new Checked(e, input)
  return new ScannedStage(input, scanner, {
    generate: () => {
      const g = new Generator(checked, scanner)
      return evaluation(g, `return ${emitBool(e, g)} ? ${Verdict.PASS} : ${Verdict.DROP}`)
    },
    interpret: (message, tree) => (holds(e, openEnvironment(checked, message, tree)) ? Verdict.PASS : Verdict.DROP),
  })
}

/** PASS; WROTE where a default had to be filled in. */
export const compileCheck = (type: Type, scanner = new MessageScanner(type)): Stage => new ScannedStage(type, scanner, PASSES)

const PASSES: Work = { generate: () => () => Verdict.PASS, interpret: () => Verdict.PASS }

// What generated code calls. Made when there is some: it takes its part of a start.
let runtime: Readonly<Record<string, unknown>> | undefined
const openRuntime = (): Readonly<Record<string, unknown>> =>
  Object.assign({ equal, expect, refuseDeep }, slice, number, text, coerce, write, callable())

const callable = (): Readonly<Record<string, unknown>> => Object.fromEntries([...FUNCTIONS].map(([name, { run }]) => [`call_${name}`, run]))

/** Of statements that the generator has written, and those before it. */
export const evaluation = (g: Generator, body: string): Evaluate => {
  const used = new Set<string>()
  const code = body.replace(/\bR\.(\w+)/g, (_, name: string) => {
    used.add(name)
    return name
  })
  const variables = g.variables.size > 0 ? `let ${[...g.variables].join(', ')}\n` : ''
  const source = `'use strict'
${used.size > 0 ? `const { ${[...used].join(', ')} } = R\n` : ''}${g.constants.map((_, i) => `const K${i} = K[${i}]`).join('\n')}
return (b, k, out) => {\n${variables}${code}\n}`
  runtime ??= openRuntime()
  return new Function('R', 'K', source)(runtime, g.constants) as Evaluate
}
