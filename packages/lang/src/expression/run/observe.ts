// An observer of the evaluation of expressions, for measuring coverage. While there is one, new stages interpret all messages.

import type { Expression, MatchArm, MatchExpression } from '../../parse/ast.js'

export interface ExpressionObserver {
  /** The whole expression of a stage is evaluated for a message. */
  evaluated(e: Expression): void
  /** The condition of an `if`, or that of a filter, was true or false. */
  decided(e: Expression, holds: boolean): void
  /** An arm of a `match` was taken. */
  taken?(e: MatchExpression, arm: MatchArm): void
}

let current: ExpressionObserver | undefined

/** Observes until it is called without one; existing stages are not affected. */
export const observeExpressions = (observer: ExpressionObserver | undefined): void => {
  current = observer
}

export const observer = (): ExpressionObserver | undefined => current
