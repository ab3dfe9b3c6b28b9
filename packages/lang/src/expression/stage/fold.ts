// fold as a stage: the result for a message is the state for the next. The state is text that is only read: moved parts keep their text
// from state to state. A failing message leaves it unchanged.

import { type Fault, fault } from '@plumb/wire/error'
import { parseTree } from '@plumb/wire/json'
import type { Expression } from '../../parse/ast.js'
import { JSON_TYPE } from '../../types/type.js'
import { compileEvaluator, emitMap, openGenerator } from '../emit/evaluator.js'
import { emitBound } from '../emit/loop.js'
import { Checked } from '../infer/checked.js'
import type { Environment, Local } from '../infer/environment.js'
import { openFrame } from '../run/frame.js'
import { evaluate } from '../run/interpret.js'
import { observer } from '../run/observe.js'
import { Sink } from '../run/sink.js'
import { Slice } from '../run/slice.js'
import { putValue, refuseDeep } from '../run/write.js'
import type { Identity } from './identity.js'
import { KeyReader } from './key.js'
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
const compileFold = ({ expression, from, state }: Fold, environment: Environment, scanner: MessageScanner): Folding => {
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

/** The fold of a node: one state, or one for each key. */
export const compileFolding = (
  { by, ...fold }: Fold & { readonly by: Expression | undefined },
  environment: Environment,
  scanner: MessageScanner,
  name: string,
): Folding | KeyedFolding => {
  const folding = compileFold(fold, environment, scanner)
  if (!by) return folding
  const { locals: _, ...own } = environment
  return new KeyedFolding(folding, new KeyReader(by, own, scanner), name)
}

interface Held {
  state: Slice
}

/** In bytes, of all states of a keyed fold. */
const MAX_STATES = 256 * 1024 * 1024

/** WROTE: a state for each key. */
export class KeyedFolding implements Stage {
  fault: Fault | null = null
  /** The key of the last message. */
  key: Identity = ''
  readonly #states = new Map<Identity, string>()
  readonly #first: string
  #bytes = 0

  constructor(
    private readonly fold: Folding,
    private readonly keys: KeyReader,
    private readonly name: string,
  ) {
    this.#first = fold.state
  }

  stateOf(key: Identity): string {
    return this.#states.get(key) ?? this.#first
  }

  /** The key and state of the last message, as JSON text. */
  get entry(): readonly [key: Identity, state: string] {
    return [this.key, this.stateOf(this.key)]
  }

  set entry([key, state]: readonly [key: Identity, state: string]) {
    this.#bytes += state.length - (this.#states.get(key)?.length ?? 0)
    this.#states.set(key, state)
  }

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { fold, keys } = this
    const key = keys.read(buf, start, end)
    if (key === undefined) {
      this.fault = keys.fault
      return keys.verdict
    }
    const before = this.#states.get(key)
    fold.state = before ?? this.#first
    const verdict = fold.run(buf, start, end, out)
    this.fault = fold.fault
    if (verdict < 0) return verdict
    const state = fold.state
    if (this.#bytes + state.length - (before?.length ?? 0) > MAX_STATES) {
      const detail = `the states of '${this.name}' would be larger than ${MAX_STATES.toLocaleString('en')} bytes with this message`
      this.fault = fault('too_large', detail, { process: this.name })
      return Verdict.FAILED
    }
    this.entry = [key, state]
    this.key = key
    return verdict
  }
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
