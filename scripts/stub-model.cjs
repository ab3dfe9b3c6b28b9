// The model on loopback of the build, of tests and of benchmarks: what the Messages API streams, event by event, and a server for it.
'use strict'
const { createServer } = require('node:http')

const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const block = (index, content_block, delta) =>
  event('content_block_start', { index, content_block }) + (delta ? event('content_block_delta', { index, delta }) : '')

/** An answer is START, then blocks, each with its `stopBlock`, then `stop`. */
const START = event('message_start', {
  message: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'stub', content: [], stop_reason: null, stop_sequence: null },
    usage: { input_tokens: 10, output_tokens: 1 },
  },
})
const startText = (index) => block(index, { type: 'text', text: '' })
const moreText = (index, text) => event('content_block_delta', { index, delta: { type: 'text_delta', text } })
const thinking = (index, text) =>
  block(index, { type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: text })
const call = (index, id, name, input) =>
  block(index, { type: 'tool_use', id, name, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(input) })
const stopBlock = (index) => event('content_block_stop', { index })
const stop = (reason) =>
  event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 2 } }) + event('message_stop', {})

/** Whole answers: pieces of one text, or one call. */
const textAnswer = (...pieces) => [START, startText(0), ...pieces.map((text) => moreText(0, text)), stopBlock(0), stop('end_turn')].join('')
const callAnswer = (id, name, input) => START + call(0, id, name, input) + stopBlock(0) + stop('tool_use')

/** Resolves to { url, close }. `answer(request, response)`: the head of the response is written when it writes first. */
const openServer = (answer) =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      response.statusCode = 200
      response.setHeader('content-type', 'text/event-stream')
      answer(request, response)
    })
    const close = () => {
      server.close()
      server.closeAllConnections()
    }
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}`, server, close }))
  })

const bodyOf = async (request) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** As a program: writes its address first, and ends with its standard input. */
const serveModel = async (answer) => {
  const { url } = await openServer(answer)
  process.stdout.write(`${url}\n`)
  process.stdin.resume().on('end', () => process.exit())
}

/**
 * Resolves to { url, close }: a model that answers one word, at once, and ends a moment later; where a tool `double` is offered, it calls that
 * first. It keeps no process alive.
 */
const openModel = async () => {
  const { server, ...model } = await openServer(async (request, response) => {
    const body = await bodyOf(request)
    if (body.includes('"name":"double"') && !body.includes('"tool_result"')) return response.end(callAnswer('toolu_1', 'double', { n: 21 }))
    response.write(START + startText(0) + moreText(0, 'first'))
    setTimeout(() => response.end(stopBlock(0) + stop('end_turn')), 20)
  })
  server.unref()
  return model
}

module.exports = {
  ...{ START, startText, moreText, thinking, call, stopBlock, stop, textAnswer, callAnswer },
  ...{ openServer, openModel, serveModel, bodyOf },
}
