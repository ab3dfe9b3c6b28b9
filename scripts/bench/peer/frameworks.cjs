// Agents that others build on, each asked as its own documentation shows: frameworks.cjs DIR NAME URL, with the packages in DIR.
//
// Each line is a question, put to the model without what was said before; its answer is read as it streams.
'use strict'
const { createRequire } = require('node:module')
const { resolve } = require('node:path')

const SYSTEM = 'Be brief.'

/** By name: what must be installed, and what answers a question. */
const FRAMEWORKS = {
  'Anthropic SDK': {
    packages: ['@anthropic-ai/sdk'],
    open: (load, url) => {
      const client = new (load('@anthropic-ai/sdk').default)({ baseURL: url, apiKey: 'none' })
      return (question) => {
        const messages = [{ role: 'user', content: question }]
        return client.messages.stream({ model: 'stub', max_tokens: 8192, system: SYSTEM, messages }).finalText()
      }
    },
  },
  'Vercel AI SDK': {
    packages: ['ai', '@ai-sdk/anthropic'],
    open: (load, url) => {
      const model = load('@ai-sdk/anthropic').createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })('stub')
      const { streamText } = load('ai')
      return (question) => streamText({ model, maxOutputTokens: 4096, system: SYSTEM, prompt: question }).text
    },
  },
  LangGraph: {
    packages: ['@langchain/langgraph', '@langchain/anthropic', '@langchain/core'],
    open: (load, url) => {
      const { ChatAnthropic } = load('@langchain/anthropic')
      const llm = new ChatAnthropic({ model: 'stub', apiKey: 'none', anthropicApiUrl: url, streaming: true })
      const agent = load('@langchain/langgraph/prebuilt').createReactAgent({ llm, tools: [], prompt: SYSTEM })
      return async (question) => {
        const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] })
        return messages.at(-1).text
      }
    },
  },
}

const loadFrom = (directory) => createRequire(resolve(directory, 'package.json'))

/** Which of them are installed below a directory: their names. */
exports.frameworksIn = (directory) =>
  Object.entries(FRAMEWORKS).flatMap(([name, { packages }]) => {
    try {
      for (const one of packages) loadFrom(directory).resolve(one)
      return [name]
    } catch {
      return []
    }
  })

const main = async ([directory, name, url]) => {
  const ask = FRAMEWORKS[name].open(loadFrom(directory), url)
  let rest = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) process.stdout.write(`${JSON.stringify(await ask(JSON.parse(line)))}\n`)
  }
}

if (require.main === module) main(process.argv.slice(2))
