// Measures the first answer of plumb-mcp, from its start on, against a bare server of the SDK: bench-mcp-start.mjs [ROUNDS]
//
// Both answer `initialize` on stdio; the bare one is a few lines on the SDK as it is installed.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { build } from './build.mjs'
import { installDependencies } from './dependencies.mjs'
import { ROOT, runMain } from './step.mjs'

const SPEC = `${ROOT}/packages/plumb/examples/eliza.plumb`
const BARE = `
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
await new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } }).connect(new StdioServerTransport())
`
const clientInfo = { name: 'bench', version: '1' }
const INITIALIZE = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } }

// Node 20 reads the certificates that this names at every start, which would hide what is measured.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

const timeFirst = ([file, ...args]) =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdout.once('data', () => {
      resolve(performance.now() - started)
      child.kill()
    })
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', () => reject(new Error(`'${file}' gives no answer`)))
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`)
  })

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]

await runMain(import.meta.url, async () => {
  const rounds = Number(process.argv[2] ?? 15)
  await installDependencies()
  await build()
  // Where the SDK is found.
  const folder = mkdtempSync(join(ROOT, 'packages/plumb-mcp/dist/bench-'))
  try {
    const bare = join(folder, 'bare.mjs')
    writeFileSync(bare, BARE)
    const programs = { 'bare SDK': [process.execPath, bare], 'plumb-mcp': [`${ROOT}/packages/plumb-mcp/bin/plumb-mcp`, SPEC] }
    const times = { 'bare SDK': [], 'plumb-mcp': [] }
    for (let round = 0; round < rounds; round++)
      for (const [name, program] of Object.entries(programs)) times[name].push(await timeFirst(program))
    console.log('| first answer of a server | median ms | of the bare SDK |\n| --- | --- | --- |')
    for (const [name, all] of Object.entries(times)) {
      console.log(`| ${name} | ${median(all).toFixed(0)} | ${(median(all) / median(times['bare SDK'])).toFixed(2)} |`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
