// The interface of a stage, and its verdicts on a message.

import type { Fault } from '@plumb/wire/error'
import type { Sink } from '../run/sink.js'

export enum Verdict {
  /** A filter does not hold. */
  DROP = 0,
  /** The message itself is passed on. */
  PASS = 1,
  /** The result is `out.buf[out.start..out.end)`. */
  WROTE = 2,
  /** The message is not JSON or not of the input type; `fault` says why. */
  MISMATCH = -1,
  /** The expression has no value for this message; `fault` says why. */
  FAILED = -2,
}

export interface Stage {
  /** The message is `buf[start..end)`, valid UTF-8 without a line end. */
  run(buf: Buffer, start: number, end: number, out: Sink): Verdict
  /**
   * Set after MISMATCH (input_type_mismatch, invalid_json, too_deep) and FAILED (evaluation_failed, too_deep). It has no line, port or seq.
   */
  readonly fault: Fault | null
}
