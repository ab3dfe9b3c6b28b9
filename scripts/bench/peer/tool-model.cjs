// A model on loopback that calls the tool `double` for each question and then answers how many milliseconds passed from its call to the result.
// It writes its address first and ends with its standard input. tool-model.cjs MS: it takes so long to ask for the call.
'use strict'
const { createServer } = require('node:http')

const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const answer = (block, deltas, reason) =>
  [
    event('message_start', {
      message: {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'stub', content: [], stop_reason: null, stop_sequence: null },
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    }),
    event('content_block_start', { index: 0, content_block: block }),
    ...deltas.map((delta) => event('content_block_delta', { index: 0, delta })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 3 } }),
    event('message_stop', {}),
  ].join('')

const say = (text) => answer({ type: 'text', text: '' }, [{ type: 'text_delta', text }], 'end_turn')
const call = (id) =>
  answer({ type: 'tool_use', id, name: 'double', input: {} }, [{ type: 'input_json_delta', partial_json: '{"n": 21}' }], 'tool_use')

const DELAY_MS = Number(process.argv[2] ?? 0)
const TYPE = { 'content-type': 'text/event-stream' }

let calls = 0
const asked = new Map()
const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (text) => {
    body += text
  })
  request.on('end', () => {
    const [, result] = /"tool_result","tool_use_id":"(\w+)"|$/.exec(body)
    if (result !== undefined) {
      const ms = performance.now() - asked.get(result)
      response.writeHead(200, TYPE).end(say(String(ms)))
      return
    }
    const id = `toolu_${++calls}`
    const answerNow = () => {
      asked.set(id, performance.now())
      response.writeHead(200, TYPE).end(call(id))
    }
    if (DELAY_MS === 0) answerNow()
    else setTimeout(answerNow, DELAY_MS)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
process.stdin.resume().on('end', () => process.exit())
