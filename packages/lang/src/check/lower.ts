// tool { process: f }: checks that f is total, and has the tool's own types (plumbing(5), Totality).

import { type Diagnostic, error, type Report } from '../diagnostic/diagnostic.js'
import { findInChain } from '../names/find-in-chain.js'
import { type Bound, findBinding, printName } from '../names/names.js'
import type { QualifiedName } from '../parse/ast.js'
import { isChain } from '../parse/chain-parts.js'
import { RESERVED } from '../parse/cursor.js'
import { MORPHISMS, NOT_TOTAL } from '../parse/morphism.js'
import { isEqual } from '../types/equal.js'
import { printType } from '../types/print.js'
import { type Type, UNIT } from '../types/type.js'

export const lower = (tool: Bound, name: QualifiedName, report: Report): void => {
  if (!name.module && MORPHISMS.has(name.name.text) && RESERVED.has(name.name.text)) lowerMorphism(tool, name, report)
  else {
    const process = findBinding(name, tool.scope, report, (b) => b.category === 'stream')
    if (process !== 'unknown' && process.category !== 'unknown') lowerBound(tool, process, name, report)
  }
}

const lowerBound = (tool: Bound, process: Bound, name: QualifiedName, report: Report): void => {
  const { category, inputs, outputs } = process
  const { kind } = process.binding.impl
  const fail = (code: Diagnostic['code'], message: string, help: string) => report(error(code, message, name.span, help))
  const word = category === 'stream' ? notTotalIn(process) : undefined
  if (category !== 'stream') {
    fail(
      'not_a_process',
      `'${printName(name)}' is not a stream process`,
      "'process' names an agent, a plumb or a chain of stream morphisms",
    )
  } else if (word !== undefined) notTotal(word, name, report)
  else if (kind === 'copy') sameTypes(tool, name, inputs[0], pairOf(inputs[0]), report)
  else if (kind !== 'agent' && (inputs.length !== 1 || outputs.length !== 1)) {
    fail('arity_mismatch', `'${printName(name)}' has several ports and cannot be lowered`, 'a tool has one input and one output')
  } else sameTypes(tool, name, inputs[0], outputs[0], report)
}

const lowerMorphism = (tool: Bound, name: QualifiedName, report: Report): void => {
  const word = name.name.text
  const [input] = tool.inputs
  if (NOT_TOTAL.has(word)) notTotal(word, name, report)
  else if (word === 'map') {
    report(
      error('not_a_process', "'map' needs its expression", name.span, "bind it first, as in 'let inc : !int -> !int = map(value + 1)'"),
    )
  } else sameTypes(tool, name, input, word === 'id' ? input : word === 'copy' ? pairOf(input) : UNIT, report)
}

const pairOf = (type: Type | undefined): Type | undefined => type && { kind: 'tuple', items: [type, type] }

const notTotal = (word: string, { span }: QualifiedName, report: Report): void =>
  report(error('lower_not_total', `cannot lower ${word} to a tool (not total)`, span, 'a tool gives exactly one result for each input'))

const sameTypes = (tool: Bound, name: QualifiedName, input: Type | undefined, output: Type | undefined, report: Report): void => {
  const same = (side: string, of: Type | undefined, own: Type | undefined) => {
    if (!of || !own || isEqual(of, own)) return
    const message =
      `the ${side} of '${printName(name)}' is '${printType(of)}', that of tool ` +
      `'${tool.name}' is '${printType(own)}': they must be equal`
    report(error('type_mismatch', message, name.span))
  }
  same('input', input, tool.inputs[0])
  same('output', output, tool.outputs[0])
}

/** Whether a tool may be made of it: each input has one output. */
export const isLowerable = (process: Bound): boolean => {
  const { inputs, outputs, category, binding } = process
  const fits = binding.impl.kind === 'agent' || (inputs.length === 1 && outputs.length === 1)
  return category === 'stream' && fits && notTotalIn(process) === undefined
}

/** The first morphism that is not total, through nested chains; agents and plumbs guarantee their own answers. */
const notTotalIn = ({ binding: { impl }, scope }: Bound): string | undefined =>
  isChain(impl) ? findInChain({ chain: impl, scope }, ({ kind }) => (NOT_TOTAL.has(kind) ? kind : undefined)) : undefined
