// Why an expression has no value for this message. Generated code throws it, because it can arise inside any sub-expression; the
// stage catches it and makes it a fault. It is not an Error: a stack for every bad line would cost time for nothing.

import { type Fault, fault } from '@plumb/wire/error'

export class EvaluationFailure {
  constructor(
    readonly detail: string,
    readonly code: 'evaluation_failed' | 'too_deep' | 'too_large' = 'evaluation_failed',
  ) {}
}

/** Of a binding that is called: its own error. */
export class CallFailure extends EvaluationFailure {
  constructor(readonly fault: Fault) {
    super(fault.detail)
  }
}

/** Goes on with anything but a failure. A string or buffer beyond what the machine can hold is a RangeError. */
export const expect = (failure: unknown): void => {
  if (!(failure instanceof EvaluationFailure || failure instanceof RangeError)) throw failure
}

/** A failure as the error of its message. */
export const faultOfEvaluation = (failure: unknown): Fault => {
  expect(failure)
  if (failure instanceof CallFailure) return failure.fault
  return failure instanceof EvaluationFailure ? fault(failure.code, failure.detail) : fault('evaluation_failed', 'the result is too large')
}

/** From generated code that leaves a message to the interpreter. */
export const leave = (): never => {
  throw new EvaluationFailure('left to the interpreter')
}

/** The sub-expression at work, as written. */
export type Site = string

export const failEvaluation = (site: Site, why: string): never => {
  throw new EvaluationFailure(`${why} in '${site}'`)
}
