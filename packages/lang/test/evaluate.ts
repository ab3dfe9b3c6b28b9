// One message through an expression, on both roads.

import { checkExpression } from '../src/expression/infer/check.js'
import { Sink } from '../src/expression/run/sink.js'
import type { ScannedStage } from '../src/expression/stage/scanned-stage.js'
import { compileMap, type Stage, Verdict } from '../src/expression/stage/stage.js'
import { expression, refuse, type } from './parsed.js'
import { compileText } from './reports.js'

/** A file without declarations: the types of `match` are looked up in it. */
export const NO_NAMES = compileText('').program.entry

/** Fast and slow must agree; gives the text of the result, 'PASS', 'DROP', or the fault. */
export const run = (stage: Stage, message: string | Buffer): string => {
  const text = Buffer.from(message)
  const out = new Sink()
  const show = (verdict: Verdict): string => {
    if (verdict === Verdict.PASS) return 'PASS'
    if (verdict === Verdict.DROP) return 'DROP'
    if (verdict !== Verdict.WROTE) return `${stage.fault?.error}: ${stage.fault?.detail}`
    if (out.buf[out.end] !== 10) throw new Error('no newline behind the result')
    return out.buf.toString('utf8', out.start, out.end)
  }
  // Among other messages, as in a chunk.
  const chunk = Buffer.concat([Buffer.from('{"x":1}\n'), text, Buffer.from('\n["y"]\n')])
  const fast = show(stage.run(chunk, 8, 8 + text.length, out))
  const last = show(stage.run(text, 0, text.length, out))
  const slow = show((stage as ScannedStage).runSlowly(chunk, 8, 8 + text.length, out))
  if (fast !== slow || last !== slow) throw new Error(`fast ${fast}, last ${last}, slow ${slow}`)
  return slow
}

export const evaluate = (code: string, input: string, message: string): string => {
  const e = expression(code)
  const of = type(input)
  const environment = { input: of, scope: NO_NAMES }
  checkExpression(e, environment, refuse)
  return run(compileMap(e, environment), message)
}
