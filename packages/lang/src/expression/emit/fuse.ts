// Stages one behind the other → one evaluation of the first one's message: what comes between them is never written. Where the
// message would be refused on the way there is no verdict here, and the stages have to be run one after the other.

import { unreachable } from '../../diagnostic/unreachable.js'
import type { Expression, RecordExpression } from '../../parse/ast.js'
import { isUnbounded } from '../../types/depth.js'
import { hasDefaults, isPresent } from '../../types/required-fields.js'
import { resolve } from '../../types/type.js'
import { Checked, isMerged, numeralOf } from '../infer/checked.js'
import type { Environment } from '../infer/environment.js'
import type { MessageScanner } from '../stage/message-scanner.js'
import { Verdict } from '../stage/verdict.js'
import { compileEvaluator, type Evaluate, emitMap, emitResult, openGenerator } from './evaluator.js'
import { CannotFuse, type FusedInput, recordInput, WHOLE } from './fused-input.js'
import type { Generator } from './generator.js'
import { emitBool } from './operand.js'
import { emitWriteInput } from './write.js'

/** All that the step before gives has the type of the input. */
export interface Step extends Environment {
  readonly kind: 'map' | 'filter'
  readonly expression: Expression
}

export interface Fused {
  /** Of a message that the scanner has found: DROP, or what goes on; FAILED where one of the stages may have something to report. */
  readonly evaluate: Evaluate
  /** What goes on is always WROTE, else always PASS. */
  readonly isWritten: boolean
}

/** Undefined: they cannot be written as one. */
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
    // What is left out is reported by the stage itself.
    if (checked.mayLeaveOut) return undefined
    g = openGenerator(checked, scanner, message, g)
    if (kind === 'filter') lines.push(`if (!${emitBool(expression, g)}) return ${Verdict.DROP}`)
    else if (g.path(expression)?.length === 0) continue
    else if (i === steps.length - 1) return guarded(g, [...lines, emitMap(expression, g)], true)
    else message = inputOf(expression, g, lines)
    if (isUnbounded(g.fact(expression).type) && isDeeper(message, 0)) return undefined
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

// Deeper than it was read: the depth has to be checked.
const isDeeper = (input: FusedInput, depth: number): boolean => {
  if (input.kind === 'place') return depth > input.path.length
  return input.kind === 'record' && [...input.fields.values()].some((field) => isDeeper(field, depth + 1))
}

// What the next stage is given. What can fail is computed here, whether it is needed or not.
const inputOf = (e: Expression, g: Generator, lines: string[]): FusedInput => {
  const path = g.path(e)
  if (path) return g.input(path)
  if (e.kind === 'record' && !isMerged(e, g)) return recordOf(e, g, lines)
  const form = g.form(e)
  if (!isComputed(e, g)) throw new CannotFuse()
  const variable = g.variable()
  const isNumeric = form === 'int' || form === 'number'
  // As text there is no -0, and a number of so many digits would be read back as another one.
  lines.push(`${variable} = ${g.value(e)}${isNumeric ? ' + 0' : ''}`)
  if (isNumeric) lines.push(`if (!(${variable} < ${2 ** 53} && ${variable} > ${-(2 ** 53)})) return ${Verdict.FAILED}`)
  return { kind: 'value', variable, form }
}

const recordOf = (e: RecordExpression, g: Generator, lines: string[]): FusedInput => {
  const fields = new Map<string, FusedInput>()
  for (const part of e.parts) {
    if (part.kind === 'field') {
      fields.set(part.name.text, inputOf(part.value, g, lines))
      continue
    }
    const path = g.path(part.of)
    const type = resolve(g.fact(part.of).type)
    if (!path || type.kind !== 'record') throw new CannotFuse()
    for (const field of type.fields) {
      const from = g.input([...path, field.name])
      if (isPresent(field)) fields.set(field.name, from)
      else if (fields.has(field.name) || from.kind !== 'place') throw new CannotFuse()
      else fields.set(field.name, { ...from, mayBeAbsent: true })
    }
  }
  return recordInput(fields)
}

// Its text says no more than its value: numbers and strings that are only moved keep the text that they came in.
const isComputed = (e: Expression, g: Generator): boolean => {
  if (g.form(e) === 'boxed') return false
  if (g.computed(e) !== undefined) return true
  const constant = g.checked.constant(e)
  const numeral = numeralOf(e) ?? (constant !== undefined && /^[-\d]/.test(constant) ? constant : undefined)
  if (numeral !== undefined) return String(Number(numeral)) === numeral
  if (constant !== undefined) return true
  switch (e.kind) {
    case 'literal':
    case 'unary':
    case 'slice':
    case 'template':
      return true
    case 'binary':
      return e.operator !== '??'
    case 'call':
      return g.checked.resultOf(e) === 'value'
    case 'if':
      return isComputed(e.then, g) && isComputed(e.else, g)
    case 'name':
    case 'field':
    case 'index':
    case 'record':
    case 'list':
    case 'comprehension':
      return false
    default:
      return unreachable(e)
  }
}
