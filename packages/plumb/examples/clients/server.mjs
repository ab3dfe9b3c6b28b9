// A web server of the smallest kind: one connection that is kept warm, and an answer that goes on to the page as it comes.
//
//   npm install ./plumb-lang-client-VERSION.tgz && node server.mjs 8000

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { open } from '@plumb-lang/client'

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))
const plumb = await open({ spec: beside('chat.plumb') })

const routes = {
  'GET /': (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(readFileSync(beside('page.html'))),
  'POST /chat': async (request, response) => {
    let question = ''
    for await (const piece of request.setEncoding('utf8')) question += piece
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    let hasText = false
    for await (const { event, value, error } of plumb.stream('bot', [question], { events: ['text'] })) {
      if (error) response.write(`(${error.detail})`)
      // A model that does not stream has its answer at the end alone.
      else if (event || !hasText) response.write(event ? event.delta : value)
      hasText ||= event !== undefined
    }
    response.end()
  },
}

const server = createServer((request, response) => {
  const route = routes[`${request.method} ${request.url}`]
  if (route) route(request, response)
  else response.writeHead(404).end()
})
server.listen(Number(process.argv[2] ?? 8000), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
