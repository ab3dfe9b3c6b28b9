// Refuses sums whose variants overlap, and defaults of the wrong type: both need all types to be known.

import { parseTree } from '@plumb/wire/json'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { unreachable } from '../diagnostic/unreachable.js'
import type { FieldType, TypeExpression } from '../parse/ast.js'
import { textOfConstant } from '../parse/constant.js'
import { findOverlap } from '../types/disjoint.js'
import { limitedKinds } from '../types/limits.js'
import { printType } from '../types/print.js'
import type { Field, Type } from '../types/type.js'
import { checkTree, describeToAuthor } from '../validate/check-tree.js'
import { findExcess } from '../validate/excess.js'
import { filledText } from './fill-default.js'

/** True if something was reported. `read` returns the type of a part; undefined if it has an error. */
export const refuseParts = (e: TypeExpression, read: (e: TypeExpression) => Type | undefined, report: Report): boolean => {
  const refuse = (part: TypeExpression): boolean => refuseParts(part, read, report)
  switch (e.kind) {
    case 'labelled':
      return refuse(e.type)
    case 'array':
    case 'map':
      return refuse(e.item)
    case 'tuple':
      return anyOf(e.items, refuse)
    case 'record':
      return anyOf(e.fields, (f) => refuse(f.type) || refuseLimits(f, read, report) || refuseDefault(f, read, report))
    case 'sum':
      return anyOf(e.variants, refuse) || refuseOverlap(e.variants, read, report)
    case 'primitive':
    case 'literal':
    case 'named':
      return false
    default:
      return unreachable(e)
  }
}

/** One error a sum: at the first variant that overlaps an earlier one. */
const refuseOverlap = (list: readonly TypeExpression[], read: (e: TypeExpression) => Type | undefined, report: Report): boolean => {
  const variants = list.flatMap((v) => {
    const type = read(v)
    return type ? [{ type, span: v.span }] : []
  })
  const overlap = findOverlap(variants.map(({ type }) => type))
  const [a, b] = overlap ? [variants[overlap.first], variants[overlap.second]] : []
  if (!overlap || !a || !b) return false
  const message = `variants '${printType(a.type)}' and '${printType(b.type)}' overlap: both accept ${overlap.shared}`
  const help = 'the variants of a sum are disjoint; give records a literal field that tells them apart, as in kind: "a"'
  report(error('overlapping_sum', message, b.span, help))
  return true
}

const refuseLimits = (f: FieldType, read: (e: TypeExpression) => Type | undefined, report: Report): boolean => {
  const limits = f.annotations.filter(({ name }) => name.text === 'min' || name.text === 'max')
  const type = limits.length > 0 ? read(f.type) : undefined
  const [first] = limits
  if (!type || !first) return false
  const fail = (message: string, help?: string) => {
    report(error('annotation_invalid', message, first.span, help))
    return true
  }
  if (limitedKinds(type) === 0) {
    const help = 'it belongs on a field that has number, int, string or a list among its variants'
    return fail(`'@${first.name.text}' says nothing of '${f.name.text}', which is '${printType(type)}'`, help)
  }
  const numberOf = (word: string) => limits.find(({ name }) => name.text === word)?.value.value
  const [min, max] = [numberOf('min'), numberOf('max')]
  const isTurned = typeof min === 'number' && typeof max === 'number' && min > max
  return isTurned && fail(`'@min ${min}' is above '@max ${max}': no value fits`, 'turn them round')
}

const refuseDefault = (f: FieldType, read: (e: TypeExpression) => Type | undefined, report: Report): boolean => {
  const type = f.default && read(f.type)
  if (!f.default || !type) return false
  const bytes = Buffer.from(textOfConstant(f.default))
  const tree = parseTree(bytes, 0, bytes.length)
  const mismatch = tree.kind === 'fault' ? undefined : (checkTree(type, bytes, tree) ?? findExcess(fieldWith(f, type), bytes, tree))
  if (!mismatch && filledText(type, textOfConstant(f.default)) !== undefined) return false
  if (!mismatch) {
    const help = 'its own defaults are filled in: give a part of it that ends, or make that field optional'
    report(error('type_mismatch', `the default of '${f.name.text}' holds itself without end`, f.default.span, help))
    return true
  }
  report(error('type_mismatch', `the default of '${f.name.text}' does not fit its type: ${describeToAuthor(mismatch)}`, f.default.span))
  return true
}

const fieldWith = ({ name, annotations }: FieldType, type: Type): Field => {
  const numbers = annotations.flatMap((a) => (typeof a.value.value === 'number' ? [[a.name.text, a.value.value] as const] : []))
  return { name: name.text, type, isOptional: true, ...Object.fromEntries(numbers) }
}

// Not Array.some: every member is checked, so that every error is reported.
const anyOf = <T>(list: readonly T[], test: (t: T) => boolean): boolean => list.map(test).some(Boolean)
