// Measures MCP against the bare SDK: bench-mcp.mjs [ROUNDS]
//
// A call over stdio, of one server that does nothing, through connectMcp and through the SDK's own client, by turns.

import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { buildModule } from './build.mjs'
import { installDependencies } from './dependencies.mjs'
import { ROOT, runMain } from './step.mjs'

const SERVER = `${ROOT}/packages/plumb-tool/test/fixtures/mcp/hostile.cjs`

// What is measured, as it is bundled into the executables.
const PARTS = `
export { connectMcp } from './packages/plumb-tool/src/source/mcp/connect.js'
export { Client } from './packages/plumb-tool/node_modules/@modelcontextprotocol/sdk/dist/cjs/client/index.js'
export { StdioClientTransport } from './packages/plumb-tool/node_modules/@modelcontextprotocol/sdk/dist/cjs/client/stdio.js'`

const openOurs = async ({ connectMcp }) => {
  const config = { command: process.execPath, args: [SERVER, 'pages'], cache_ttl: 0 }
  const opened = await connectMcp(config, { clientName: 'bench', note: console.error, allowsPrivateNet: true })
  if (!opened.ok) throw new Error(opened.error.detail)
  const { value: connection } = opened
  await connection.tools()
  return { call: () => connection.call('echo', '{"text":"hello"}'), close: () => connection.disconnect() }
}

const openBare = async ({ Client, StdioClientTransport }) => {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER, 'pages'], stderr: 'ignore' }))
  await client.listTools()
  return { call: () => client.callTool({ name: 'echo', arguments: { text: 'hello' } }), close: () => client.close() }
}

const time = async (work) => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]

await runMain(import.meta.url, async () => {
  const rounds = Number(process.argv[2] ?? 2000)
  await installDependencies()
  const folder = mkdtempSync(join(tmpdir(), 'bench-mcp-'))
  try {
    const file = join(folder, 'parts.cjs')
    await buildModule(PARTS, file)
    const parts = createRequire(import.meta.url)(file)
    const clients = { 'bare SDK': await openBare(parts), plumb: await openOurs(parts) }
    const times = { 'bare SDK': [], plumb: [] }
    for (let round = 0; round < rounds; round++) for (const [name, { call }] of Object.entries(clients)) times[name].push(await time(call))
    for (const { close } of Object.values(clients)) await close()
    console.log('| a call over stdio | median ms | of the bare SDK |\n| --- | --- | --- |')
    for (const [name, all] of Object.entries(times)) {
      // The first tenth is for the compiler.
      const ms = median(all.slice(rounds / 10))
      console.log(`| ${name} | ${ms.toFixed(3)} | ${(ms / median(times['bare SDK'].slice(rounds / 10))).toFixed(2)} |`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
