// A process that asks people asks whoever calls it: its questions are lines on a descriptor, and their answers go back on another.

import type { Json } from '@plumb/lang'
import { type Child, isRecord, LineReader, type LineSink, parseJson } from '@plumb/wire'
import type { Call } from '../../call/call.js'

/** As the child has them. */
const [ANSWERS, QUESTIONS] = [6, 7]

export const ASKING_FDS = { [ANSWERS]: 'in', [QUESTIONS]: 'out' } as const
export const ASKING_ARGS = ['--answers-fd', String(ANSWERS), '--questions-fd', String(QUESTIONS)] as const

/** Until the child ends. */
export const answerChild = ({ fds }: Pick<Child, 'fds'>, call: Call): void => {
  const [answers, questions] = [fds.get(ANSWERS) as LineSink | undefined, fds.get(QUESTIONS)]
  if (!answers || !questions || !('resume' in questions)) return
  answers.on('error', () => {})
  const reader = new LineReader(questions, {
    onReadable: () => {
      while (reader.next()) {
        const read = parseJson(reader.buf, reader.start, reader.end)
        const asked = read.ok && isRecord(read.value) ? read.value.value : undefined
        if (isRecord(asked)) void answerOf(asked, call).then((line) => answers.write(Buffer.from(`${line}\n`), () => {}))
      }
    },
  })
}

const answerOf = async (asked: Readonly<Record<string, unknown>>, { session, signal, id: call }: Call): Promise<string> => {
  const { kind, id, tool, input, prompt, schema } = asked
  if (kind === 'approval') {
    const isApproved = await session.approve({ id: call, tool: String(tool), input: input as Json }, signal)
    return JSON.stringify(isApproved ? { approve: id } : { deny: id })
  }
  const question = { id: call, agent: String(asked.agent), prompt: String(prompt), input: input as Json, schema }
  const answered = await session.answer?.(question, signal)
  if (answered?.ok) return `{"answer":${JSON.stringify(id)},"value":${answered.value}}`
  const { skippedWhy } = await import('@plumb/ledger/approval')
  return JSON.stringify({ skip: id, why: answered ? skippedWhy(answered.error) : '' })
}
