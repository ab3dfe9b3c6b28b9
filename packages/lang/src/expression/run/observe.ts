// An observer of the evaluation of expressions, for measures of coverage. While there is one, new stages interpret all messages.

import type { Expression } from '../../parse/ast.js'

export interface ExpressionObserver {
  /** The whole expression of a stage is evaluated for a message. */
  evaluated(e: Expression): void
  /** The condition of an `if`, or that of a filter, was true or false. */
  decided(e: Expression, holds: boolean): void
}

let current: ExpressionObserver | undefined

/** From now on, until it is called without one; stages that exist already stay as they are. */
export const observeExpressions = (observer: ExpressionObserver | undefined): void => {
  current = observer
}

export const observer = (): ExpressionObserver | undefined => current
