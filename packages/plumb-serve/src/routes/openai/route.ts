// The endpoints that clients of OpenAI's API use: a model is a binding of strings, or of records with messages.

import { fault, type Result } from '@plumb/wire'
import type { Binding } from '../../binding/binding.js'
import type { Exchange } from '../../http/exchange.js'
import type { Run } from '../../run/run.js'
import type { Service } from '../../service.js'
import { conversationOf, maxCostOf, runWithClient } from '../with-client.js'
import { answerChat } from './chat.js'
import { bindingOf, isModel, type OpenaiBody, type OpenaiRequest, readBodyOf, readChat, readResponse } from './request.js'
import { answerResponse } from './responses.js'

interface Endpoint {
  readonly read: (body: OpenaiBody, binding: Binding) => Result<OpenaiRequest>
  readonly answer: (exchange: Exchange, run: Run, request: OpenaiRequest) => Promise<void>
}

const CHAT: Endpoint = { read: readChat, answer: answerChat }
const RESPONSES: Endpoint = { read: readResponse, answer: answerResponse }

export const answerOpenai = async (exchange: Exchange, service: Service): Promise<void> => {
  const { path, method, access } = exchange
  const models = service.bindings.filter((binding) => isModel(binding) && (!access?.bindings || access.bindings.has(binding.name)))
  const [isList, id] = /^\/v1\/models(?:\/([^/]+))?$/.exec(path) ?? []
  const endpoint = path === '/v1/chat/completions' ? CHAT : path === '/v1/responses' ? RESPONSES : undefined
  if (endpoint && method === 'POST') return callModel(exchange, service, models, endpoint)
  if (!endpoint && isList === undefined) return exchange.problem(fault('no_such_page', `there is nothing at '${path.slice(0, 200)}'`))
  const allow = endpoint ? 'POST' : 'GET'
  if (method !== allow) return exchange.wrongMethod(allow)
  if (id === undefined) return exchange.json(200, { object: 'list', data: models.map(shown) })
  const model = models.find(({ name }) => name === id)
  if (model) return exchange.json(200, shown(model))
  exchange.problem(fault('no_such_page', `the model '${id.slice(0, 100)}' does not exist`))
}

const STARTED = Math.floor(Date.now() / 1000)

const shown = ({ name }: Binding) => ({ id: name, object: 'model', created: STARTED, owned_by: 'plumb' })

const callModel = async (exchange: Exchange, service: Service, models: readonly Binding[], { read, answer }: Endpoint): Promise<void> => {
  const { logged } = exchange
  if (service.state === 'draining') return exchange.problem(fault('overloaded', 'the server is about to end, and takes no more requests'))
  const bytes = await service.readBody(exchange.request)
  if (!bytes.ok) return exchange.problem(bytes.error)
  exchange.hasRead = true
  const body = readBodyOf(bytes.value)
  if (!body.ok) return exchange.problem(body.error)
  const binding = bindingOf(body.value, models)
  if (!binding.ok) return exchange.problem(binding.error)
  logged.binding = binding.value.name
  const asked = read(body.value, binding.value)
  if (!asked.ok) return exchange.problem(asked.error)
  const request = asked.value
  const events = new Set(binding.value.streamsText && request.isStreamed ? ['text', 'tool_call', 'retry'] : [])
  const feed = async (run: Run): Promise<void> => {
    await run.writeBytes(Buffer.concat([request.input, NEWLINE]))
    run.endInput()
  }
  const maxCost = maxCostOf(exchange)
  if (!maxCost.ok) return exchange.problem(maxCost.error)
  const named = conversationOf(exchange)
  if (!named.ok) return exchange.problem(named.error)
  const conversation = request.conversation ?? named.value
  const own = { binding: binding.value, events, maxCost: maxCost.value, conversation, before: request.before }
  await runWithClient(exchange, service, { ...own, feed, answer: (run) => answer(exchange, run, request) })
}

const NEWLINE = Buffer.from('\n')
