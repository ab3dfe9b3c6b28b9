// The canonical text of a JSON value: the same for all its JSON texts.

import { parseTree } from './parse-tree.js'
import { stringOf, type Tree } from './tree.js'

/**
 * Sorted keys, no white space, one form of escapes and numbers. Numbers are compared by their digits and not as doubles: `1`, `1.0` and
 * `10e-1` are equal, `9007199254740993` and …992 are not. A number that a double holds exactly is written as by JSON.stringify. Text that
 * is not JSON is returned unchanged.
 */
export const canonicalJson = (json: string): string => {
  const buf = Buffer.from(json)
  const tree = parseTree(buf, 0, buf.length)
  return tree.kind === 'fault' ? json : canonicalTree(tree, buf)
}

/** The same for a part of the buffer. */
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

// Without leading and trailing zeros, with the power of ten of the last digit.
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

/** `12500` → `125`. Not by a regular expression: some take time quadratic in the number of inner zeros. */
export const withoutLastZeros = (digits: string): string => {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
