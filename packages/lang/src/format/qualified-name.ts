// `name` or `Module.name`.

import type { QualifiedName } from '../parse/ast.js'
import type { Doc } from './doc.js'
import type { TokenReader } from './token-reader.js'

export const qualifiedName = (r: TokenReader, { module }: QualifiedName): Doc =>
  module ? [r.take(), r.glueAndTake('close'), r.glueAndTake('open')] : r.take()
