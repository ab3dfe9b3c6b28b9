// Selects the next answer of a script: an entry with a condition answers every input that it holds for; other entries of a list answer once
// each, in order; a single answer is always given.

import { compileFilter, compileMap, type Script, type ScriptedAnswer, Sink, type Span, type TestCondition, Verdict } from '@plumb/lang'
import { preview } from '@plumb/wire'

export class ScriptPlayer {
  readonly #script: Script
  readonly #isUsed: boolean[]
  readonly #conditions = new Map<TestCondition, (json: string) => boolean>()

  constructor(script: Script) {
    this.#script = script
    this.#isUsed = script.answers.map(() => false)
  }

  /** The answer to an input. Undefined: none fits. */
  next(input: string): ScriptedAnswer | undefined {
    const { answers, isList } = this.#script
    for (const [i, answer] of answers.entries()) {
      if (answer.when) {
        if (this.#holds(answer.when, input)) return answer
      } else if (!isList) return answer
      else if (!this.#isUsed[i]) {
        this.#isUsed[i] = true
        return answer
      }
    }
    return undefined
  }

  get span(): Span {
    return this.#script.span
  }

  /** In a list, the unused entries without a condition. */
  get unused(): number {
    const { answers, isList } = this.#script
    return isList ? answers.filter(({ when }, i) => !when && !this.#isUsed[i]).length : 0
  }

  /** Why there is none: the rest of a sentence that begins with the name of the agent or tool. */
  lack(input: string, has: 'answer' | 'result'): string {
    const { answers } = this.#script
    const count = `${answers.length} ${has}${answers.length === 1 ? '' : 's'}`
    const asked = `was asked ${preview(input)}`
    if (answers.length === 0) return `${asked}, and its script is empty`
    if (answers.every(({ when }) => when)) return `${asked}, and no 'when' of its script holds for that`
    const once = `its script has ${answers.some(({ when }) => when) ? `no 'when' for that, and no other answer left` : `only ${count}`}`
    return `${asked}, and ${once}`
  }

  #holds(condition: TestCondition, input: string): boolean {
    const test = this.#conditions.get(condition) ?? openCondition(condition)
    this.#conditions.set(condition, test)
    return test(`{"input":${input}}`)
  }
}

/** Whether it holds for a record, as JSON text; a failed evaluation counts as false. */
const openCondition = (condition: TestCondition): ((record: string) => boolean) => {
  const evaluate = openEvaluator(condition)
  return (record) => evaluate(record).holds
}

/** As openCondition, with the reason why there is no answer. */
export const openEvaluator = ({
  expression,
  ...environment
}: TestCondition): ((record: string) => { readonly holds: boolean; readonly why?: string }) => {
  const stage = compileFilter(expression, environment)
  const sink = new Sink()
  return (record) => {
    const bytes = Buffer.from(`${record}\n`)
    const verdict = stage.run(bytes, 0, bytes.length - 1, sink)
    if (verdict === Verdict.PASS || verdict === Verdict.WROTE) return { holds: true }
    return { holds: false, ...(stage.fault ? { why: stage.fault.detail } : {}) }
  }
}

/** The computed answer of a double. Undefined: it has no value. */
export const openComputed = (parameter: string, { expression, ...environment }: TestCondition): ((input: string) => string | undefined) => {
  const stage = compileMap(expression, environment)
  const sink = new Sink()
  return (input) => {
    const bytes = Buffer.from(`{${JSON.stringify(parameter)}:${input}}\n`)
    const verdict = stage.run(bytes, 0, bytes.length - 1, sink)
    if (verdict === Verdict.WROTE) return sink.buf.toString('utf8', sink.start, sink.end)
    return verdict === Verdict.PASS ? bytes.toString('utf8', 0, bytes.length - 1) : undefined
  }
}
