// Compiles checked expressions to stages. The interpreter (run/interpret.ts) defines what a stage does, and generated code does it faster;
// emit/generator.ts says what that may contain. Stages of one type that are given the same scanner share its knowledge of a message.

import type { Expression } from '../../parse/ast.js'
import type { Type } from '../../types/type.js'
import { compileEvaluator, emitMap, openGenerator } from '../emit/evaluator.js'
import { emitBool } from '../emit/operand.js'
import { Checked } from '../infer/checked.js'
import type { Environment } from '../infer/environment.js'
import { openFrame } from '../run/frame.js'
import { evaluate, holds } from '../run/interpret.js'
import { observer } from '../run/observe.js'
import { putValue, refuseDeep } from '../run/write.js'
import { MessageScanner } from './message-scanner.js'
import { withReports } from './reporting.js'
import { ScannedStage, type Work } from './scanned-stage.js'
import { type Stage, Verdict } from './verdict.js'

export type { Stage } from './verdict.js'
export { Verdict } from './verdict.js'

/** WROTE, or PASS if the expression is the whole input. The expression has been checked (checkExpression) in the same environment. */
export const compileMap = (e: Expression, environment: Environment, scanner = new MessageScanner(environment.input)): Stage => {
  const checked = new Checked(e, environment)
  if (checked.path(e)?.length === 0) return compileCheck(environment.input, scanner)
  const stage = new ScannedStage(environment.input, scanner, {
    generate: () => {
      const g = openGenerator(checked, scanner)
      return compileEvaluator(g, emitMap(e, g))
    },
    isLeft: checked.hasLocals || checked.hasCallees,
    interpret: (message, tree, out) => {
      observer()?.evaluated(e)
      out.commit(putValue(out, out.at, evaluate(e, openFrame(checked, message, tree))))
      refuseDeep(out)
      return Verdict.WROTE
    },
  })
  return withReports(stage, checked, environment)
}

/** PASS or DROP; WROTE if a default had to be added. */
export const compileFilter = (e: Expression, environment: Environment, scanner = new MessageScanner(environment.input)): Stage => {
  const checked = new Checked(e, environment)
  const stage = new ScannedStage(environment.input, scanner, {
    generate: () => {
      const g = openGenerator(checked, scanner)
      return compileEvaluator(g, `return ${emitBool(e, g)} ? ${Verdict.PASS} : ${Verdict.DROP}`)
    },
    isLeft: checked.hasLocals || checked.hasCallees,
    interpret: (message, tree) => {
      const isHeld = holds(e, openFrame(checked, message, tree))
      observer()?.decided(e, isHeld)
      return isHeld ? Verdict.PASS : Verdict.DROP
    },
  })
  return withReports(stage, checked, environment)
}

/** PASS; WROTE if a default had to be added. */
export const compileCheck = (type: Type, scanner = new MessageScanner(type)): Stage => new ScannedStage(type, scanner, PASSES)

const PASSES: Work = { generate: () => () => Verdict.PASS, interpret: () => Verdict.PASS }
