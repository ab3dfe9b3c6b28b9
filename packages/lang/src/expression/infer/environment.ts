// What the names of an expression stand for. All that infers, interprets or compiles an expression is given one of these.

import type { Type } from '../../types/type.js'

export interface Environment {
  /** The type of the message: `value`. The fields of a record are names too; anything else may be called by one free name. */
  readonly input: Type
}
