// Fuses consecutive stages into one evaluation of the first one's message: intermediate messages are never written. If a message would be
// refused on the way, there is no verdict here, and the stages have to run one after the other.

import type { Expression } from '../../parse/ast.js'
import { isUnbounded } from '../../types/depth.js'
import { hasDefaults } from '../../types/required-fields.js'
import { Checked } from '../infer/checked.js'
import type { Environment } from '../infer/environment.js'
import type { MessageScanner } from '../stage/message-scanner.js'
import { Verdict } from '../stage/verdict.js'
import { compileEvaluator, type Evaluate, emitMap, emitResult, openGenerator } from './evaluator.js'
import { CannotFuse, WHOLE } from './fused-input.js'
import type { Generator } from './generator.js'
import { inputOf, isDeeper } from './input-of.js'
import { emitBool } from './operand.js'
import { emitWriteInput } from './write.js'

/** Every output of the step before has the type of the input. */
export interface Step extends Environment {
  readonly kind: 'map' | 'filter'
  readonly expression: Expression
}

export interface Fused {
  /**
   * For a message that the scanner has accepted: DROP, or the verdict of the last stage; FAILED if one of the stages may have to report
   * something.
   */
  readonly evaluate: Evaluate
  /** The verdict is always WROTE, else always PASS. */
  readonly isWritten: boolean
}

/** Undefined: they cannot be fused. */
export const fuse = (steps: readonly Step[], scanner: MessageScanner): Fused | undefined => {
  try {
    return write(steps, scanner)
  } catch (reason) {
    if (reason instanceof CannotFuse) return undefined
    throw reason
  }
}

const write = (steps: readonly Step[], scanner: MessageScanner): Fused | undefined => {
  const lines: string[] = []
  let message = WHOLE
  let g: Generator | undefined
  for (const [i, step] of steps.entries()) {
    const { kind, expression } = step
    if (i > 0 && hasDefaults(step.input)) return undefined
    const checked = new Checked(expression, step)
    // Elements that are left out are reported by the stage itself.
    if (checked.mayLeaveOut) return undefined
    g = openGenerator(checked, scanner, message, g)
    if (kind === 'filter') lines.push(`if (!${emitBool(expression, g)}) return ${Verdict.DROP}`)
    else if (g.path(expression)?.length === 0) continue
    else if (i === steps.length - 1) return guarded(g, [...lines, emitMap(expression, g)], true)
    else message = inputOf(expression, g, (line) => lines.push(line))
    if (isUnbounded(g.fact(expression).type) && isDeeper(message)) return undefined
  }
  if (!g) return undefined
  const isWritten = message !== WHOLE
  lines.push(isWritten ? emitResult(emitWriteInput(message, g), false) : `return ${Verdict.PASS}`)
  return guarded(g, lines, isWritten)
}

const guarded = (g: Generator, lines: readonly string[], isWritten: boolean): Fused => {
  const body = `try {\n${lines.join('\n')}\n} catch (failure) {\nR.expect(failure)\nreturn ${Verdict.FAILED}\n}`
  return { evaluate: compileEvaluator(g, body), isWritten }
}
