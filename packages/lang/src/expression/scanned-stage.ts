// A stage takes one message at a time through a check and an evaluation. The byte scanner decides the common case; what it
// refuses goes the slow way, by the tree, which gives the same result or the reason why there is none.

import { type Fault, fault } from '@plumb/wire/error'
import { checkTree } from '../types/check.js'
import { fillDefaults } from '../types/defaults.js'
import { describeMisfit } from '../types/misfit.js'
import type { Path } from '../types/scan.js'
import { space } from '../types/scan-json.js'
import { parseTree, type Tree } from '../types/tree.js'
import type { Type } from '../types/type.js'
import { expect, Failure } from './failure.js'
import type { Reading } from './reading.js'
import { Sink } from './sink.js'
import { type Stage, Verdict } from './verdict.js'
import { put } from './write.js'

/** Works on captures (scan.ts): starts and ends of the paths in `buf`. */
export type Evaluate = (buf: Buffer, caps: Int32Array, out: Sink) => Verdict

export class ScannedStage implements Stage {
  fault: Fault | null = null
  private filled: Sink | undefined

  constructor(
    private readonly type: Type,
    private readonly reading: Reading,
    private readonly evaluate: Evaluate,
  ) {}

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { reading } = this
    // The scanner wants a byte behind the message, where it stops.
    if (end === buf.length) return this.run(withStop(buf.subarray(start, end)), 0, end - start, out)
    if (!reading.scan(buf, start, end)) return this.runSlowly(buf, start, end, out)
    const { scanner, caps } = reading
    if (scanner.insertions.length === 0 || caps[scanner.absent] === 0) return this.finish(buf, out)
    return this.fill(buf, start, end, out) ?? this.runSlowly(buf, start, end, out)
  }

  // Writes the message anew with its defaults, and scans it again.
  private fill(buf: Buffer, start: number, end: number, out: Sink): Verdict | undefined {
    const { reading } = this
    const { scanner, caps } = reading
    const filled = this.filled ?? new Sink()
    this.filled = filled
    let from = space(buf, start)
    let to = end
    while ((buf[to - 1] as number) <= 32) to--
    let p = filled.at
    const count = caps[scanner.absent] as number
    for (let i = scanner.absent + 1; i <= scanner.absent + 2 * count; i += 2) {
      const at = caps[i] as number
      const text = scanner.insertions[caps[i + 1] as number] as Buffer
      p = put(filled, put(filled, p, buf, from, at), text, 0, text.length)
      from = at
    }
    filled.commit(put(filled, p, buf, from, to))
    if (!reading.scan(filled.buf, filled.start, filled.end)) return undefined
    const verdict = this.finish(filled.buf, out)
    return verdict === Verdict.PASS ? rewrite(filled.buf, filled.start, filled.end, out) : verdict
  }

  /** The same without the scanner's first opinion. */
  runSlowly(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const message = withStop(buf.subarray(start, end))
    const tree = parseTree(message, 0, end - start)
    if (tree.kind === 'fault') return this.misfit(fault(tree.error, tree.detail))
    const misfit = checkTree(this.type, message, tree)
    if (misfit) {
      const detail = describeMisfit(misfit, this.type.kind === 'named' ? this.type.name : undefined)
      return this.misfit(fault('input_type_mismatch', detail, { path: misfit.path, expected: misfit.expected }))
    }
    const filled = fillDefaults(this.type, message, tree)
    if (!filled) {
      this.capture(tree)
      return this.finish(message, out)
    }
    const whole = withStop(filled)
    const filledTree = parseTree(whole, 0, filled.length)
    if (filledTree.kind === 'fault') return this.misfit(fault(filledTree.error, filledTree.detail))
    this.capture(filledTree)
    const verdict = this.finish(whole, out)
    return verdict === Verdict.PASS ? rewrite(whole, 0, filled.length, out) : verdict
  }

  private finish(buf: Buffer, out: Sink): Verdict {
    try {
      return this.evaluate(buf, this.reading.caps, out)
    } catch (failure) {
      expect(failure)
      this.fault = failure instanceof Failure ? fault(failure.code, failure.detail) : fault('evaluation_failed', 'the result is too large')
      return Verdict.FAILED
    }
  }

  private misfit(reason: Fault): Verdict {
    this.fault = reason
    return Verdict.MISFIT
  }

  private capture(tree: Tree): void {
    const caps = this.reading.overwrite()
    for (const [slot, path] of this.reading.paths.entries()) {
      const part = partOf(tree, path)
      caps[2 * slot] = part?.start ?? -1
      caps[2 * slot + 1] = part?.end ?? -1
    }
  }
}

const partOf = (tree: Tree, path: Path): Tree | undefined => {
  let part: Tree | undefined = tree
  for (const step of path) {
    if (part?.kind === 'object') part = part.entries.find(({ key }) => key === step)?.node
    else part = part?.kind === 'array' ? part.items[Number(step)] : undefined
  }
  return part
}

// A copy with a byte behind it. A newline in a message can only be white space; a result has none.
const withStop = (message: Buffer): Buffer => {
  const copy = Buffer.allocUnsafe(message.length + 1)
  message.copy(copy)
  copy[message.length] = 10
  for (let i = copy.indexOf(10); i < message.length; i = copy.indexOf(10, i)) copy[i] = 32
  return copy
}

const rewrite = (buf: Buffer, start: number, end: number, out: Sink): Verdict => {
  out.commit(put(out, out.at, buf, start, end))
  return Verdict.WROTE
}
