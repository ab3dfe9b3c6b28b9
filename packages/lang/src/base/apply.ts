// Calls of bare bindings in expressions: one stage for each binding, which all callers share.

import type { Fault } from '@plumb/wire/error'
import { mayLeaveOut } from '../expression/infer/callee.js'
import { leftOut } from '../expression/run/apply.js'
import { CallFailure } from '../expression/run/failure.js'
import { Sink } from '../expression/run/sink.js'
import { endCall, startCall } from '../expression/run/steps.js'
import { type Stage, Verdict } from '../expression/stage/verdict.js'
import type { Apply, Bound, Callable } from '../names/names.js'
import { BaseStages } from './base-stage.js'
import { stepsOf } from './lift-stage.js'

export const openCallables = (): ((bound: Bound) => Callable) => {
  const stages = new BaseStages((fault) => leftOut.push(fault))
  const known = new Map<Bound, Callable>()
  return (bound) => {
    const callable = known.get(bound) ?? { apply: applying(stages.of(bound)), steps: mayLeaveOut(bound) ? undefined : stepsOf(bound) }
    known.set(bound, callable)
    return callable
  }
}

const applying = (stage: Stage): Apply => {
  // No binding calls itself, so nothing is written here while a result is.
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
