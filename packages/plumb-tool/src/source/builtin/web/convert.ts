// HTML to Markdown in a thread of its own: a page that takes too long or too much is given up, and nobody else waits for it.

import { Worker } from 'node:worker_threads'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { HtmlPage } from './html/to-markdown.js'

const MAX_MS = 20_000
/** Of the heap; 5 MB of paragraphs take half of it. */
const MAX_MEMORY_MB = 300

export const htmlToMarkdown = async (page: HtmlPage, signal: AbortSignal): Promise<Result<string>> => {
  if (signal.aborted) return fail('cancelled', 'the conversion of the page was given up')
  const { default: program } = await import('./html/html.worker?text')
  return new Promise((resolve) => {
    const worker = new Worker(program, {
      eval: true,
      workerData: page,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
      stdout: true,
      stderr: true,
    })
    const end = (result: Result<string>): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      resolve(result)
      void worker.terminate()
    }
    const giveUp = (): void => end(fail('cancelled', 'the conversion of the page was given up'))
    const refuse = (why: string): void =>
      end(fail('bad_reply', `the page at ${preview(page.url, 200)} cannot be made Markdown: ${why}; http_get gives it as it is`))
    const timer = setTimeout(() => refuse(`it takes more than ${MAX_MS / 1000} s`), MAX_MS)
    signal.addEventListener('abort', giveUp, { once: true })
    worker.on('message', (markdown: string) => end(succeed(markdown)))
    worker.on('error', ({ message }) => refuse(preview(message, 200)))
    worker.on('exit', () => refuse('it ended without a result'))
  })
}
