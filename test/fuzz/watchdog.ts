// What hangs cannot say so itself: a thread beside it does, keeps the input, and ends the process.

import { Worker } from 'node:worker_threads'
import { scaled } from '../../packages/wire/test/patience.js'

export interface Watchdog {
  /** Until the next one, or the end, so much time may pass. */
  begin(what: string, input: Buffer): void
  end(): void
}

const MOST_MS = scaled(60_000)
const MOST_BYTES = 65_536

/** `file`: where the input goes. */
export const openWatchdog = (target: string, file: string): Watchdog => {
  // How many were begun, and the lengths of the two texts.
  const head = new Int32Array(new SharedArrayBuffer(12))
  const texts = [new Uint8Array(new SharedArrayBuffer(MOST_BYTES)), new Uint8Array(new SharedArrayBuffer(MOST_BYTES))] as const
  const keep = (i: 0 | 1, text: Buffer): void => {
    const bytes = text.subarray(0, MOST_BYTES)
    texts[i].set(bytes)
    head[i + 1] = bytes.length
  }
  const worker = new Worker(PROGRAM, { eval: true, workerData: { head, texts, target, file, ms: MOST_MS }, env: {}, execArgv: [] })
  worker.unref()
  return {
    begin: (what, input) => {
      keep(0, Buffer.from(what))
      keep(1, input)
      Atomics.add(head, 0, 1)
      Atomics.notify(head, 0)
    },
    end: () => void worker.terminate(),
  }
}

const PROGRAM = `
const { mkdirSync, writeFileSync, writeSync } = require('node:fs')
const { dirname } = require('node:path')
const { head, texts, target, file, ms } = require('node:worker_threads').workerData
for (let seen = 0; ; seen = Atomics.load(head, 0)) {
  if (Atomics.wait(head, 0, seen, ms) !== 'timed-out') continue
  const [what, input] = texts.map((text, i) => Buffer.from(text.slice(0, head[i + 1])))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, input)
  writeSync(1, 'not ok - ' + target + ': ' + what + ' does not end; ' + file + ' holds its input\\n')
  process.kill(process.pid, 'SIGKILL')
}
`
