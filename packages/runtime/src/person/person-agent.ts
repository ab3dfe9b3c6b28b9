// An agent whose model is a person: each input is a question, one after the other, and what the person answers is its output.

import { agentOf, type Bound, compileCheck, Sink, type Type, toSchema, Verdict } from '@plumb/lang'
import {
  checkJson,
  DEFAULT_PORT,
  type DeliveryLog,
  doneText,
  errorText,
  type Fault,
  fault,
  LineReader,
  LineWriter,
  type Result,
  valueText,
} from '@plumb/wire'
import { openInProcessChild } from '../child/in-process-child.js'
import type { Spawned } from '../child/spawn.js'

export interface AgentQuestion {
  readonly agent: string
  readonly prompt: string
  /** JSON as it came. */
  readonly input: string
  /** JSON Schema of the answer. */
  readonly schema: unknown
  /** What is wrong with an answer, as JSON text. */
  readonly check: (json: string) => Fault | undefined
  /** The number of the message. */
  readonly n: number
}

/** Resolves to the answer as JSON text, or to why there is none. */
export type AskPerson = (question: AgentQuestion, signal: AbortSignal) => Promise<Result<string>>

export interface PersonAgent {
  readonly name: string
  readonly bound: Bound
  readonly ask: AskPerson
  readonly maxLine: number
  readonly deliveries?: DeliveryLog | undefined
}

export const startPerson = ({ name, bound, ask, maxLine, deliveries }: PersonAgent): Spawned => {
  const { config } = agentOf(bound)
  const output: Type = bound.outputs[0] ?? { kind: 'json' }
  const asked = {
    agent: name,
    prompt: typeof config.prompt === 'string' ? config.prompt : '',
    schema: toSchema(output),
    check: (json: string) => mismatchOf(output, json),
  }
  const answer = (input: string, n: number, stopped: AbortSignal) => ask({ ...asked, input, n }, stopped)
  return startAnswering({ answer, maxLine, deliveries })
}

export interface Answering {
  /** JSON text in and out. */
  readonly answer: (input: string, n: number, stopped: AbortSignal) => Promise<Result<string>>
  readonly maxLine: number
  readonly deliveries?: DeliveryLog | undefined
}

/** A process in this one that answers one input after the other. */
export const startAnswering = ({ answer: answerOne, maxLine, deliveries }: Answering): Spawned => {
  const { child, ends } = openInProcessChild([])
  const writer = new LineWriter(ends.stdout)
  let seq = 0
  let turn: Promise<void> = Promise.resolve()
  const answer = async (n: number, input: string): Promise<void> => {
    const bytes = Buffer.from(input)
    const flaw = checkJson(bytes, 0, bytes.length)
    const answered: Result<string> = flaw ? { ok: false, error: flaw } : await answerOne(input, n, ends.stopped)
    writer.writeText(
      answered.ok ? valueText([n], DEFAULT_PORT, answered.value) : errorText([n], answered.error, { hasMore: false, isForOurs: true }),
    )
    if (answered.ok) writer.writeText(doneText(n))
  }
  const read = (): void => {
    while (reader.next()) {
      const [n, text] = [++seq, reader.buf.toString('utf8', reader.start, reader.end)]
      turn = turn.then(() => answer(n, text))
    }
    if (!reader.hasEnded) return
    void turn.then(async () => {
      await writer.end()
      ends.exit(0)
    })
  }
  const reader = new LineReader(ends.stdin, { maxLine, onReadable: read })
  return { child, kind: 'agent', isEnveloped: false, isCounting: true, controls: 0, deliveries }
}

export const mismatchOf = (type: Type, json: string): Fault | undefined => {
  const stage = compileCheck(type)
  const buf = Buffer.from(`${json}\n`)
  const verdict = stage.run(buf, 0, buf.length - 1, new Sink())
  return verdict === Verdict.PASS || verdict === Verdict.WROTE
    ? undefined
    : (stage.fault ?? fault('output_type_mismatch', 'the answer does not fit'))
}
