// Expressions → statements that write JSON into the sink. Parts of the message are copied byte for byte; what is known in advance
// is one constant as far as it goes.

import type { Expression, RecordExpression } from '../ast.js'
import { isPresent } from '../types/presence.js'
import { resolve } from '../types/type.js'
import { emitBool } from './emit-call.js'
import { emitHeld, emitHeldOrAbsent, emitValue, isMerged, numeralOf } from './emit-value.js'
import type { Generator } from './generator.js'

/** JSON text that is always the same, or statements. */
export type Piece = { readonly text: string } | { readonly code: string }

export const emitWrite = (e: Expression, g: Generator): string => emitPieces(pieces(e, g), g)

/** A function that writes into a sink of its own (build in write.ts). */
export const emitWriter = (e: Expression, g: Generator): string => `(out) => {\nlet p = out.at\n${emitWrite(e, g)}\nreturn p\n}`

const emitPieces = (list: readonly Piece[], g: Generator): string => {
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

// What is short is written four bytes at a time, as numbers.
const emitText = (text: string, g: Generator): string => {
  const bytes = Buffer.from(text)
  const { length } = bytes
  if (length > MOST_BYTES) return `p = R.put(out, p, ${g.bytes(text)}, 0, ${length})`
  const room = `if (p + ${length} >= out.buf.length) p = out.grow(p, ${length})`
  if (length < 4) return [room, ...Array.from(bytes, (byte) => `out.buf[p++] = ${byte}`)].join('\n')
  const places = Array.from({ length: Math.ceil(length / 4) }, (_, k) => Math.min(4 * k, length - 4))
  return [room, ...places.map((at) => `out.view.setInt32(p + ${at}, ${bytes.readInt32LE(at)}, true)`), `p += ${length}`].join('\n')
}

const MOST_BYTES = 64

const code = (line: string): Piece[] => [{ code: line }]

const pieces = (e: Expression, g: Generator): Piece[] => {
  const path = g.path(e)
  if (path) return copy(path, g)
  const numeral = numeralOf(e)
  if (numeral !== undefined) return [{ text: numeral }]
  switch (e.kind) {
    case 'literal':
      // A half surrogate pair is an escape here, so this is always valid UTF-8.
      return [{ text: JSON.stringify(e.value) }]
    case 'if':
      return code(`if (${emitBool(e.condition, g)}) {\n${emitWrite(e.then, g)}\n} else {\n${emitWrite(e.else, g)}\n}`)
    case 'list':
      return [{ text: '[' }, ...e.items.flatMap((item, i) => [{ text: i > 0 ? ',' : '' }, ...pieces(item, g)]), { text: ']' }]
    case 'record':
      return isMerged(e, g) ? code(`p = R.putHeld(out, p, ${emitHeld(e, g)})`) : recordPieces(e, g)
    case 'binary':
      if (e.operator === '??') return code(emitWriteCoalesce(e.left, e.right, g))
  }
  switch (e.kind === 'call' || e.kind === 'binary' || e.kind === 'unary' ? g.form(e) : 'held') {
    case 'string':
      return code(`p = R.putString(out, p, ${emitValue(e, g)})`)
    case 'int':
    case 'number':
      return code(
        e.kind === 'call' && e.function.text === 'number'
          ? `p = R.putHeld(out, p, ${emitHeld(e, g)})`
          : `p = R.putNumber(out, p, ${emitValue(e, g)})`,
      )
    case 'bool':
      return code(`p = R.putBool(out, p, ${emitValue(e, g)})`)
    default:
      return code(`p = R.putHeld(out, p, ${emitHeld(e, g)})`)
  }
}

const copy = (path: readonly (string | number)[], g: Generator): Piece[] => {
  const { start, end } = g.extent(path)
  return code(`p = R.put(out, p, b, ${start}, ${end})`)
}

const emitWriteCoalesce = (left: Expression, right: Expression, g: Generator): string => {
  const path = g.path(left)
  if (path) return `if (${g.extent(path).start} >= 0) {\n${emitWrite(left, g)}\n} else {\n${emitWrite(right, g)}\n}`
  const held = g.variable()
  return `${held} = ${emitHeldOrAbsent(left, g)}\nif (${held} !== undefined) p = R.putHeld(out, p, ${held})\nelse {\n${emitWrite(right, g)}\n}`
}

/** Where the value of a field comes from: under a condition, then what stands in for it when that does not hold. */
interface Origin {
  readonly isThere?: string
  readonly pieces: readonly Piece[]
  readonly otherwise?: Origin
}

const recordPieces = (e: RecordExpression, g: Generator): Piece[] => {
  const origins = new Map<string, Origin>()
  for (const part of e.parts) {
    if (part.kind === 'field') origins.set(part.name.text, { pieces: pieces(part.value, g) })
    else spreadInto(origins, part.of, g)
  }
  const result: Piece[] = [{ text: '{' }]
  // Whether a comma has to go before the next field: known until an optional field comes first.
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

const alternatives = ({ isThere, pieces, otherwise }: Origin, g: Generator): readonly Piece[] => {
  if (isThere === undefined || !otherwise) return pieces
  return code(`if (${isThere}) {\n${emitPieces(pieces, g)}\n} else {\n${emitPieces(alternatives(otherwise, g), g)}\n}`)
}

const optional = (key: string, origin: Origin, g: Generator, before = ''): Piece[] => {
  const conditions: string[] = []
  for (let o: Origin | undefined = origin; o; o = o.otherwise) if (o.isThere !== undefined) conditions.push(o.isThere)
  return code(`if (${conditions.join(' || ')}) {\n${before}\n${emitPieces([{ text: key }, ...alternatives(origin, g)], g)}\n}`)
}

const spreadInto = (origins: Map<string, Origin>, e: Expression, g: Generator): void => {
  const path = g.path(e)
  const type = resolve(g.fact(e).type)
  if (!path || type.kind !== 'record') throw new TypeError(`not spread in place: ${e.kind}`)
  for (const field of type.fields) {
    const part = [...path, field.name]
    const earlier = origins.get(field.name)
    if (isPresent(field)) origins.set(field.name, { pieces: copy(part, g) })
    else
      origins.set(field.name, {
        isThere: `${g.extent(part).start} >= 0`,
        pieces: copy(part, g),
        ...(earlier ? { otherwise: earlier } : {}),
      })
  }
}
