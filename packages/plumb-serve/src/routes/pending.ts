// Questions for people: which there are, and their answers.

import { fault, isRecord, parseJson } from '@plumb/wire'
import type { Access } from '../access/tokens.js'
import type { Exchange } from '../http/exchange.js'
import type { Service } from '../service.js'

export const answerPending = async (exchange: Exchange, { questions, readBody }: Service): Promise<void> => {
  const { path, method, request } = exchange
  const access = exchange.access as Access
  const id = path === '/pending' ? undefined : path.slice('/pending/'.length)
  const allow = id === undefined ? 'GET' : 'POST'
  if (method !== allow)
    return exchange.problem(fault('usage', `'${path}' takes ${allow}, and not ${method}`), { status: 405, headers: { allow } })
  if (id === undefined) return exchange.json(200, questions.list(access))
  const body = await readBody(request)
  if (!body.ok) return exchange.problem(body.error)
  exchange.hasRead = true
  const read = parseJson(body.value, 0, body.value.length)
  if (!read.ok) return exchange.problem(read.error)
  const given = read.value
  const isSkip = isRecord(given) && typeof given.skip === 'string' && !('answer' in given)
  if (!isRecord(given) || (!isSkip && !('answer' in given)))
    return exchange.problem(fault('usage', 'an answer is {"answer": VALUE} or {"skip": WHY}'))
  const gone = fault('no_such_page', `no question '${id.slice(0, 100)}' waits for you`)
  if (isSkip) return questions.skip(id, access, String(given.skip)) ? exchange.json(200, { id, skipped: true }) : exchange.problem(gone)
  const answered = questions.answer(id, access, given.answer)
  if (!answered) return exchange.problem(gone)
  if (!answered.ok) return exchange.problem(answered.error, { status: 422 })
  exchange.json(200, { id, answered: true })
}
