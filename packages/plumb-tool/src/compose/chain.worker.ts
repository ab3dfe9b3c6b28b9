// The thread that checks and runs a model's chain: comparing its types and computing its expressions may take any time.

import { parentPort, workerData } from 'node:worker_threads'
import { fault, type Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { ChainQuestion, FromChain, ToChain } from './question.js'
import { type ChainHost, runChain } from './run-chain.js'

const say = (message: FromChain): void => parentPort?.postMessage(message)

const waiting = new Map<number, (result: Result<JsonText>) => void>()
let calls = 0

const host: ChainHost = {
  call: (tool, input, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve({ ok: false, error: fault('cancelled', 'another part of the chain has failed') })
      const call = ++calls
      const abort = (): void => say({ kind: 'abort', call })
      signal.addEventListener('abort', abort, { once: true })
      waiting.set(call, (result) => {
        signal.removeEventListener('abort', abort)
        waiting.delete(call)
        resolve(result)
      })
      say({ kind: 'call', call, tool, input })
    }),
  warn: (warning) => say({ kind: 'warn', warning }),
}

parentPort?.on('message', ({ call, result }: ToChain) => waiting.get(call)?.(result))
void runChain(workerData as ChainQuestion, host).then(say)
