// Measures the time to the first token of a model on loopback, process start included: bench-token.mjs [ROUNDS]
//
// plumb-agent tells each token on fd 3. Its rival is the shortest program that shows one: Node's own fetch, the reply read as it comes.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { performance } from 'node:perf_hooks'
import { build } from './build.mjs'
import { installDependencies } from './dependencies.mjs'
import { ROOT, runMain } from './step.mjs'

const AGENT = `${ROOT}/packages/plumb-agent/bin/plumb-agent`

const { openModel } = createRequire(import.meta.url)('./stub-model.cjs')

const bareFetch = (url) => `
const init = { method: 'POST', headers: { 'content-type': 'application/json', 'x-api-key': 'none' }, body: '{"stream":true}' }
fetch('${url}/v1/messages', init).then(async ({ body }) => {
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) process.stdout.write(chunk)
})`

const spec = (url) =>
  `let bot : !string -> !string = agent { provider: "anthropic", model: "stub", endpoint: "${url}", prompt: "Be brief." }`

// Node 20 reads the certificates that this names at every start, which would hide what is measured.
const { NODE_EXTRA_CA_CERTS: _, ...surroundings } = process.env
const env = { ...surroundings, ANTHROPIC_API_KEY: 'sk-none-000', PLUMB_ENDPOINT: '' }

const timeFirst = ([file, ...args], fd, wanted, input) =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit', 'pipe'] })
    let first
    child.stdio[fd].on('data', (text) => {
      if (String(text).includes(wanted)) first ??= performance.now() - started
    })
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', () => (first === undefined ? reject(new Error(`'${file}' shows no token`)) : resolve(first)))
    child.stdin.end(input)
  })

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]

await runMain(import.meta.url, async () => {
  const rounds = Number(process.argv[2] ?? 15)
  await installDependencies()
  await build()
  const { url, close } = await openModel()
  const programs = {
    'node -p 0': () => timeFirst([process.execPath, '-p', '0'], 1, '0', ''),
    'bare fetch': () => timeFirst([process.execPath, '-e', bareFetch(url)], 1, 'first', ''),
    'plumb-agent': () => timeFirst([AGENT, '--telemetry', '-e', spec(url)], 3, '"delta":"first"', '"hello"\n'),
  }
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) for (const [name, measure] of Object.entries(programs)) times[name].push(await measure())
  close()
  console.log('| program | median ms | min ms | of bare fetch |\n| --- | --- | --- | --- |')
  for (const [name, all] of Object.entries(times)) {
    const ratio = median(all) / median(times['bare fetch'])
    console.log(`| ${name} | ${median(all).toFixed(1)} | ${Math.min(...all).toFixed(1)} | ${ratio.toFixed(2)} |`)
  }
})
