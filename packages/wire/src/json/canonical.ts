// The one text that all JSON texts of a value have in common.

import { parseTree } from './parse-tree.js'
import { stringOf, type Tree } from './tree.js'

/**
 * Keys in order, no white space, escapes and numbers in one form. Numbers are compared by their digits and not as doubles: `1`, `1.0` and
 * `10e-1` are equal, `9007199254740993` and …992 are not. One that a double holds is written as JSON.stringify does. Text that is no JSON
 * stays as it is.
 */
export const canonicalJson = (json: string): string => {
  const buf = Buffer.from(json)
  const tree = parseTree(buf, 0, buf.length)
  return tree.kind === 'fault' ? json : canonicalTree(tree, buf)
}

/** The same of a part of it. */
export const canonicalTree = (node: Tree, buf: Buffer): string => {
  switch (node.kind) {
    case 'object': {
      const entries = [...node.entries].sort((a, b) => (a.key < b.key ? -1 : 1))
      return `{${entries.map((entry) => `${JSON.stringify(entry.key)}:${canonicalTree(entry.node, buf)}`).join(',')}}`
    }
    case 'array':
      return `[${node.items.map((item) => canonicalTree(item, buf)).join(',')}]`
    case 'string':
      return JSON.stringify(stringOf(node, buf))
    case 'number':
      return canonicalNumber(buf.toString('latin1', node.start, node.end))
    default:
      return node.kind
  }
}

const canonicalNumber = (text: string): string => {
  const asDouble = JSON.stringify(Number(text))
  if (asDouble === text) return text
  const digits = digitsOf(text)
  return asDouble !== 'null' && digits === digitsOf(asDouble) ? asDouble : digits
}

// Without zeros around them, and the power of ten of the last one.
const digitsOf = (text: string): string => {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const isNegative = mantissa.startsWith('-')
  const [whole = '', fraction = ''] = (isNegative ? mantissa.slice(1) : mantissa).split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = withoutLastZeros(digits)
  if (significant === '') return '0'
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)
  return `${isNegative ? '-' : ''}${significant}${power === 0n ? '' : `e${power}`}`
}

/** `12500` → `125`. Not by a pattern: of those, some take time with the square of the zeros that are not last. */
export const withoutLastZeros = (digits: string): string => {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
