// Compiles generated statements to an evaluator: a function over the captures of a message, with its constants and run-time functions.

import type { Expression } from '../../parse/ast.js'
import { isUnbounded } from '../../types/depth.js'
import type { Checked } from '../infer/checked.js'
import type { Sink } from '../run/sink.js'
import type { MessageScanner } from '../stage/message-scanner.js'
import { Verdict } from '../stage/verdict.js'
import type { FusedInput } from './fused-input.js'
import { type Emitters, Generator } from './generator.js'
import { runtime } from './runtime.js'
import { emitBoxed, emitValue } from './value.js'
import { emitWrite, emitWriter } from './write.js'

/** Works on captures (scan/scanner.ts): starts and ends of the paths in `buf`. */
export type Evaluate = (buf: Buffer, captures: Int32Array, out: Sink) => Verdict

const EMITTERS: Emitters = { value: emitValue, boxed: emitBoxed, writer: emitWriter }

/** A generator for one stage: `message` is its input, and `before` has generated the stages before it into the same code. */
export const openGenerator = (checked: Checked, scanner: MessageScanner, message?: FusedInput, before?: Generator): Generator =>
  new Generator(EMITTERS, checked, scanner, message, before)

/** Statements that write the result, as their last action. */
export const emitMap = (e: Expression, g: Generator): string => emitResult(emitWrite(e, g), isUnbounded(g.fact(e).type))

export const emitResult = (writing: string, mayBeDeep: boolean): string =>
  `let p = out.at\n${writing}\nout.commit(p)\n${mayBeDeep ? 'R.refuseDeep(out)\n' : ''}return ${Verdict.WROTE}`

/** Compiles the statements that `g`, and the generators before it, have generated. */
export const compileEvaluator = (g: Generator, body: string): Evaluate => {
  const used = new Set<string>()
  const stepped = /\bR\.(takeSteps|sliceAny|sliceSorted|add|applyTo|call_\w+)\b/.test(body) ? `R.startSteps()\n${body}` : body
  const code = stepped.replace(/\bR\.(\w+)/g, (_, name: string) => {
    used.add(name)
    return name
  })
  const variables = g.variables.size > 0 ? `let ${[...g.variables].join(', ')}\n` : ''
  const source = `'use strict'
${used.size > 0 ? `const { ${[...used].join(', ')} } = R\n` : ''}${g.constants.map((_, i) => `const K${i} = K[${i}]`).join('\n')}
return (b, k, out) => {\n${variables}${code}\n}`
  return new Function('R', 'K', source)(runtime(), g.constants) as Evaluate
}
