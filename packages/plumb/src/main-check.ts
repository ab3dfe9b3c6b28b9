// The options of check. A check that is spelt plainly is read without commander: an editor or a build asks for many.

import type { RunOption } from '@plumb/runtime/options'
import { parsePlainArguments } from '@plumb/wire'
import { isOfPlumb } from './main-run.js'

export interface CheckFlags {
  json?: boolean
  flows?: boolean
  eval?: string
}

export const CHECK_OPTIONS: readonly RunOption[] = [
  { flags: '--json', text: 'one object a line, on standard output' },
  { flags: '--flows', text: 'where data may go, and each way across' },
  { flags: '-e, --eval <text>', text: 'take the spec from the command line' },
]

export interface CheckArguments {
  readonly specs: readonly string[]
  readonly flags: CheckFlags
}

/** What commander would parse. Undefined: not a plainly spelt check, and possibly anything. */
export const readPlainCheck = (argv: readonly string[]): CheckArguments | undefined => {
  const [name, ...words] = argv
  if (name !== 'check' || words.some((word) => word === '--' || isOfPlumb(word))) return undefined
  const plain = parsePlainArguments<CheckFlags>(CHECK_OPTIONS, words, Number.POSITIVE_INFINITY)
  return plain && { specs: plain.operands, flags: plain.values }
}

export const checkOptionsOf = ({ json, flows, eval: text }: CheckFlags) => ({
  json: json === true,
  flows: flows === true,
  ...(text === undefined ? {} : { eval: text }),
})
