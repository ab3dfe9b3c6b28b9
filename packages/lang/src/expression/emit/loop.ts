// Compiles comprehensions and key functions to loops over the bytes of lists: items are found and read in place.

import { UNCHECKED_DEPTH } from '@plumb/wire/json'
import type { Comprehension, Expression, KeyFunction } from '../../parse/ast.js'
import { makeItemScanner } from '../../scan/scanner-code.js'
import { isJson } from '../../types/kind.js'
import type { Local } from '../infer/environment.js'
import type { Generator } from './generator.js'
import type { LocalCode } from './local-code.js'
import { emitBool } from './operand.js'

/** Statements: `body` for each item of the loops of a comprehension. */
export const emitLoops = (e: Comprehension, g: Generator, body: () => string, at = 0): string => {
  const loop = e.loops[at]
  if (!loop) return body()
  const { opening, start } = listAt(loop.list, g)
  const { item, code } = g.withLocal(g.checked.local(loop.name), () => {
    const inner = () => emitLoops(e, g, body, at + 1)
    return loop.condition ? `if (${emitBool(loop.condition, g)}) {\n${inner()}\n}` : inner()
  })
  const n = item.number
  // Never a name under which a part of the message may be stored (Generator.once).
  const [b, a, end, count] = [`b${n}`, `a${n}`, `e${n}`, `count${n}`]
  return `{
${opening.replace('$b', b)}
let ${a} = R.skipSpace(${b}, ${start} + 1), ${end} = 0, c${n} = 0, ${count} = 0
if (${b}[${a}] !== 93) for (;;) {
${scanItem(item, g)}
${count}++
{
${declared(item)}${code}
}
c${n} = ${b}[${end}]
if (c${n} <= 32) { ${end} = R.skipSpace(${b}, ${end}); c${n} = ${b}[${end}] }
if (c${n} !== 44) break
${a} = ${end} + 1
if (${b}[${a}] <= 32) ${a} = R.skipSpace(${b}, ${a})
}
R.takeSteps(${count})
}`
}

/** A statement after which the buffer is `$b`, and its result the start of the list in it. */
const listAt = (list: Expression, g: Generator): { opening: string; start: string } => {
  const place = g.place(list)
  if (place && !isJson(g.fact(list).type)) {
    const { buf, start } = g.extent(place)
    return { opening: `const $b = ${buf}`, start }
  }
  const value = g.variable()
  return { opening: `${value} = ${emitList(list, g)}\nconst $b = ${value}.buf`, start: `${value}.start` }
}

/** A slice that certainly is a list. */
export const emitList = (e: Expression, g: Generator): string =>
  isJson(g.fact(e).type) ? `R.expectList(${g.boxed(e)}, ${g.site(e)})` : g.boxed(e)

/** A function from a slice to the key, boxed. */
export const emitKey = ({ parameter, body }: KeyFunction, g: Generator): string => {
  const { item, code } = g.withLocal(g.checked.local(parameter), () => g.boxed(body))
  const n = item.number
  const scan = item.paths.length > 0 ? `${scanItem(item, g)}\n` : ''
  return `(item) => {
const b${n} = item.buf, a${n} = item.start
let e${n} = item.end
${scan}${declared(item)}return ${code}
}`
}

// Moves `e` past the item that begins at `a`, with its parts in `k`. Items that the scanner refuses are left to the interpreter.
const scanItem = ({ type, paths, number: n }: LocalCode, g: Generator): string => {
  if (paths.length === 0) return `e${n} = R.skipValue(b${n}, a${n}, ${UNCHECKED_DEPTH})`
  const scanner = makeItemScanner(type, paths)
  const captures = g.constant(new Int32Array(scanner.size))
  return `const k${n} = ${captures}
e${n} = ${g.constant(scanner.scan)}(b${n}, a${n}, k${n})
if (e${n} < 0) R.leave()`
}

const declared = ({ variables }: LocalCode): string => (variables.size > 0 ? `let ${[...variables].join(', ')}\n` : '')

/** Statements: a local is bound to the slice `value`. Its code has been generated. */
export const scanLocal = (item: LocalCode, value: string, g: Generator): readonly string[] => {
  const n = item.number
  return [
    `const { buf: b${n}, start: a${n} } = ${value}`,
    `let e${n} = ${value}.end`,
    ...(item.paths.length > 0 ? [scanItem(item, g)] : []),
    ...(item.variables.size > 0 ? [declared(item)] : []),
  ]
}

/** Statements: `body` with a local bound to the slice `value`. */
export const emitBound = (local: Local, value: string, g: Generator, body: () => string): string => {
  const { item, code } = g.withLocal(local, body)
  const n = item.number
  const scan = item.paths.length > 0 ? `${scanItem(item, g)}\n` : ''
  return `const { buf: b${n}, start: a${n} } = ${value}
let e${n} = ${value}.end
${scan}${declared(item)}${code}`
}
