// Handles the failures of a part of the program instead of the run, such as an enclosing each.

import { atIndex, type Fault } from '@plumb/wire'

export interface ErrorHandler {
  /** Handles a failure of the current message. False: the message stems from none of its elements. */
  handle(fault: Fault): boolean
  /** The index of the element that the current message stems from. */
  readonly index: number | undefined
}

/** Reports to the first handler that accepts the failure, else to `report`. */
export const reportTo =
  (errorHandlers: readonly ErrorHandler[], report: (fault: Fault) => void): ((fault: Fault) => void) =>
  (fault) => {
    if (!errorHandlers.some((errorHandler) => errorHandler.handle(fault))) report(fault)
  }

/** The error with the indexes of the current message in all enclosing lists, from the innermost to the outermost. */
export const inLists = (fault: Fault, errorHandlers: readonly ErrorHandler[]): Fault =>
  errorHandlers.reduce((error, { index }) => (index === undefined ? error : atIndex(error, index)), fault)
