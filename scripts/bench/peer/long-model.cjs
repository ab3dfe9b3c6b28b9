// A model on loopback with long answers, which says when it is asked: it writes its address first, then a line for each request, and ends with
// its standard input. long-model.cjs MS CHARACTERS
'use strict'
const { createServer } = require('node:http')

const [DELAY_MS, CHARACTERS] = [Number(process.argv[2]), Number(process.argv[3])]
const WORDS = 'the quick brown fox "jumps"\nover a näher river '
const text = WORDS.repeat(Math.ceil(CHARACTERS / WORDS.length)).slice(0, CHARACTERS)
const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const usage = { input_tokens: 10, output_tokens: 1 }
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'stub',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
}
const ANSWER = [
  event('message_start', { message }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } }),
  event('message_stop', {}),
].join('')

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    process.stdout.write('asked\n')
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER), DELAY_MS)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
process.stdin.resume().on('end', () => process.exit())
