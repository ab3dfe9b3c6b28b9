// Why an expression has no value for this message. Generated code throws it, because it can occur inside any sub-expression; the stage
// catches it and makes it a fault. It is not an Error: a stack for every bad line would waste time.

import { type Fault, fault } from '@plumb/wire/error'

export class EvaluationFailure {
  constructor(
    readonly detail: string,
    readonly code: 'evaluation_failed' | 'too_deep' | 'too_large' | 'rejected' = 'evaluation_failed',
  ) {}
}

/** The called binding's own error. */
export class CallFailure extends EvaluationFailure {
  constructor(readonly fault: Fault) {
    super(fault.detail)
  }
}

/** Rethrows anything but a failure. A string or buffer beyond the limits of the machine is a RangeError. */
export const expect = (failure: unknown): void => {
  if (!(failure instanceof EvaluationFailure || failure instanceof RangeError)) throw failure
}

/** Converts a failure to the error of its message. */
export const faultOfEvaluation = (failure: unknown): Fault => {
  expect(failure)
  if (failure instanceof CallFailure) return failure.fault
  return failure instanceof EvaluationFailure ? fault(failure.code, failure.detail) : fault('evaluation_failed', 'the result is too large')
}

/** Thrown by generated code that leaves a message to the interpreter. */
export const leave = (): never => {
  throw new EvaluationFailure('left to the interpreter')
}

/** `fail(text)`. */
export const reject = (text: string): never => {
  throw new EvaluationFailure(text, 'rejected')
}

/** The current sub-expression, as written. */
export type Site = string

export const failEvaluation = (site: Site, why: string): never => {
  throw new EvaluationFailure(`${why} in '${site}'`)
}
