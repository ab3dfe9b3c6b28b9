// Generates statements that write JSON into the sink. Parts of the message are copied byte for byte; constant text is merged into one
// constant as far as possible.

import { unreachable } from '../../diagnostic/unreachable.js'
import type { CallExpression, Comprehension, Expression, MatchExpression, RecordExpression } from '../../parse/ast.js'
import { isPresent as isSurelyPresent } from '../../types/required-fields.js'
import { resolve } from '../../types/type.js'
import type { Form } from '../infer/checked.js'
import { isMerged, numeralOf, type ValuePosition } from '../infer/checked.js'
import { emitLeft, isPresent, isThere } from './absent.js'
import { bindLet, bindMatch } from './bind.js'
import type { FusedInput } from './fused-input.js'
import type { Generator } from './generator.js'
import { inlined } from './inline.js'
import type { CodeExtent } from './local-code.js'
import { emitLoops } from './loop.js'
import { emitBool } from './operand.js'

/** Constant JSON text, or statements. */
export type OutputPiece = { readonly text: string } | { readonly code: string }

export const emitWrite = (e: Expression, g: Generator): string => emitPieces(pieces(e, g), g)

/** The same for values of earlier stages. */
export const emitWriteInput = (input: FusedInput, g: Generator): string => emitPieces(inputPieces(input, g), g)

/** A function that writes into a sink of its own (build in write.ts). */
export const emitWriter = (e: Expression, g: Generator): string => `(out) => {\nlet p = out.at\n${emitWrite(e, g)}\nreturn p\n}`

const emitPieces = (list: readonly OutputPiece[], g: Generator): string => {
  const lines: string[] = []
  let text = ''
  const flush = () => {
    if (text !== '') lines.push(emitText(text, g))
    text = ''
  }
  for (const piece of list) {
    if ('text' in piece) text += piece.text
    else {
      flush()
      lines.push(piece.code)
    }
  }
  flush()
  return lines.join('\n')
}

// Short texts are written four bytes at a time, as numbers.
const emitText = (text: string, g: Generator): string => {
  const bytes = Buffer.from(text)
  const { length } = bytes
  if (length > MAX_INLINE_BYTES) return `p = R.put(out, p, ${g.bytes(text)}, 0, ${length})`
  const room = `p = R.room(out, p, ${length})`
  if (length < 4) return [room, ...Array.from(bytes, (byte) => `out.buf[p++] = ${byte}`)].join('\n')
  const places = Array.from({ length: Math.ceil(length / 4) }, (_, k) => Math.min(4 * k, length - 4))
  return [room, ...places.map((at) => `out.view.setInt32(p + ${at}, ${bytes.readInt32LE(at)}, true)`), `p += ${length}`].join('\n')
}

const MAX_INLINE_BYTES = 64

const code = (line: string): OutputPiece[] => [{ code: line }]

const pieces = (e: Expression, g: Generator): OutputPiece[] => {
  const place = g.place(e)
  if (place) return copy(place, g)
  const computed = g.computed(e)
  if (computed) return writeComputed(computed.variable, computed.form)
  const constant = g.checked.constant(e)
  // As a literal string is written, with an escape for a surrogate half.
  if (constant !== undefined) return [{ text: constant.startsWith('"') ? JSON.stringify(JSON.parse(constant)) : constant }]
  const numeral = numeralOf(e)
  if (numeral !== undefined) return [{ text: numeral }]
  switch (e.kind) {
    case 'literal':
      // A surrogate half is an escape here, so this is always valid UTF-8.
      return [{ text: JSON.stringify(e.value) }]
    case 'if':
      return code(`if (${emitBool(e.condition, g)}) {\n${emitWrite(e.then, g)}\n} else {\n${emitWrite(e.else, g)}\n}`)
    case 'let': {
      const { before, result } = bindLet(e, g, (body) => emitWrite(body, g))
      return code(before.length === 0 ? result : `{\n${before.join('\n')}\n${result}\n}`)
    }
    case 'match':
      return code(emitWriteMatch(e, g))
    case 'list':
      return [{ text: '[' }, ...e.items.flatMap((item, i) => [{ text: i > 0 ? ',' : '' }, ...pieces(item, g)]), { text: ']' }]
    case 'record':
      return isMerged(e, g) ? code(`p = R.putValue(out, p, ${g.boxed(e)})`) : recordPieces(e, g)
    case 'binary':
      return e.operator === '??' ? code(emitWriteCoalesce(e.left, e.right, g)) : resultPieces(e, g)
    case 'call':
      return callPieces(e, g)
    case 'comprehension':
      return comprehensionPieces(e, g)
    case 'unary':
    case 'slice':
    case 'template':
      return resultPieces(e, g)
    case 'name':
    case 'field':
    case 'index':
      return writeComputed(g.boxed(e), 'boxed')
    default:
      return unreachable(e)
  }
}

const comprehensionPieces = (e: Comprehension, g: Generator): OutputPiece[] => {
  const isLater = g.variable()
  const comma = emitPieces([{ text: ',' }], g)
  const item = () => `if (${isLater}) {\n${comma}\n} else ${isLater} = true\n${emitWrite(e.item, g)}`
  return [{ text: '[' }, { code: `${isLater} = false\n${emitLoops(e, g, item)}` }, { text: ']' }]
}

const callPieces = (e: CallExpression, g: Generator): OutputPiece[] => {
  if (g.checked.resultOf(e) !== 'moved') return resultPieces(e, g)
  const call = inlined(e, g, (body, inner) => (isMade(body) ? pieces(body, inner) : undefined))
  return call ? [...call.before.map((line) => ({ code: line })), ...call.result] : writeComputed(g.boxed(e), 'boxed')
}

const isMade = ({ kind }: Expression): boolean => kind === 'record' || kind === 'list' || kind === 'comprehension'

// Of an operator or a function.
const resultPieces = (e: Expression, g: Generator): OutputPiece[] => {
  const form = g.form(e)
  return form === 'boxed' || form === 'unit' ? writeComputed(g.boxed(e), 'boxed') : writeComputed(g.value(e), form)
}

const writeComputed = (value: string, form: Form): OutputPiece[] => {
  switch (form) {
    case 'string':
      return code(`p = R.putString(out, p, ${value})`)
    case 'int':
    case 'number':
      return code(`p = R.putNumber(out, p, ${value})`)
    case 'bool':
      return code(`p = R.putBool(out, p, ${value})`)
    default:
      return code(`p = R.putValue(out, p, ${value})`)
  }
}

const copy = (place: ValuePosition, g: Generator): OutputPiece[] => inputPieces(g.input(place), g)

const copied = ({ buf, start, end }: CodeExtent): OutputPiece[] => code(`p = R.put(out, p, ${buf}, ${start}, ${end})`)

const inputPieces = (input: FusedInput, g: Generator): OutputPiece[] => {
  if (input.kind === 'value') return writeComputed(input.variable, input.form)
  if (input.kind === 'record') {
    const origins = new Map<string, Origin>()
    for (const [name, field] of input.fields) {
      const isThere = field.kind === 'place' && field.mayBeAbsent ? `${g.placed(field).start} >= 0` : undefined
      origins.set(name, { pieces: inputPieces(field, g), ...(isThere === undefined ? {} : { isThere }) })
    }
    return fieldPieces(origins, g)
  }
  return copied(g.placed(input))
}

const emitWriteMatch = (e: MatchExpression, g: Generator): string => {
  const { choice, arms } = bindMatch(e, g, (body) => emitWrite(body, g))
  const branches = arms.map(
    ({ condition, before, result }) => `${condition ? `if (${condition}) ` : ''}{\n${[...before, result].join('\n')}\n}`,
  )
  return `${choice}\n${branches.join(' else ')}`
}

const emitWriteCoalesce = (left: Expression, right: Expression, g: Generator): string => {
  const place = g.place(left)
  if (place) return `if (${isPresent(left, place, g)}) {\n${emitWrite(left, g)}\n} else {\n${emitWrite(right, g)}\n}`
  const boxed = g.variable()
  return `${boxed} = ${emitLeft(left, g)}\nif (${boxed} !== undefined) p = R.putValue(out, p, ${boxed})\nelse {\n${emitWrite(right, g)}\n}`
}

/** The source of a field's value: under a condition, then the alternative if it does not hold. */
interface Origin {
  readonly isThere?: string
  readonly pieces: readonly OutputPiece[]
  readonly otherwise?: Origin
}

const recordPieces = (e: RecordExpression, g: Generator): OutputPiece[] => {
  const origins = new Map<string, Origin>()
  for (const part of e.parts) {
    if (part.kind === 'computed') continue
    if (part.kind === 'field') origins.set(part.name.text, { pieces: pieces(part.value, g) })
    else spreadInto(origins, part.of, g)
  }
  return fieldPieces(origins, g)
}

const fieldPieces = (origins: ReadonlyMap<string, Origin>, g: Generator): OutputPiece[] => {
  const result: OutputPiece[] = [{ text: '{' }]
  // Whether a comma has to precede the next field: known until an optional field comes first.
  let isLater: boolean | string = false
  for (const [name, origin] of origins) {
    const key = `${JSON.stringify(name)}:`
    if (isLater === false && isSure(origin)) {
      result.push({ text: key }, ...alternatives(origin, g))
      isLater = true
    } else if (isLater === true && isSure(origin)) result.push({ text: `,${key}` }, ...alternatives(origin, g))
    else if (isLater === true) result.push(...optional(`,${key}`, origin, g))
    else {
      if (isLater === false) {
        isLater = g.variable()
        result.push({ code: `${isLater} = false` })
      }
      const comma = `if (${isLater}) {\n${emitPieces([{ text: ',' }], g)}\n}\n${isLater} = true`
      if (isSure(origin)) {
        result.push({ code: comma }, { text: key }, ...alternatives(origin, g))
        isLater = true
      } else result.push(...optional(key, origin, g, comma))
    }
  }
  return [...result, { text: '}' }]
}

const isSure = (origin: Origin): boolean => origin.isThere === undefined || (origin.otherwise !== undefined && isSure(origin.otherwise))

const alternatives = ({ isThere, pieces, otherwise }: Origin, g: Generator): readonly OutputPiece[] => {
  if (isThere === undefined || !otherwise) return pieces
  return code(`if (${isThere}) {\n${emitPieces(pieces, g)}\n} else {\n${emitPieces(alternatives(otherwise, g), g)}\n}`)
}

const optional = (key: string, origin: Origin, g: Generator, before = ''): OutputPiece[] => {
  const conditions: string[] = []
  for (let o: Origin | undefined = origin; o; o = o.otherwise) if (o.isThere !== undefined) conditions.push(o.isThere)
  return code(`if (${conditions.join(' || ')}) {\n${before}\n${emitPieces([{ text: key }, ...alternatives(origin, g)], g)}\n}`)
}

const spreadInto = (origins: Map<string, Origin>, e: Expression, g: Generator): void => {
  const place = g.place(e)
  const type = resolve(g.fact(e).type)
  if (!place || type.kind !== 'record') throw new TypeError(`not spread in place: ${e.kind}`)
  for (const field of type.fields) {
    const part = { root: place.root, path: [...place.path, field.name] }
    const earlier = origins.get(field.name)
    if (isSurelyPresent(field)) origins.set(field.name, { pieces: copy(part, g) })
    else
      origins.set(field.name, {
        isThere: isThere(part, g),
        pieces: copy(part, g),
        ...(earlier ? { otherwise: earlier } : {}),
      })
  }
}
