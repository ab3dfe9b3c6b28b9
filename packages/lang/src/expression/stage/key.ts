// The key of a message: a string or a number. Equal keys have one identity.

import { type Fault, fault } from '@plumb/wire/error'
import { skipSpace } from '@plumb/wire/json'
import { preview } from '@plumb/wire/preview'
import type { Expression } from '../../parse/ast.js'
import type { Environment } from '../infer/environment.js'
import { Sink } from '../run/sink.js'
import { describe, Slice } from '../run/slice.js'
import { type Identity, identityOfKey } from './identity.js'
import type { MessageScanner } from './message-scanner.js'
import { compileMap } from './stage.js'
import { type Stage, Verdict } from './verdict.js'

export class KeyReader {
  /** Why the last message has no key. */
  fault: Fault | null = null
  verdict: Verdict = Verdict.PASS
  readonly #stage: Stage
  readonly #sink = new Sink()
  readonly #source: string

  constructor(e: Expression, environment: Environment, scanner: MessageScanner) {
    this.#stage = compileMap(e, environment, scanner)
    const { source, start, end } = e.span
    this.#source = preview(source.text.slice(start, end))
  }

  /** Undefined: it has none; `verdict` and `fault` say why. */
  read(buf: Buffer, start: number, end: number): Identity | undefined {
    const sink = this.#sink
    this.verdict = this.#stage.run(buf, start, end, sink)
    this.fault = this.#stage.fault
    if (this.verdict < 0) return undefined
    const at = skipSpace(buf, start)
    const key = this.verdict === Verdict.WROTE ? new Slice(sink.buf, sink.start, sink.end) : trimmed(buf, at, end)
    const identity = identityOfKey(key)
    if (identity !== undefined) return identity
    this.verdict = Verdict.FAILED
    this.fault = fault('evaluation_failed', `${describe(key)} is neither a string nor a number in the key '${this.#source}'`)
    return undefined
  }
}

const trimmed = (buf: Buffer, start: number, end: number): Slice => {
  let to = end
  while ((buf[to - 1] as number) <= 32) to--
  return new Slice(buf, start, to)
}
