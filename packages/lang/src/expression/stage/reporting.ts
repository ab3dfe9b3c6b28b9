// A stage whose expression calls a binding that may leave elements out of a list: they are reported once, by generated code and interpreter
// alike.

import type { Fault } from '@plumb/wire/error'
import type { Checked } from '../infer/checked.js'
import type { Environment } from '../infer/environment.js'
import { leftOut } from '../run/apply.js'
import type { Sink } from '../run/sink.js'
import type { Stage, Verdict } from './verdict.js'

export const withReports = (stage: Stage, checked: Checked, { report = () => {} }: Environment): Stage =>
  checked.mayLeaveOut ? new Reporting(stage, report) : stage

class Reporting implements Stage {
  fault: Fault | null = null

  constructor(
    private readonly stage: Stage,
    private readonly report: (fault: Fault) => void,
  ) {}

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { length } = leftOut
    const verdict = this.stage.run(buf, start, end, out)
    this.fault = this.stage.fault
    for (const fault of leftOut.splice(length)) this.report(fault)
    return verdict
  }
}
