// What names stand for while an expression is evaluated.

import type { Tree } from '@plumb/wire/json'
import type { Checked } from '../infer/checked.js'
import type { Local } from '../infer/environment.js'
import { type RuntimeValue, Slice } from './slice.js'
import { startSteps } from './steps.js'

/** The values of names during an evaluation: the run-time counterpart of infer/environment.ts. */
export interface Frame {
  readonly checked: Checked
  /** The whole message. */
  readonly value: RuntimeValue
  /** A field of the message. Undefined: an optional one that is absent. */
  readonly lookUp: (name: string) => RuntimeValue | undefined
  /** The innermost first. */
  readonly locals?: LocalValue | undefined
}

export interface LocalValue {
  readonly local: Local
  readonly value: RuntimeValue
  readonly outer?: LocalValue | undefined
}

/** `message` is JSON text of the input type, and `tree` its tree. At least one byte follows it. `locals` are those of the environment. */
export const openFrame = (checked: Checked, message: Buffer, tree: Tree, locals?: LocalValue): Frame => {
  startSteps()
  const slice = ({ start, end }: Tree): Slice => new Slice(message, start, end)
  const entries = tree.kind === 'object' ? tree.entries : []
  const lookUp = (name: string): Slice | undefined => {
    for (const { key, node } of entries) if (key === name) return slice(node)
    return undefined
  }
  return { checked, value: slice(tree), lookUp, locals }
}
