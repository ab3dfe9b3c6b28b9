// A string, a number with its sign, or one of the words that stand for themselves.

import type { Doc } from './doc.js'
import type { TokenReader } from './token-reader.js'

export const literal = (r: TokenReader): Doc => (r.isSymbol('-') ? [r.take(), r.glueAndTake('open')] : r.take())
