// What a built-in is given, held against its own declaration: a spec may have declared less of it, or types that are known at the call alone.

import type { Type } from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'
import { fitInput } from '../../call/validate.js'
import type { JsonText } from '../../tool.js'

export const readDeclared = (json: JsonText, declared: Type): Result<unknown> => {
  const fit = fitInput(json, declared)
  return fit.ok ? succeed(JSON.parse(fit.value.json)) : fit
}
