// id, copy, merge, channels and the ends of bound chains: what comes in at any input leaves at every output, as it is.

import { Morphism } from './morphism.js'

export class Pass extends Morphism {
  readonly passesTo = this.outlets

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    for (const outlet of this.outlets) outlet.send(buf, start, end)
  }
}
