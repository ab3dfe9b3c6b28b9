// A model on loopback that answers one word, streamed as in the Messages API; where a tool `double` is offered, it calls that first.
'use strict'
const { createServer } = require('node:http')

const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const START = event('message_start', { message: { type: 'message', content: [], usage: { input_tokens: 10, output_tokens: 1 } } })
const FIRST =
  START +
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'first' } })
const REST =
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }) +
  event('message_stop', {})
const CALL =
  START +
  event('content_block_start', { index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'double', input: {} } }) +
  event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '{"n": 21}' } }) +
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } }) +
  event('message_stop', {})

/** Resolves to { url, close }. The word comes at once, the end a moment later. The server keeps no process alive. */
exports.openModel = () =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        if (body.includes('"name":"double"') && !body.includes('"tool_result"')) return response.end(CALL)
        response.write(FIRST)
        setTimeout(() => response.end(REST), 20)
      })
    })
    server.listen(0, '127.0.0.1', () => {
      server.unref()
      resolve({ url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() })
    })
  })
