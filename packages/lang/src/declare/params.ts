// Params: the constants of a program whose values may come from outside.

import { type Fault, fault } from '@plumb/wire/error'
import type { GivenValue, GivenValues } from '@plumb/wire/given-values'
import { parseTree } from '@plumb/wire/json'
import { nearest } from '@plumb/wire/nearest'
import { preview } from '@plumb/wire/preview'
import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Param, Scope } from '../names/names.js'
import type { ParamDeclaration } from '../parse/ast.js'
import { textOfConstant } from '../parse/constant.js'
import { writesSecret } from '../parse/visit.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'
import { checkTree, describeToAuthor } from '../validate/check-tree.js'
import { fitText } from '../validate/fit.js'
import { declaredType } from './declare.js'
import { filledText } from './fill-default.js'

/** A param by its name on the command line: `rate`, or `Tax.rate` of a module. */
export interface NamedParam {
  readonly name: string
  readonly param: Param
  /** Its value was given; else it has its default, if any. */
  readonly isGiven: boolean
  /** Its type, or a part of it, is labelled secret. */
  readonly isSecret: boolean
}

export interface DeclaredParams {
  readonly params: readonly NamedParam[]
  /** Why the given values are not enough for a run; empty if no values are required. */
  readonly faults: readonly Fault[]
}

/** Fills `params` of all scopes. `given`: undefined if nothing will be run. */
export const declareParams = (scopes: readonly Scope[], entry: Scope, given: GivenValues | undefined, report: Report): DeclaredParams => {
  const prefixes = prefixesOf(entry)
  const params: NamedParam[] = []
  const faults: Fault[] = []
  for (const scope of scopes) {
    for (const item of scope.module.program.items) {
      if (item.kind !== 'param') continue
      const first = scope.params.get(item.name.text)
      if (first) reportDuplicate('param', item.name.text, first.declaration.name.span, item.name.span, report)
      else params.push(declare(item, scope, prefixes.get(scope) ?? '', given, faults, report))
    }
  }
  if (given) faults.push(...unknownNames(given, params), ...missingValues(params))
  return { params, faults }
}

const declare = (
  item: ParamDeclaration,
  scope: Scope,
  prefix: string,
  given: GivenValues | undefined,
  faults: Fault[],
  report: Report,
): NamedParam => {
  const { text: own } = item.name
  const type = declaredType(item.type, scope, report)
  const name = `${prefix}${own}`
  const isDefaultRight = !type || !item.default || fitsDefault(item, type, report)
  const isSecret = writesSecret(item.type)
  const value = given?.find({ name, path: scope.module.path, own })
  const text = value && type ? valueOf(name, type, isSecret, value, faults) : undefined
  const standIn = isDefaultRight && item.default ? textOfConstant(item.default) : undefined
  const filled = type && standIn !== undefined ? (filledText(type, standIn) ?? standIn) : standIn
  const param: Param = { name: own, declaration: item, scope, type, text: text ?? filled }
  scope.params.set(own, param)
  return { name, param, isGiven: value !== undefined, isSecret }
}

const fitsDefault = ({ name, default: standIn }: ParamDeclaration, type: Type, report: Report): boolean => {
  if (!standIn) return true
  const bytes = Buffer.from(textOfConstant(standIn))
  const tree = parseTree(bytes, 0, bytes.length)
  const mismatch = tree.kind === 'fault' ? undefined : checkTree(type, bytes, tree)
  if (!mismatch) return true
  report(error('type_mismatch', `the default of '${name.text}' does not fit its type: ${describeToAuthor(mismatch)}`, standIn.span))
  return false
}

/** JSON; plain text if the type is string, or accepts the text but not its value as JSON. */
const valueOf = (name: string, type: Type, isSecret: boolean, { text, isPlain, from }: GivenValue, faults: Fault[]): string | undefined => {
  const plain = isPlain ? JSON.stringify(text) : undefined
  if (plain !== undefined && variantsOf(type).every(({ kind }) => kind === 'string')) return plain
  const options = { what: `the value of param '${name}', from ${from},`, code: 'input_type_mismatch', isToAuthor: true } as const
  const fit = fitText(text, type, options)
  if (fit.ok) return fit.value.json
  const asText = plain === undefined ? undefined : fitText(plain, type, options)
  if (asText?.ok) return asText.value.json
  // What is not JSON was meant as text, where there is a type for that.
  const isText =
    fit.error.error === 'invalid_json' && asText && variantsOf(type).some(({ kind }) => kind === 'string' || kind === 'literal')
  const { detail } = isText ? asText.error : fit.error
  faults.push(fault('config_invalid', isSecret ? `${options.what} does not fit ${printType(type)}: it is '***' here` : detail))
  return undefined
}

const unknownNames = (given: GivenValues, params: readonly NamedParam[]): Fault[] => {
  const known = new Set(params.map(({ name }) => name))
  return given.named
    .filter((name) => !known.has(name))
    .map((name) => {
      const near = nearest(name, [...known])
      const help = near !== undefined ? `did you mean '${near}'?` : known.size === 0 ? 'it has none' : `it has ${[...known].join(', ')}`
      return fault('usage', `the spec has no param '${preview(name)}' (--set): ${help}`)
    })
}

// All in one error, which is one cause.
const missingValues = (params: readonly NamedParam[]): Fault[] => {
  const missing = params.filter(({ param, isGiven }) => param.text === undefined && param.type && !isGiven)
  const [first] = missing
  if (!first) return []
  const names = missing.map(({ name, param }) => `'${name}' (${preview(param.type ? printType(param.type) : '')})`).join(', ')
  const sets = missing.map(({ name }) => `--set ${name}=VALUE`).join(' ')
  return [
    fault('missing_option', `no value for ${missing.length === 1 ? 'param' : 'params'} ${names}: give ${sets}, or a file with --set-file`),
  ]
}

/** The prefix of a scope's params on the command line: the names of `use` that lead to it from the entry, each with a point. */
const prefixesOf = (entry: Scope): ReadonlyMap<Scope, string> => {
  const prefixes = new Map([[entry, '']])
  // A map iterates over entries that are added meanwhile.
  for (const [scope, prefix] of prefixes) {
    for (const [name, module] of scope.modules) if (!prefixes.has(module)) prefixes.set(module, `${prefix}${name}.`)
  }
  return prefixes
}

/** By file and name, for children. */
export const givenTexts = (params: readonly NamedParam[]): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  const texts: Record<string, Record<string, string>> = Object.create(null)
  for (const { param, isGiven } of params) {
    if (!isGiven || param.text === undefined) continue
    const { path } = param.scope.module
    const own = texts[path] ?? Object.create(null)
    own[param.name] = param.text
    texts[path] = own
  }
  return texts
}
