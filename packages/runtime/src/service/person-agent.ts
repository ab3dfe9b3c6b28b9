// An agent whose model is a person: each input is a question, one after the other, and what the person answers is its output.

import { agentOf, compileCheck, type GraphNode, Sink, type Type, toSchema, Verdict } from '@plumb/lang'
import { DEFAULT_PORT, doneText, errorText, type Fault, fault, LineReader, LineWriter, type Result, valueText } from '@plumb/wire'
import { openInProcessChild } from '../child/in-process-child.js'
import type { Spawned } from '../child/spawn.js'

export interface PersonQuestion {
  readonly agent: string
  readonly prompt: string
  readonly input: unknown
  /** JSON Schema of the answer. */
  readonly schema: unknown
  /** What is wrong with an answer, as JSON text. */
  readonly check: (json: string) => Fault | undefined
}

/** Resolves to the answer as JSON text, or to why there is none. */
export type AskPerson = (question: PersonQuestion, signal: AbortSignal) => Promise<Result<string>>

const PERSON = 'person'

/** `provider`: of the command line, before what the spec says. */
export const isPerson = ({ work }: GraphNode, provider: string | undefined): boolean =>
  work.kind === 'agent' && (provider ?? agentOf(work.bound).config.provider) === PERSON

export const startPerson = (node: GraphNode, ask: AskPerson): Spawned => {
  const { child, ends } = openInProcessChild([])
  const writer = new LineWriter(ends.stdout)
  const { config, bound } = agentOf((node.work as { readonly bound: Parameters<typeof agentOf>[0] }).bound)
  const output: Type = bound.outputs[0] ?? { kind: 'json' }
  const asked = {
    agent: node.name,
    prompt: typeof config.prompt === 'string' ? config.prompt : '',
    schema: toSchema(output),
    check: (json: string) => mismatchOf(output, json),
  }
  let seq = 0
  let turn: Promise<void> = Promise.resolve()
  const answer = async (n: number, text: string): Promise<void> => {
    const input = parsed(text)
    const answered = input === undefined ? NOT_JSON : await ask({ ...asked, input: input.value }, ends.stopped)
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
  const reader = new LineReader(ends.stdin, { onReadable: read })
  return { child, kind: 'agent', isEnveloped: false, isCounting: true, controls: 0 }
}

const NOT_JSON: Result<string> = { ok: false, error: fault('invalid_json', 'the input is not JSON') }

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

const mismatchOf = (type: Type, json: string): Fault | undefined => {
  const stage = compileCheck(type)
  const buf = Buffer.from(`${json}\n`)
  const verdict = stage.run(buf, 0, buf.length - 1, new Sink())
  return verdict === Verdict.PASS || verdict === Verdict.WROTE
    ? undefined
    : (stage.fault ?? fault('output_type_mismatch', 'the answer does not fit'))
}
