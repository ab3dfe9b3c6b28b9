// Asks whoever has started this run: questions are numbered lines of the port `ctrl_out`, as those of an agent, and answers come on a
// descriptor: {"answer":ID,"value":V}, {"skip":ID,"why":TEXT}, {"approve":ID}, {"deny":ID,"why":TEXT}, {"edit":ID,"input":V}.

import { type Consent, deniedConsent } from '@plumb/ledger'
import { questionText, skippedFault } from '@plumb/ledger/approval'
import type { AnswerQuestion, TerminalQuestions } from '@plumb/policy'
import { type Fault, fail, fault, isRecord, openInput, type Result, readControl, succeed, valueText } from '@plumb/wire'
import { memberText } from '@plumb/wire/json'

export interface ParentQuestions extends TerminalQuestions {
  close(): void
}

type Settle = (message: Readonly<Record<string, unknown>>, text: Uint8Array) => void

export const askParent = (fd: number, write: (line: string) => void): ParentQuestions => {
  const waiting = new Map<string, { readonly settle: Settle; readonly end: () => void }>()
  let count = 0
  let isOver = false
  const answers = openInput(fd)
  const end = (): void => {
    isOver = true
    for (const { end: drop } of [...waiting.values()]) drop()
  }
  const take = (message: unknown, text: Uint8Array): void => {
    if (!isRecord(message)) return
    const id = [message.answer, message.skip, message.approve, message.deny, message.edit].find((one) => typeof one === 'string')
    waiting.get(String(id))?.settle(message, text)
  }
  readControl(
    answers,
    (message, _, text) => take(message, text),
    () => {},
    end,
  )
  const say = (json: string): void => write(valueText([], 'ctrl_out', json))
  /** `gone`: what it is without an answer. */
  const ask = <T>(gone: T, signal: AbortSignal, open: (id: string, resolve: (answer: T) => void) => Settle): Promise<T> =>
    new Promise((resolve) => {
      // No agent numbers its questions so.
      const id = `plumb:${++count}`
      const settle = (answer: T): void => {
        waiting.delete(id)
        signal.removeEventListener('abort', drop)
        resolve(answer)
      }
      const drop = (): void => settle(gone)
      if (isOver || signal.aborted) return resolve(gone)
      signal.addEventListener('abort', drop, { once: true })
      waiting.set(id, { settle: open(id, settle), end: drop })
    })
  return {
    approve: ({ tool, input, process, wrong }, signal) =>
      ask<Consent>(false, signal, (id, resolve) => {
        const more = Object.entries({ agent: process, wrong }).flatMap(([name, text]) =>
          text === undefined ? [] : `,"${name}":${JSON.stringify(text)}`,
        )
        say(`{"kind":"approval","id":"${id}","tool":${JSON.stringify(tool)}${more.join('')},"input":${input}}`)
        return ({ edit, approve, why }, text) => {
          if (edit === id) resolve({ edited: memberText(text, 'input') ?? 'null' })
          else resolve(approve === id || deniedConsent(typeof why === 'string' ? why : undefined))
        }
      }),
    answer: (question, signal) =>
      ask<Result<string>>(GONE, signal, (id, resolve) => {
        say(askedText(id, question))
        return (message, text) => {
          if (message.skip === id) return resolve({ ok: false, error: skippedFault(typeof message.why === 'string' ? message.why : '') })
          const json = memberText(text, 'value')
          const wrong = json === undefined ? fault('usage', "an answer needs a 'value'") : question.check(json)
          if (wrong || json === undefined) say(askedText(id, question, wrong))
          else resolve(succeed(json))
        }
      }),
    close: () => {
      end()
      answers.destroy()
    },
  }
}

const GONE = fail('cancelled', 'nobody answers any more')

const askedText = (id: string, question: AnswerQuestion, wrong?: Fault): string => {
  const { agent } = question
  const more = wrong ? `"wrong":${JSON.stringify(wrong.detail)},` : ''
  return `{"kind":"question","id":"${id}","agent":${JSON.stringify(agent)},${more}${questionText(question).slice(1)}`
}
