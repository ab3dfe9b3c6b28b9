// each(f) as one stage: f on every element of a list, with the results as a list in the same order.

import { atIndex, type Fault, fault } from '@plumb/wire/error'
import { eachItem, skipSpace } from '@plumb/wire/json'
import { preview } from '@plumb/wire/preview'
import { faultOfEvaluation } from '../expression/run/failure.js'
import { Sink } from '../expression/run/sink.js'
import { put, refuseDeep } from '../expression/run/write.js'
import { type Stage, Verdict } from '../expression/stage/verdict.js'

export interface OnEachOptions {
  /** Checks the list as a whole. */
  readonly check: Stage
  /** If set, failing elements are left out and reported here; else the first failure fails the list. */
  readonly skipped: ((fault: Fault) => void) | undefined
  readonly mayBeDeep: boolean
  /** The indexes of the current elements in the enclosing lists; its own is added while the body runs. */
  readonly within: number[]
}

const OPEN = 0x5b
const MARKS = Buffer.from('[,]')

export class OnEach implements Stage {
  fault: Fault | null = null
  readonly #o: OnEachOptions
  /** The result of an element, until it is written to the list. */
  readonly #sink = new Sink()

  constructor(
    private readonly body: Stage,
    options: OnEachOptions,
  ) {
    this.#o = options
  }

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { check, within } = this.#o
    const depth = within.length
    const sink = this.#sink
    const verdict = check.run(buf, start, end, sink)
    if (verdict < 0) {
      this.fault = check.fault
      return verdict
    }
    const isNew = verdict === Verdict.WROTE
    const [list, from, to] = isNew ? [sink.buf, sink.start, sink.end] : [buf, start, end]
    const at = skipSpace(list, from)
    try {
      if (list[at] !== OPEN) this.fault = notAList('each', list, from, to)
      else if (this.#write(list, at, out)) return Verdict.WROTE
    } catch (failure) {
      this.fault = faultOfEvaluation(failure)
      within.length = depth
    }
    return Verdict.FAILED
  }

  /** False: an element has failed. */
  #write(list: Buffer, at: number, out: Sink): boolean {
    const { body } = this
    const { skipped, mayBeDeep, within } = this.#o
    const sink = this.#sink
    let p = put(out, out.at, MARKS, 0, 1)
    let count = 0
    let failed: Fault | undefined
    eachItem(list, at, (start, end, index) => {
      if (failed) return
      within.push(index)
      const verdict = body.run(list, start, end, sink)
      within.pop()
      if (verdict < 0) {
        const reason = atIndex(body.fault as Fault, index)
        if (skipped) skipped(reason)
        else failed = reason
        return
      }
      if (count++ > 0) p = put(out, p, MARKS, 1, 2)
      p = verdict === Verdict.WROTE ? put(out, p, sink.buf, sink.start, sink.end) : put(out, p, list, start, end)
    })
    if (failed) {
      this.fault = failed
      return false
    }
    out.commit(put(out, p, MARKS, 2, 3))
    if (mayBeDeep) refuseDeep(out)
    return true
  }
}

export const notAList = (word: 'each' | 'flatten', buf: Buffer, start: number, end: number): Fault =>
  fault('input_type_mismatch', `'${word}' takes a list, found ${preview(buf.toString('utf8', start, end))}`)
