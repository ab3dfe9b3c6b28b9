// Checks where data may go in a compiled program, if the spec uses labels or the command line asks for the check (plumb-flows(7)).

import { type Compiled, hasErrors, mayLabel, writesFlowWords } from '@plumb/lang'
import { effectsOf } from './effects.js'

export interface FlowsAsked {
  /** `--flows`: also reports errors in specs that use no label. */
  readonly flows?: boolean | undefined
  /** Report warnings too. */
  readonly isCheck?: boolean
}

/** Adds the diagnostics of data flows. The code for it is loaded only when it is needed. */
export const withFlows = async (compiled: Compiled, { flows, isCheck = false }: FlowsAsked): Promise<Compiled> => {
  const isStrict = flows === true || process.env.PLUMB_FLOWS === '1'
  if (hasErrors(compiled.diagnostics) || !(isStrict || isCheck || writesFlowWords(compiled.program))) return compiled
  if (!mayLabel(compiled.program)) return compiled
  const { checkFlows } = await import('@plumb/lang/flow')
  const found = checkFlows(compiled.program, { effectsOf, isStrict })
  return found.length === 0 ? compiled : { ...compiled, diagnostics: [...compiled.diagnostics, ...found] }
}
