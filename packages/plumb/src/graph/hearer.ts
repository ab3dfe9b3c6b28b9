// What takes the failures of a part of the program in place of the run: an each around it.

import { atIndex, type Fault } from '@plumb/wire'

export interface Hearer {
  /** Takes a failure of the message that is worked on; false: that stems from no element of it. */
  hear(fault: Fault): boolean
  /** Of the element that the message which is worked on stems from. */
  readonly index: number | undefined
}

/** The first of them that takes it, else `report`. */
export const reportTo =
  (hearers: readonly Hearer[], report: (fault: Fault) => void): ((fault: Fault) => void) =>
  (fault) => {
    if (!hearers.some((hearer) => hearer.hear(fault))) report(fault)
  }

/** The error with the places in all lists that the message which is worked on stands in, from the innermost to the outermost. */
export const inLists = (fault: Fault, hearers: readonly Hearer[]): Fault =>
  hearers.reduce((error, { index }) => (index === undefined ? error : atIndex(error, index)), fault)
