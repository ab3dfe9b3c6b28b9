// The numbers of a morphism, as in `batch(20, within: n)`: each is a literal or a param.

import { preview } from '@plumb/wire/preview'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { findParam, printName, type Scope } from '../names/names.js'
import type { Setting } from '../parse/ast.js'
import { writesLabel } from '../parse/visit.js'
import { printType } from '../types/print.js'
import { isSubtype } from '../types/subtype.js'
import type { Type } from '../types/type.js'

export interface SettingRule {
  /** The type of the param. */
  readonly type: Type
  readonly isRight: (value: number) => boolean
  /** What it accepts, as a sentence about the option. */
  readonly message: string
}

/** Returns undefined if it is invalid (already reported) or not known yet. */
export const readSetting = (setting: Setting, rule: SettingRule, scope: Scope, report: Report): number | undefined => {
  if (setting.kind === 'value') {
    if (typeof setting.value === 'number' && rule.isRight(setting.value)) return setting.value
    report(error('type_mismatch', rule.message, setting.span))
    return undefined
  }
  const param = findParam(setting.name, scope, report)
  if (param === 'unknown' || !param.type) return undefined
  const name = printName(setting.name)
  const refuse = (what: string, help?: string) =>
    report(error('type_mismatch', `${rule.message}; the param '${name}' ${what}`, setting.span, help))
  if (!isSubtype(param.type, rule.type)) {
    refuse(`is '${printType(param.type)}'`, `declare it as 'param ${param.name} : ${printType(rule.type)}'`)
    return undefined
  }
  if (writesLabel(param.declaration.type)) {
    refuse('is labelled', 'the order of the messages would reveal it to all that follow')
    return undefined
  }
  if (param.text === undefined) return undefined
  const value = Number(param.text)
  if (rule.isRight(value)) return value
  refuse(`is ${preview(param.text)}`)
  return undefined
}
