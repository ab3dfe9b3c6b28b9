// How expressions call bare bindings: one stage for each, for all that call it.

import type { Fault } from '@plumb/wire/error'
import { leftOut } from '../expression/run/apply.js'
import { CallFailure } from '../expression/run/failure.js'
import { Sink } from '../expression/run/sink.js'
import { endCall, startCall } from '../expression/run/steps.js'
import { type Stage, Verdict } from '../expression/stage/verdict.js'
import type { Apply, Bound } from '../names/names.js'
import { BaseStages } from './base-stage.js'

export const openApply = (): ((bound: Bound) => Apply) => {
  const stages = new BaseStages((fault) => leftOut.push(fault))
  const known = new Map<Bound, Apply>()
  return (bound) => {
    const apply = known.get(bound) ?? applying(stages.of(bound))
    known.set(bound, apply)
    return apply
  }
}

const applying = (stage: Stage): Apply => {
  // No binding calls itself, so that nothing is written here while a result is.
  const out = new Sink()
  return (message) => {
    startCall()
    try {
      const verdict = stage.run(message.buf, message.start, message.end, out)
      if (verdict === Verdict.PASS) return message
      if (verdict === Verdict.WROTE) return out
      throw new CallFailure(stage.fault as Fault)
    } finally {
      endCall()
    }
  }
}
