// Where data may go, for a program that has been compiled: looked at where the spec has a word for it, or the command line asks for it (plumb-flows(7)).

import { type Compiled, hasErrors, writesFlowWords } from '@plumb/lang'
import { effectsOf } from './effects.js'

export interface FlowsAsked {
  /** `--flows`: errors also where the spec has no word for a label. */
  readonly flows?: boolean | undefined
  /** Warnings are wanted too. */
  readonly isCheck?: boolean
}

/** With the diagnostics of its flows. What that takes is loaded only where it is needed. */
export const withFlows = async (compiled: Compiled, { flows, isCheck = false }: FlowsAsked): Promise<Compiled> => {
  const isStrict = flows === true || process.env.PLUMB_FLOWS === '1'
  if (hasErrors(compiled.diagnostics) || !(isStrict || isCheck || writesFlowWords(compiled.program))) return compiled
  const { checkFlows } = await import('@plumb/lang/flow')
  const found = checkFlows(compiled.program, { effectsOf, isStrict })
  return found.length === 0 ? compiled : { ...compiled, diagnostics: [...compiled.diagnostics, ...found] }
}
