// id, copy, discard and map as tools: run here, on bytes, in microseconds.

import { type BasePlan, compileMap, MessageScanners, Sink, type Stage, Verdict } from '@plumb/lang'
import { fault, type Result, succeed } from '@plumb/wire'
import type { Run } from '../../combine/run.js'
import type { JsonText } from '../../json-text.js'

export type InlinePlan = Extract<BasePlan, { readonly kind: 'id' | 'copy' | 'discard' | 'map' }>

/** Compiled once, here. What it is given has the type of its input, or is `json` where that is not known. */
export const inlineRun = (leaf: InlinePlan): Run => {
  const step =
    leaf.kind === 'map' ? compileStep(compileMap(leaf.expression, leaf.input, new MessageScanners().of(leaf.input))) : MOVES[leaf.kind]
  return async (input) => step(input)
}

/** One message in, one out, at once. */
export type InlineStep = (input: JsonText) => Result<JsonText>

/** What only moves a message leaves it as it was written. */
export const MOVES: Readonly<Record<'id' | 'copy' | 'discard', InlineStep>> = {
  id: succeed,
  copy: (input) => succeed(`[${input},${input}]`),
  discard: () => succeed('null'),
}

// A result is copied out of it before the next begins.
let sink: Sink | undefined

export const compileStep =
  (stage: Stage): InlineStep =>
  (input) => {
    sink ??= new Sink()
    // The scanner wants a byte behind the message.
    const bytes = Buffer.from(`${input}\n`)
    const verdict = stage.run(bytes, 0, bytes.length - 1, sink)
    if (verdict === Verdict.PASS) return succeed(input)
    if (verdict === Verdict.WROTE) return succeed(sink.buf.toString('utf8', sink.start, sink.end))
    return { ok: false, error: stage.fault ?? fault('internal', 'a stage gave neither a result nor a reason') }
  }
