// flatten as one stage: the concatenation of the lists in a list, with elements unchanged.

import type { Fault } from '@plumb/wire/error'
import { eachItem, skipSpace } from '@plumb/wire/json'
import { faultOfEvaluation } from '../expression/run/failure.js'
import { Sink } from '../expression/run/sink.js'
import { put } from '../expression/run/write.js'
import { compileCheck } from '../expression/stage/stage.js'
import { type Stage, Verdict } from '../expression/stage/verdict.js'
import type { Type } from '../types/type.js'
import { notAList } from './on-each.js'

/** Its input is a list of lists of type `input`; json is checked. */
export const compileFlatten = (input: Type): Stage => new JoinLists(compileCheck(input))

const OPEN = 0x5b
const MARKS = Buffer.from('[,]')

class JoinLists implements Stage {
  fault: Fault | null = null
  /** For a list to which defaults were added. */
  readonly #filled = new Sink()

  constructor(private readonly check: Stage) {}

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const filled = this.#filled
    const verdict = this.check.run(buf, start, end, filled)
    if (verdict < 0) {
      this.fault = this.check.fault
      return verdict
    }
    const isFilled = verdict === Verdict.WROTE
    const [list, from, to] = isFilled ? [filled.buf, filled.start, filled.end] : [buf, start, end]
    try {
      this.fault = join(list, from, to, out)
    } catch (failure) {
      this.fault = faultOfEvaluation(failure)
    }
    return this.fault ? Verdict.FAILED : Verdict.WROTE
  }
}

const join = (buf: Buffer, start: number, end: number, out: Sink): Fault | null => {
  const at = skipSpace(buf, start)
  if (buf[at] !== OPEN) return notAList('flatten', buf, start, end)
  let wrong: Fault | null = null
  let p = put(out, out.at, MARKS, 0, 1)
  let count = 0
  eachItem(buf, at, (listStart, listEnd) => {
    if (buf[listStart] !== OPEN) wrong ??= notAList('flatten', buf, listStart, listEnd)
    else {
      eachItem(buf, listStart, (itemStart, itemEnd) => {
        if (count++ > 0) p = put(out, p, MARKS, 1, 2)
        p = put(out, p, buf, itemStart, itemEnd)
      })
    }
  })
  if (!wrong) out.commit(put(out, p, MARKS, 2, 3))
  return wrong
}
