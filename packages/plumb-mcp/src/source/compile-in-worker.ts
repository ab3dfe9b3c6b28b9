// Compiles and checks a client's source in a thread, with limits of its own.

import { Worker } from 'node:worker_threads'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { CompiledSource, SourceQuestion } from './compiled-source.js'

/** Maximum UTF-16 units of a source. */
const MAX_SOURCE = 256 * 1024
const COMPILE_TIMEOUT_MS = 10_000
const MAX_MEMORY_MB = 256

export const compileInWorker = async (question: SourceQuestion, signal: AbortSignal): Promise<Result<CompiledSource>> => {
  const { length } = question.text
  if (length > MAX_SOURCE) return fail('spec_invalid', `the source has ${length} characters, and ${MAX_SOURCE} are taken`)
  if (signal.aborted) return fail('cancelled', 'the check of the source was cancelled')
  const { default: program } = await import('./compile.worker?text')
  return new Promise((resolve) => {
    const worker = new Worker(program, {
      eval: true,
      workerData: question,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
      stdout: true,
      stderr: true,
    })
    const end = (result: Result<CompiledSource>): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(result)
      void worker.terminate()
    }
    const onAbort = (): void => end(fail('cancelled', 'the check of the source was cancelled'))
    const refuse = (why: string): void => end(fail('spec_invalid', `the source cannot be checked: ${why}`))
    const timer = setTimeout(() => refuse(`it takes more than ${COMPILE_TIMEOUT_MS / 1000} s`), COMPILE_TIMEOUT_MS)
    signal.addEventListener('abort', onAbort, { once: true })
    worker.on('message', (compiled: CompiledSource) => end(succeed(compiled)))
    worker.on('error', ({ message }) => refuse(preview(message, 200)))
    worker.on('exit', () => refuse('it needs too much memory'))
  })
}
