// A library as a server of the Model Context Protocol, on standard input and output: two tools, and no package.

import { createInterface } from 'node:readline'

const TEXTS = {
  a1: { title: 'Pressure', text: 'An espresso machine presses water through the coffee with about nine bars.' },
  b2: {
    title: 'On crema',
    text: 'Crema is a foam of carbon dioxide in an emulsion of oils. It comes from pressure, and from fresh coffee.',
  },
  c3: { title: 'Roasting', text: 'Carbon dioxide is made in roasting, and leaves the bean within some weeks.' },
}

const wordsOf = (text) => text.toLowerCase().match(/\w+/g) ?? []

const TOOLS = {
  search: {
    description: 'Ids and titles of the texts that have a word of these',
    needs: { text: { type: 'string' } },
    run: ({ text }) => {
      const words = new Set(wordsOf(text))
      const found = Object.entries(TEXTS).filter(([, { title, text }]) => wordsOf(`${title} ${text}`).some((word) => words.has(word)))
      return found.map(([id, { title }]) => `${id}: ${title}`).join('\n') || 'nothing'
    },
  },
  read: {
    description: 'The text with this id',
    needs: { id: { type: 'string' } },
    run: ({ id }) => TEXTS[id]?.text ?? 'there is no such text',
  },
}

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'library', version: '1' } }),
  'tools/list': () => ({
    tools: Object.entries(TOOLS).map(([name, { description, needs }]) => ({
      ...{ name, description },
      inputSchema: { type: 'object', properties: needs, required: Object.keys(needs), additionalProperties: false },
    })),
  }),
  'tools/call': ({ name, arguments: input }) => ({ content: [{ type: 'text', text: TOOLS[name].run(input) }] }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = ANSWERS[method]
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: `no method ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`)
})
