// id, copy, discard, flatten and map as tools: run in this process, on bytes, in microseconds.

import { type BasePlan, compileFlatten, compileMap, MessageScanners, Sink, type Stage, Verdict } from '@plumb/lang'
import { type Fault, fault, type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Run, Within } from './run.js'

export type InlinePlan = Extract<BasePlan, { readonly kind: 'id' | 'copy' | 'discard' | 'flatten' | 'map' }>

/** Compiles the expression once. Inputs must have been checked against the input type. */
export const inlineRun = (leaf: InlinePlan): Run<Within> => {
  let warn: ((fault: Fault) => void) | undefined
  const step = stepOf(leaf, (fault) => warn?.(fault))
  return async (input, call) => {
    warn = call.leftOut ?? ((fault) => call.session.servers.warn(fault))
    return step(input)
  }
}

const stepOf = (leaf: InlinePlan, report: (fault: Fault) => void): InlineStep => {
  if (leaf.kind === 'map') return compileStep(compileMap(leaf.expression, { ...leaf, report }, new MessageScanners().of(leaf.input)))
  return leaf.kind === 'flatten' ? compileStep(compileFlatten(leaf.input)) : MOVES[leaf.kind]
}

/** One message in, one out, synchronously. */
export type InlineStep = (input: JsonText) => Result<JsonText>

/** Steps that keep the text of the message. */
export const MOVES: Readonly<Record<'id' | 'copy' | 'discard', InlineStep>> = {
  id: succeed,
  copy: (input) => succeed(`[${input},${input}]`),
  discard: () => succeed('null'),
}

// Shared by all steps: a result is copied out before the next step runs.
let sink: Sink | undefined

export const compileStep =
  (stage: Stage): InlineStep =>
  (input) => {
    sink ??= new Sink()
    // The scanner reads one byte past the message.
    const bytes = Buffer.from(`${input}\n`)
    const verdict = stage.run(bytes, 0, bytes.length - 1, sink)
    if (verdict === Verdict.PASS) return succeed(input)
    if (verdict === Verdict.WROTE) return succeed(sink.buf.toString('utf8', sink.start, sink.end))
    return { ok: false, error: stage.fault ?? fault('internal', 'a stage gave neither a result nor a reason') }
  }
