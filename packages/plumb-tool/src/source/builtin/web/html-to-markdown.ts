// HTML to Markdown in a thread of its own: a page that takes too long or too much is given up. One at a time, so that the memory and the time
// of this process bound those of the page, however many are asked for at once.

import { Worker } from 'node:worker_threads'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { HtmlPage } from './html/to-markdown.js'

/** Of the processor, as this process counts it. */
const MAX_CPU_MS = 10_000
/** On a machine that has much else to do. */
const CONVERSION_TIMEOUT_MS = 60_000
const LOOK_MS = 200
/** Of the heap; 5 MB of paragraphs take most of it. */
const MAX_MEMORY_MB = 200
/** Tags are what takes time and memory; the largest of ordinary pages have half of that. */
const MAX_TAGS = 150_000

let last: Promise<unknown> = Promise.resolve()

export const htmlToMarkdown = async (page: HtmlPage, signal: AbortSignal): Promise<Result<string>> => {
  const before = last
  const converted = before.then(() => convert(page, signal))
  last = converted.catch(() => {})
  return converted
}

const convert = async ({ html, url }: HtmlPage, signal: AbortSignal): Promise<Result<string>> => {
  if (signal.aborted) return fail('cancelled', 'the conversion of the page was given up')
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
    const finish = (result: Result<string>): void => {
      if (isFinished) return
      isFinished = true
      clearTimeout(timer)
      clearInterval(looking)
      signal.removeEventListener('abort', giveUp)
      // What it holds is given back before the next begins.
      void worker.terminate().then(() => resolve(result))
    }
    const giveUp = (): void => finish(fail('cancelled', 'the conversion of the page was given up'))
    const refuse = (why: string, code: 'bad_reply' | 'too_large' = 'too_large'): void =>
      finish(fail(code, `the page at ${preview(url, 200)} cannot be made Markdown: ${why}; http_get gives it as it is`))
    const timer = setTimeout(() => refuse(`it takes more than ${CONVERSION_TIMEOUT_MS / 1000} s`), CONVERSION_TIMEOUT_MS)
    const looking = setInterval(() => {
      if (cpuMs() - began > MAX_CPU_MS) refuse(`it takes more than ${MAX_CPU_MS / 1000} s of the processor`)
    }, LOOK_MS)
    signal.addEventListener('abort', giveUp, { once: true })
    worker.on('message', (markdown: string) => finish(succeed(markdown + whatIsLeft(html.length, end))))
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

/** Where a page is cut: behind so many tags. */
const endOfTags = (html: string): number => {
  let count = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) if (++count > MAX_TAGS) return at
  return html.length
}

const whatIsLeft = (length: number, end: number): string => {
  if (end === length) return ''
  const [whole, read] = [length, end].map((n) => n.toLocaleString('en'))
  return `\n[The page goes on: the first ${read} of its ${whole} characters are here; http_get gives it as it is.]\n`
}
