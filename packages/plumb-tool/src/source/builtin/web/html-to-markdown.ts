// Converts HTML to Markdown in a worker thread with limits of time and memory. One page at a time, so that processor time and memory of
// the process can be attributed to it.

import { Worker } from 'node:worker_threads'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { ConvertedPage, HtmlPage } from './html/to-markdown.js'

/** Processor time of the process. */
const MAX_CPU_MS = 10_000
/** Wall-clock limit for a busy machine. */
const CONVERSION_TIMEOUT_MS = 60_000
const LOOK_MS = 200
/** Heap limit; 5 MB of paragraphs take most of it. */
const MAX_MEMORY_MB = 200
/** Tags determine time and memory; the largest ordinary pages have half as many. */
const MAX_TAGS = 150_000

let last: Promise<unknown> = Promise.resolve()

export const htmlToMarkdown = async (page: HtmlPage, signal: AbortSignal): Promise<Result<ConvertedPage>> => {
  const before = last
  const converted = before.then(() => convert(page, signal))
  last = converted.catch(() => {})
  return converted
}

const convert = async ({ html, url }: HtmlPage, signal: AbortSignal): Promise<Result<ConvertedPage>> => {
  if (signal.aborted) return fail('cancelled', 'the conversion of the page was cancelled')
  const { default: program } = await import('./html/html.worker?text')
  const end = endOfTags(html)
  const began = cpuMs()
  return new Promise((resolve) => {
    const worker = new Worker(program, {
      eval: true,
      workerData: { html: html.slice(0, end), url },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB, maxYoungGenerationSizeMb: 16 },
      stdout: true,
      stderr: true,
    })
    let isFinished = false
    const finish = (result: Result<ConvertedPage>): void => {
      if (isFinished) return
      isFinished = true
      clearTimeout(timer)
      clearInterval(looking)
      signal.removeEventListener('abort', onAbort)
      // Its memory is freed before the next conversion begins.
      void worker.terminate().then(() => resolve(result))
    }
    const onAbort = (): void => finish(fail('cancelled', 'the conversion of the page was cancelled'))
    const refuse = (why: string, code: 'bad_reply' | 'too_large' = 'too_large'): void =>
      finish(fail(code, `the page at ${preview(url, 200)} cannot be made Markdown: ${why}; http_get gives it unchanged`))
    const timer = setTimeout(() => refuse(`it takes more than ${CONVERSION_TIMEOUT_MS / 1000} s`), CONVERSION_TIMEOUT_MS)
    const looking = setInterval(() => {
      if (cpuMs() - began > MAX_CPU_MS) refuse(`it takes more than ${MAX_CPU_MS / 1000} s of the processor`)
    }, LOOK_MS)
    signal.addEventListener('abort', onAbort, { once: true })
    worker.on('message', (page: ConvertedPage) => finish(succeed({ ...page, markdown: page.markdown + whatIsLeft(html.length, end) })))
    worker.on('error', ({ message, code }: Error & { code?: string }) => {
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') refuse(`it takes more than ${MAX_MEMORY_MB} MB of memory`)
      else refuse(preview(message, 200), 'bad_reply')
    })
    worker.on('exit', () => refuse('it ended without a result', 'bad_reply'))
  })
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The offset at which a page is cut. */
const endOfTags = (html: string): number => {
  let count = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) if (++count > MAX_TAGS) return at
  return html.length
}

const whatIsLeft = (length: number, end: number): string => {
  if (end === length) return ''
  const [whole, read] = [length, end].map((n) => n.toLocaleString('en'))
  return `\n[The page goes on: the first ${read} of its ${whole} characters are here; http_get gives it unchanged.]\n`
}
