// Measures plumb-mux against jq -c on the same envelopes, and how soon control is answered under load: bench-mux.mjs [ROUNDS [LINES]]
//
// bench-mux.mjs feed SECONDS and bench-mux.mjs hear are the two ends of the load: data without pause and a control message now and then,
// which says when it was written.

import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { installDependencies } from './dependencies.mjs'
import { ROOT, runMain } from './step.mjs'

const SELF = fileURLToPath(import.meta.url)
const LOAD_SECONDS = 5
const CONTROL_MS = 20

// Node 20 reads the certificates that this names at every start, which would hide what is measured.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
const MUX = `${ROOT}/packages/plumb-mux/bin/plumb-mux`
env.PATH = `${dirname(MUX)}:${env.PATH}`

const message = (n) =>
  `{"__port":"input","msg":{"seq":${n},"user":"u${(n * 7919) % 100_000}","amount":${n % 1000}.25,"note":"quiet näher river"}}\n`

const messages = (from, count) => Array.from({ length: count }, (_, i) => message(from + i)).join('')

const PIPES = {
  'jq -c .': 'cat "$1" | jq -c . >/dev/null',
  inward: 'cat "$1" | plumb-mux -- sh -c "cat >/dev/null"',
  'there and back': 'cat "$1" | plumb-mux -- cat | cat >/dev/null',
}

const ECHO = '#!/bin/sh\ncat <&6 >&7 &\ncat\n'
const LOAD = `node ${SELF} feed ${LOAD_SECONDS} | plumb-mux -- "$1" | node ${SELF} hear`

const benchAll = async (folder, rounds, lines) => {
  const data = join(folder, 'envelopes.jsonl')
  const file = openSync(data, 'w')
  for (let n = 0; n < lines; n += 10_000) writeSync(file, messages(n, Math.min(10_000, lines - n)))
  closeSync(file)

  const times = Object.fromEntries(Object.keys(PIPES).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, script] of Object.entries(PIPES)) times[name].push(await timeScript(script, data))
  }
  const jq = medianOf(times['jq -c .'])
  console.log(`| ${lines} envelopes | median s | speed |\n| --- | --- | --- |`)
  for (const [name, all] of Object.entries(times)) {
    const median = medianOf(all)
    console.log(`| ${name} | ${(median / 1000).toFixed(2)} | ${(jq / median).toFixed(2)} × |`)
  }

  const echo = join(folder, 'echo.sh')
  writeFileSync(echo, ECHO, { mode: 0o755 })
  console.log(`\nControl through an echo under load, ${LOAD_SECONDS} s: ${(await runScript(LOAD, echo)).trim()}`)
  if (process.platform === 'linux') console.log(`Peak memory there and back: ${await peakMemory(data)} MB`)
}

const runScript = (script, argument) =>
  new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', script, 'sh', argument], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(text))
  })

const timeScript = async (script, argument) => {
  const started = performance.now()
  await runScript(script, argument)
  return performance.now() - started
}

const peakMemory = (data) =>
  new Promise((resolve, reject) => {
    const input = openSync(data)
    const child = spawn(MUX, ['--', 'cat'], { env, stdio: [input, 'ignore', 'inherit'] })
    closeSync(input)
    let peak = 0
    const timer = setInterval(() => {
      peak = Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? peak)
    }, 50)
    child.on('error', reject)
    child.on('exit', () => {
      clearInterval(timer)
      resolve((peak / 1000).toFixed(1))
    })
  })

const feed = (seconds) => {
  const data = messages(0, 800)
  const until = performance.now() + seconds * 1000
  let next = 0
  const pump = () => {
    for (let isOpen = true; isOpen; ) {
      const now = performance.now()
      if (now > until) return
      if (now > next) {
        next = now + CONTROL_MS
        process.stdout.write(`{"__port":"ctrl_in","msg":${process.hrtime.bigint()}}\n`)
      }
      isOpen = process.stdout.write(data)
    }
  }
  process.stdout.on('drain', pump)
  pump()
}

const hear = () => {
  const delays = []
  let rest = ''
  process.stdin.setEncoding('latin1').on('data', (chunk) => {
    const text = rest + chunk
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    for (const [, sent] of text.slice(0, end).matchAll(/"ctrl_out","msg":(\d+)/g)) {
      delays.push(Number(process.hrtime.bigint() - BigInt(sent)) / 1e6)
    }
  })
  process.stdin.on('end', () => console.log(`${delays.length} answers, median ${medianOf(delays).toFixed(2)} ms`))
}

const medianOf = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]

const [what, argument] = process.argv.slice(2)
if (what === 'feed') feed(Number(argument))
else if (what === 'hear') hear()
else {
  await runMain(import.meta.url, async () => {
    await installDependencies()
    await build()
    const folder = mkdtempSync(join(tmpdir(), 'plumb-bench-'))
    try {
      await benchAll(folder, Number(what ?? 5), Number(argument ?? 1_000_000))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}
