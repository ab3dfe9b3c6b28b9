// fold as a stage: the result for a message is the state for the next. The state is text that is only read: moved parts keep their text
// from state to state. A failing message leaves it unchanged.

import type { Fault } from '@plumb/wire/error'
import { parseTree } from '@plumb/wire/json'
import type { Expression } from '../../parse/ast.js'
import { JSON_TYPE } from '../../types/type.js'
import { compileEvaluator, emitMap, openGenerator } from '../emit/evaluator.js'
import { emitBound } from '../emit/loop.js'
import { Checked } from '../infer/checked.js'
import type { Environment, Local } from '../infer/environment.js'
import { evaluate, openFrame } from '../run/interpret.js'
import { observer } from '../run/observe.js'
import { Sink } from '../run/sink.js'
import { Slice } from '../run/slice.js'
import { putValue, refuseDeep } from '../run/write.js'
import type { MessageScanner } from './message-scanner.js'
import { withReports } from './reporting.js'
import { ScannedStage } from './scanned-stage.js'
import { type Stage, Verdict } from './verdict.js'

export interface Fold {
  readonly expression: Expression
  /** A constant. */
  readonly from: Expression
  readonly state: Local
}

/** WROTE. Each stage has a state of its own. */
export const compileFold = ({ expression, from, state }: Fold, environment: Environment, scanner: MessageScanner): Folding => {
  const checked = new Checked(expression, environment)
  const held: Held = { state: evaluateConstant(from, environment.scope) }
  const stage = new ScannedStage(environment.input, scanner, {
    generate: () => {
      const g = openGenerator(checked, scanner)
      return compileEvaluator(
        g,
        emitBound(state, `${g.constant(held)}.state`, g, () => emitMap(expression, g)),
      )
    },
    isLeft: true,
    interpret: (message, tree, out) => {
      observer()?.evaluated(expression)
      out.commit(putValue(out, out.at, evaluate(expression, openFrame(checked, message, tree, { local: state, value: held.state }))))
      refuseDeep(out)
      return Verdict.WROTE
    },
  })
  return new Folding(withReports(stage, checked, environment), held)
}

interface Held {
  state: Slice
}

export class Folding implements Stage {
  fault: Fault | null = null

  constructor(
    private readonly stage: Stage,
    private readonly held: Held,
  ) {}

  /** The last result, as JSON text. */
  get state(): string {
    const { buf, start, end } = this.held.state
    return buf.toString('utf8', start, end)
  }

  set state(text: string) {
    const buf = Buffer.from(`${text}\n`)
    this.held.state = new Slice(buf, 0, buf.length - 1)
  }

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { stage, held } = this
    const verdict = stage.run(buf, start, end, out)
    if (verdict < 0) this.fault = stage.fault
    // Committed bytes of a sink do not change any more.
    else held.state = new Slice(out.buf, out.start, out.end)
    return verdict
  }
}

/** Its value as text; it has been checked, and names nothing of a message. Throws a Failure if there is none. */
export const evaluateConstant = (e: Expression, scope: Environment['scope']): Slice => {
  const nothing = Buffer.from('null\n')
  const tree = parseTree(nothing, 0, 4)
  if (tree.kind === 'fault') throw new TypeError(tree.detail)
  const sink = new Sink()
  sink.commit(putValue(sink, sink.at, evaluate(e, openFrame(new Checked(e, { input: JSON_TYPE, scope, isConstant: true }), nothing, tree))))
  refuseDeep(sink)
  return new Slice(sink.buf, sink.start, sink.end)
}
