// A dispatcher written by hand, without a check, a limit or a deadline: requests on standard input, answers on standard output, by one
// means: call.cjs inline | function FILE | spawn COMMAND... | mcp SERVER
'use strict'
const { spawn } = require('node:child_process')
const { createRequire } = require('node:module')
const { pathToFileURL } = require('node:url')

const MEANS = {
  inline: () => (input) => ({ n: input.n * 2 }),

  function: async (file) => (await import(pathToFileURL(file))).double,

  spawn:
    (file, ...args) =>
    (input) =>
      new Promise((resolve) => {
        const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
        let text = ''
        child.stdout.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        child.on('close', () => resolve(JSON.parse(text)))
        // One that does not read its input has ended perhaps.
        child.stdin.on('error', () => {})
        child.stdin.end(`${JSON.stringify(input)}\n`)
      }),

  mcp: async (server) => {
    const sdk = createRequire(require.resolve('../../../packages/plumb-tool/package.json'))
    const { Client } = sdk('@modelcontextprotocol/sdk/client/index.js')
    const { StdioClientTransport } = sdk('@modelcontextprotocol/sdk/client/stdio.js')
    const client = new Client({ name: 'bench', version: '1' })
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [server], stderr: 'inherit' }))
    await client.listTools()
    process.stdin.on('end', () => client.close())
    return async (input) => (await client.callTool({ name: 'echo', arguments: input })).content[0].text
  },
}

const main = async ([means, ...words]) => {
  const call = await MEANS[means](...words)
  const answer = async (line) => {
    const { id, input } = JSON.parse(line)
    process.stdout.write(`${JSON.stringify({ id, content: JSON.stringify(await call(input)), is_error: false })}\n`)
  }
  let rest = ''
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) answer(line)
  })
}

main(process.argv.slice(2))
