// A bare chain without tools as one stage: each part runs on the result of the part before, synchronously in this process.

import { atIndex, type Fault, fault } from '@plumb/wire/error'
import { preview } from '@plumb/wire/preview'
import type { Span } from '../diagnostic/source.js'
import { equal } from '../expression/run/equal.js'
import { Sink } from '../expression/run/sink.js'
import { Slice } from '../expression/run/slice.js'
import { put } from '../expression/run/write.js'
import { compileCheck, compileFilter, compileMap } from '../expression/stage/stage.js'
import { type Stage, Verdict } from '../expression/stage/verdict.js'
import type { Bound } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import { isUnbounded } from '../types/depth.js'
import { JSON_TYPE } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import { planOfBase } from './base-chain.js'
import type { BasePlan } from './base-plan.js'
import { compileFlatten } from './flatten.js'
import { OnEach } from './on-each.js'

/** A binding that is called at many places is one stage: it handles one message at a time. */
export class BaseStages {
  readonly #known = new Map<Bound, Stage>()

  /** The indexes of the current elements. */
  readonly #within: number[] = []
  readonly #report: (fault: Fault) => void

  /** `report` is called for each element that `each(…, on_error: "skip")` leaves out. */
  constructor(report: (fault: Fault) => void) {
    this.#report = (fault) => report(this.#within.reduceRight(atIndex, fault))
  }

  /** Checks every input, and every output whose type is not certain. */
  of(bound: Bound): Stage {
    const known = this.#known.get(bound)
    if (known) return known
    const { name, inputs, outputs, binding } = bound
    const plan = planOfBase(bound)
    const parts: Stage[] = [new Boundary(compileCheck(inputs[0] ?? JSON_TYPE), 'input_type_mismatch', `what enters '${name}'`)]
    parts.push(this.#stage(plan, binding.span))
    const [gives = JSON_TYPE] = outputs
    if (isWirable(plan.output, gives) !== 'static') {
      parts.push(new Boundary(compileCheck(gives), 'output_type_mismatch', `what '${name}' gives`))
    }
    const stage = new InSequence(parts)
    this.#known.set(bound, stage)
    return stage
  }

  #stage(plan: BasePlan, span: Span): Stage {
    const { input } = plan
    switch (plan.kind) {
      case 'id':
        return compileCheck(input)
      case 'copy':
        return compileMap({ kind: 'list', items: [whole(span), whole(span)], span }, plan)
      case 'discard':
        return compileMap({ kind: 'literal', value: null, text: 'null', span }, plan)
      case 'flatten':
        return compileFlatten(input)
      case 'map':
        return compileMap(plan.expression, { ...plan, report: this.#report })
      case 'sequence':
        return new InSequence(plan.items.map((item) => this.#stage(item, span)))
      case 'product':
        return new Beside(
          plan.items.map((item, i) => {
            const stage = this.#stage(item, span)
            return plan.isOnParts ? new InSequence([compileMap(part(i, span), plan), stage]) : stage
          }),
        )
      case 'choice':
        return new FirstThatWorks(plan.items.map((item) => this.#stage(item, span)))
      case 'each':
        return new OnEach(this.#stage(plan.body, span), {
          check: compileCheck(input),
          skipped: plan.skips ? this.#report : undefined,
          mayBeDeep: isUnbounded(plan.output),
          within: this.#within,
        })
      case 'trace':
        return new Feedback(
          this.#stage(plan.body, span),
          plan.max,
          plan.until && compileFilter(plan.until, { input: plan.body.output, scope: plan.scope, report: this.#report }),
        )
      case 'named':
        return this.of(plan.bound)
    }
  }
}

const whole = (span: Span): Expression => ({ kind: 'name', name: 'value', span })

const part = (i: number, span: Span): Expression => ({
  kind: 'index',
  of: whole(span),
  index: { kind: 'literal', value: i, text: String(i), span },
  span,
})

/** Names the boundary that a message does not pass. */
class Boundary implements Stage {
  fault: Fault | null = null

  constructor(
    private readonly check: Stage,
    private readonly code: 'input_type_mismatch' | 'output_type_mismatch',
    private readonly what: string,
  ) {}

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const verdict = this.check.run(buf, start, end, out)
    const { fault: found } = this.check
    if (verdict < 0 && found) {
      const { error, category: _, detail, ...extras } = found
      this.fault = error === 'input_type_mismatch' ? fault(this.code, `${this.what}: ${detail}`, extras) : found
    }
    return verdict
  }
}

class InSequence implements Stage {
  fault: Fault | null = null
  readonly #sink = new Sink()

  constructor(private readonly stages: readonly Stage[]) {}

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    let message = new Slice(buf, start, end)
    let isWritten = false
    for (const [i, stage] of this.stages.entries()) {
      const isLast = i === this.stages.length - 1
      const sink = isLast ? out : this.#sink
      const verdict = stage.run(message.buf, message.start, message.end, sink)
      if (verdict < 0) {
        this.fault = stage.fault
        // A mismatch at a part is not a mismatch of the original message.
        return i === 0 ? verdict : Verdict.FAILED
      }
      if (verdict !== Verdict.WROTE) continue
      message = new Slice(sink.buf, sink.start, sink.end)
      if (isLast) return Verdict.WROTE
      isWritten = true
    }
    return isWritten ? write(message, out) : Verdict.PASS
  }
}

/** Each on the same message; their results are a tuple. */
class Beside implements Stage {
  fault: Fault | null = null
  readonly #sink = new Sink()

  constructor(private readonly stages: readonly Stage[]) {}

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const results: Slice[] = []
    for (const stage of this.stages) {
      const verdict = stage.run(buf, start, end, this.#sink)
      if (verdict < 0) {
        this.fault = stage.fault
        return Verdict.FAILED
      }
      results.push(resultOf(verdict, new Slice(buf, start, end), this.#sink))
    }
    let p = out.at
    for (const [i, result] of results.entries())
      p = put(out, put(out, p, i === 0 ? OPEN : COMMA, 0, 1), result.buf, result.start, result.end)
    out.commit(put(out, p, CLOSE, 0, 1))
    return Verdict.WROTE
  }
}

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')

class FirstThatWorks implements Stage {
  fault: Fault | null = null

  constructor(private readonly stages: readonly Stage[]) {}

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const earlier: Fault[] = []
    for (const stage of this.stages) {
      const verdict = stage.run(buf, start, end, out)
      if (verdict >= 0) return verdict
      if (stage.fault) earlier.push(...takenApart(stage.fault))
    }
    const last = earlier.pop()
    this.fault = last ? { ...last, ...(earlier.length > 0 ? { earlier } : {}) } : null
    return Verdict.FAILED
  }
}

const takenApart = ({ earlier, ...last }: Fault): Fault[] => [...(Array.isArray(earlier) ? earlier : []), last as Fault]

/** Feeds a message through the body until it is stable, or until the condition holds for it (plumb-tools(7), How tools combine). */
class Feedback implements Stage {
  fault: Fault | null = null

  constructor(
    private readonly body: Stage,
    private readonly max: number,
    private readonly until: Stage | undefined,
  ) {}

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { body, until, max } = this
    // A sink is never overwritten, so each round may use only a small part of it.
    const sink = new Sink()
    let message = new Slice(buf, start, end)
    for (let i = 0; i < max; i++) {
      const verdict = body.run(message.buf, message.start, message.end, sink)
      if (verdict < 0) return this.#fail(body.fault)
      const next = resultOf(verdict, message, sink)
      const answer = until ? until.run(next.buf, next.start, next.end, sink) : Verdict.DROP
      if (answer < 0) return this.#fail((until as Stage).fault)
      const isSettled = equal(message, next)
      message = next
      if (answer !== Verdict.DROP) break
      if (isSettled && until) return this.#unmet(message, `it no longer changes after ${i + 1} rounds`)
      if (isSettled) break
      if (until && i + 1 === max) return this.#unmet(message, `there were ${max} rounds, as many as 'max' allows`)
    }
    return write(message, out)
  }

  #unmet({ buf, start, end }: Slice, why: string): Verdict {
    const last = preview(buf.toString('utf8', start, end))
    return this.#fail(fault('trace_limit', `'until' of the trace does not hold: ${why}; the last value is ${last}`))
  }

  #fail(reason: Fault | null): Verdict {
    this.fault = reason
    return Verdict.FAILED
  }
}

const resultOf = (verdict: Verdict, message: Slice, sink: Sink): Slice =>
  verdict === Verdict.WROTE ? new Slice(sink.buf, sink.start, sink.end) : message

const write = ({ buf, start, end }: Slice, out: Sink): Verdict => {
  out.commit(put(out, out.at, buf, start, end))
  return Verdict.WROTE
}
