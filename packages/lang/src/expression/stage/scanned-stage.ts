// A stage takes one message at a time through a check and an evaluation, on one of two roads. The common case is scanned and evaluated by
// generated code. What that does not take goes the slow way, by the tree and the interpreter, to the same result or the reason why not.
//
// An object for each result would cost more than most messages do, so results are left where they stay until the next call:
//
//   what                          says                                         until the next
//   scanner.captures              where the parts of the message are         scan or find of that scanner
//   out.buf, out.start, out.end   the result, after WROTE                      commit to that sink (the bytes stay)
//   stage.fault                   why, after MISMATCH and FAILED               run of that stage

import { type Fault, fault } from '@plumb/wire/error'
import { parseTree, type Tree } from '@plumb/wire/json'
import type { Type } from '../../types/type.js'
import { checkTree } from '../../validate/check-tree.js'
import { fillDefaults } from '../../validate/defaults.js'
import { describeToAuthor } from '../../validate/mismatch.js'
import type { Evaluate } from '../emit/evaluator.js'
import { leftOut } from '../run/apply.js'
import { faultOfEvaluation } from '../run/failure.js'
import { observer } from '../run/observe.js'
import { Sink } from '../run/sink.js'
import { put } from '../run/write.js'
import type { MessageScanner } from './message-scanner.js'
import { type Stage, Verdict } from './verdict.js'

export interface Work {
  /** Called once, when there is something to scan; requests the slots of the parts that the code needs. */
  readonly generate: () => Evaluate
  /** The same for a parsed message; a byte follows it. */
  readonly interpret: (message: Buffer, tree: Tree, out: Sink) => Verdict
  /** Generated code may leave a message to the interpreter by failing, also for another reason than the interpreter's. */
  readonly isLeft?: boolean
}

export class ScannedStage implements Stage {
  fault: Fault | null = null
  private filled: Sink | undefined
  private evaluate: Evaluate | undefined

  constructor(
    private readonly type: Type,
    private readonly scanner: MessageScanner,
    private readonly work: Work,
  ) {
    if (observer()) this.run = this.runSlowly
    scanner.beforeScan(() => {
      this.evaluate = work.generate()
    })
  }

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { scanner } = this
    // The scanner needs a byte after the message, where it stops.
    if (end === buf.length) return this.run(withStop(buf.subarray(start, end)), 0, end - start, out)
    if (!scanner.scan(buf, start, end)) return this.runSlowly(buf, start, end, out)
    if (!scanner.lacksDefaults) return this.finish(buf, start, end, out)
    return this.fill(out) ?? this.runSlowly(buf, start, end, out)
  }

  // Rewrites the message with its defaults, and scans it again.
  private fill(out: Sink): Verdict | undefined {
    const { scanner } = this
    const filled = this.filled ?? new Sink()
    this.filled = filled
    scanner.fill(filled)
    if (!scanner.scan(filled.buf, filled.start, filled.end)) return undefined
    const verdict = this.finish(filled.buf, filled.start, filled.end, out)
    return verdict === Verdict.PASS ? rewrite(filled.buf, filled.start, filled.end, out) : verdict
  }

  /** The same by the tree and the interpreter. */
  runSlowly(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const message = withStop(buf.subarray(start, end))
    const tree = parseTree(message, 0, end - start)
    if (tree.kind === 'fault') return this.mismatch(fault(tree.error, tree.detail))
    const mismatch = checkTree(this.type, message, tree)
    if (mismatch) {
      const detail = describeToAuthor(mismatch, this.type.kind === 'named' ? this.type.name : undefined)
      return this.mismatch(fault('input_type_mismatch', detail, { path: mismatch.path, expected: mismatch.expected }))
    }
    const filled = fillDefaults(this.type, message, tree)
    if (!filled) return this.interpret(message, tree, out)
    const whole = withStop(filled)
    const filledTree = parseTree(whole, 0, filled.length)
    if (filledTree.kind === 'fault') return this.mismatch(fault(filledTree.error, filledTree.detail))
    const verdict = this.interpret(whole, filledTree, out)
    return verdict === Verdict.PASS ? rewrite(whole, 0, filled.length, out) : verdict
  }

  private finish(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { length } = leftOut
    try {
      return (this.evaluate as Evaluate)(buf, this.scanner.captures, out)
    } catch (failure) {
      leftOut.length = length
      const isSure = !this.work.isLeft || faultOfEvaluation(failure).error === 'too_large'
      return isSure ? this.fail(failure) : this.runSlowly(buf, start, end, out)
    }
  }

  private interpret(message: Buffer, tree: Tree, out: Sink): Verdict {
    try {
      return this.work.interpret(message, tree, out)
    } catch (failure) {
      return this.fail(failure)
    }
  }

  private fail(failure: unknown): Verdict {
    this.fault = faultOfEvaluation(failure)
    return Verdict.FAILED
  }

  private mismatch(reason: Fault): Verdict {
    this.fault = reason
    return Verdict.MISMATCH
  }
}

// A copy with a byte after it. A newline in a message can only be white space; a result has none.
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
