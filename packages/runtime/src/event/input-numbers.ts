// From which input of a run the messages of one process come, for its telemetry, which has the numbers of messages.

import { eachMember } from '@plumb/wire'

/** Messages that are remembered; telemetry of older ones has no number. */
const KEPT = 4096

export class InputNumbers {
  readonly #seqs = new Map<number, number>()

  /** The n-th message comes from input `seq`. */
  note(n: number, seq: number): void {
    this.#seqs.set(n, seq)
    this.#seqs.delete(n - KEPT)
  }

  /** Undefined: it is not known. */
  of(n: unknown): number | undefined {
    return typeof n === 'number' ? this.#seqs.get(n) : undefined
  }

  /** A line of telemetry with the number of its input, 0 where that is not known; all else has the bytes that it had. */
  renumber(line: Buffer): Buffer {
    let found: readonly [number, number] | undefined
    const at = line.indexOf('{')
    if (at < 0) return line
    eachMember(line, at, (keyStart, keyEnd, from, to) => {
      if (line.toString('latin1', keyStart, keyEnd) === 'seq') found = [from, to]
    })
    if (!found) return line
    const [from, to] = found
    const seq = String(this.of(Number(line.toString('latin1', from, to))) ?? 0)
    return Buffer.concat([line.subarray(0, from), Buffer.from(seq), line.subarray(to)])
  }
}
