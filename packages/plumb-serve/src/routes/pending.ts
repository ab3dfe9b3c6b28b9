// Questions for people: which there are, and their answers.

import { fault, isRecord, parseJson } from '@plumb/wire'
import { memberText } from '@plumb/wire/json'
import type { Access } from '../access/tokens.js'
import type { Exchange } from '../http/exchange.js'
import { onOneLine } from '../http/one-line.js'
import { questionJson } from '../run/questions.js'
import type { Service } from '../service.js'

export const answerPending = async (exchange: Exchange, { questions, readBody }: Service): Promise<void> => {
  const { path, method, request } = exchange
  const access = exchange.access as Access
  const id = path === '/pending' ? undefined : path.slice('/pending/'.length)
  const allow = id === undefined ? 'GET' : 'POST'
  if (method !== allow) return exchange.wrongMethod(allow)
  if (id === undefined) return exchange.json(200, `[${questions.list(access).map(questionJson).join(',')}]`)
  const body = await readBody(request)
  if (!body.ok) return exchange.problem(body.error)
  exchange.hasRead = true
  const read = parseJson(body.value, 0, body.value.length)
  if (!read.ok) return exchange.problem(read.error)
  const given = read.value
  const [way, ...others] = isRecord(given) ? ['answer', 'skip', 'edit'].filter((name) => name in given) : []
  if (
    !isRecord(given) ||
    way === undefined ||
    others.length > 0 ||
    (way === 'skip' && typeof given.skip !== 'string') ||
    !isText(given.why)
  )
    return exchange.problem(fault('usage', 'an answer is {"answer": VALUE, "why"?: TEXT}, {"skip": WHY}, or of a call {"edit": INPUT}'))
  const gone = fault('no_such_page', `no question '${id.slice(0, 100)}' waits for you`)
  if (way === 'skip')
    return questions.skip(id, access, String(given.skip)) ? exchange.json(200, { id, skipped: true }) : exchange.problem(gone)
  const isEdit = way === 'edit'
  // With all digits of its numbers.
  const json = memberText(onOneLine(body.value), way) ?? 'null'
  const settled = isEdit ? questions.edit(id, access, json) : questions.answer(id, access, json, given.why)
  if (!settled) return exchange.problem(gone)
  if (!settled.ok) return exchange.problem(settled.error, { status: 422 })
  exchange.json(200, { id, [isEdit ? 'edited' : 'answered']: true })
}

const isText = (why: unknown): why is string | undefined => why === undefined || typeof why === 'string'
