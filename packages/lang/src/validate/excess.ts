// Why a value is outside the limits of its field.

import type { Tree } from '@plumb/wire/json'
import { preview } from '@plumb/wire/preview'
import { measureSize } from '../scan/within.js'
import { LIMITED, limitsOf } from '../types/limits.js'
import type { Field } from '../types/type.js'
import type { Mismatch } from './mismatch.js'

/** Why a value of the field's type is outside its limits; undefined where it is not. */
export const findExcess = (field: Field, buf: Buffer, node: Tree): Mismatch | undefined => {
  const limits = limitsOf(field)
  if (!limits) return undefined
  const size = sizeOfTree(node, buf, limits.kinds)
  if (size === undefined || (size >= limits.min && size <= limits.max)) return undefined
  const broken = size < limits.min ? `less than '@min ${limits.min}'` : `more than '@max ${limits.max}'`
  const text = buf.toString('utf8', node.start, Math.min(node.end, node.start + 12 * MAX_SHOWN))
  const found = preview(text, MAX_SHOWN)
  const measure =
    node.kind === 'string' ? `has ${counted(size, 'character')}` : node.kind === 'array' ? `has ${counted(size, 'item')}` : 'is'
  return {
    path: '',
    expected: size < limits.min ? `at least ${limits.min}` : `at most ${limits.max}`,
    found,
    reason: `${found} ${measure}${node.kind === 'number' ? '' : ','} ${broken}`,
    isExcess: true,
  }
}

const MAX_SHOWN = 80

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

const sizeOfTree = (node: Tree, buf: Buffer, kinds: number): number | undefined => {
  if (node.kind === 'array') return kinds & LIMITED.list ? node.items.length : undefined
  return measureSize(buf, node.start, node.end, kinds)
}
