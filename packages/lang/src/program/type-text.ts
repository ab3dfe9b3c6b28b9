// A type that is written outside of any spec, such as on a command line.

import type { Program } from '../compile.js'
import { declaredType } from '../declare/declare.js'
import type { Report } from '../diagnostic/diagnostic.js'
import { parseTypeText } from '../parse/parser.js'
import type { Type } from '../types/type.js'

/** Names mean what they mean in the file that was named; undefined when it has errors, which were reported. */
export const typeOf = (text: string, { entry }: Program, report: Report): Type | undefined => {
  const parsed = parseTypeText({ path: '<type>', text }, report)
  return parsed && declaredType(parsed, entry, report)
}
