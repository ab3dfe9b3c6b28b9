// A model on loopback that has the same to say each time, all of it at once, as the Messages API streams it; it writes its address first and ends
// with its standard input. model.cjs MS: it takes so long to answer.
'use strict'
const { createServer } = require('node:http')

const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'stub',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 1 },
}
const ANSWER = [
  event('message_start', { message: MESSAGE }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...['first', ' and', ' last'].map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } }),
  event('message_stop', {}),
].join('')

const DELAY_MS = Number(process.argv[2] ?? 0)

const server = createServer((request, response) => {
  const answer = () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER)
  request.resume().on('end', () => (DELAY_MS === 0 ? answer() : setTimeout(answer, DELAY_MS)))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
process.stdin.resume().on('end', () => process.exit())
