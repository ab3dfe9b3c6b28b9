// The inner calls of a map's call: each is recorded with its result, and not made again when the run is resumed.

import type { KeptParts } from '@plumb/tool/internal'
import { type Result, succeed } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import { answerKey, type RecordedOutcome } from '../record/resume/answers.js'

interface Begun extends KeptParts {
  /** The number of the call in the record. */
  readonly call: number
}

/** Undefined: nothing is recorded. */
export const partsKeeper = (
  place: string,
  { resumed, emitter }: Pick<SpawnSettings, 'resumed' | 'emitter'>,
): ((seq: number, of: string) => Begun) | undefined => {
  if (!emitter) return undefined
  const before = resumed?.get(place)?.parts
  let last = before?.last ?? 0
  return (seq, of) => {
    const { call, outcomes } = before?.take(seq, of) ?? { call: ++last, outcomes: undefined }
    return {
      call,
      take: (tool, input) => {
        const outcome = outcomes?.get(answerKey(tool, input))?.shift()
        return outcome && resultOf(outcome)
      },
      note: (tool, input, result) => emitter.emit({ kind: 'called_part', process: place, seq, of, call, tool, input, result }),
    }
  }
}

const resultOf = (outcome: RecordedOutcome): Result<string> =>
  outcome.fault ? { ok: false, error: outcome.fault } : succeed(outcome.output)
