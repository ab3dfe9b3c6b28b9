// The calls of a map of a tool: each is recorded with its result, and not made again when the run is resumed.

import { type Result, succeed } from '@plumb/wire'
import type { RunEmitter } from '../../event/emitter.js'
import type { CallsOptions } from '../../graph/morphism/calls.js'
import type { RecordedAnswers } from './answers.js'

export const keptCalls = (
  place: string,
  resumed: ReadonlyMap<string, RecordedAnswers> | undefined,
  emitter: RunEmitter | undefined,
): Pick<CallsOptions, 'kept' | 'answered'> => {
  const answers = resumed?.get(place)
  return {
    kept: (seq, input): Result<string> | undefined => {
      const outcome = answers?.take(seq, input)
      return outcome && (outcome.fault ? { ok: false, error: outcome.fault } : succeed(outcome.output))
    },
    answered: (seq, input, result) => emitter?.emit({ kind: 'called', process: place, seq, input, result, call: result.call }),
  }
}
