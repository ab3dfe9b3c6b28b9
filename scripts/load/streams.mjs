// Writes lines to a child and reads its lines, with back-pressure on both sides.

import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

const CHUNK_CHARS = 65_536

/** `lines` is called for an iterable of texts. */
export const feed = async ({ stdin }, lines) => {
  let text = ''
  for (const line of lines()) {
    text += line
    if (text.length < CHUNK_CHARS) continue
    if (!stdin.write(text)) await new Promise((resolve) => stdin.once('drain', resolve))
    text = ''
  }
  stdin.end(text)
}

/** Reads for `trickleMs` with a pause after each chunk, for `stopMs` not at all, then everything. */
export const eachLine = async ({ stdout }, take, { trickleMs = 0, stopMs = 0, pauseMs = 0 } = {}) => {
  const began = performance.now()
  let rest = ''
  for await (const chunk of stdout) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop()
    for (const line of lines) take(line)
    const ms = performance.now() - began
    if (ms < trickleMs) await sleep(pauseMs)
    else if (ms < trickleMs + stopMs) await sleep(trickleMs + stopMs - ms)
  }
  if (rest !== '') take(rest)
}

/** Lines that are whole numbers. */
export const eachNumber = async ({ stdout }, take) => {
  let number = 0
  for await (const chunk of stdout) {
    for (const byte of chunk) {
      if (byte !== 10) number = number * 10 + byte - 48
      else {
        take(number)
        number = 0
      }
    }
  }
}

/** Resolves to the URL that plumb-mcp writes when it listens. */
export const waitForUrl = async ({ stderr }) => {
  let text = ''
  for await (const chunk of stderr) {
    text += chunk
    const url = /"listening":"([^"]+)"/.exec(text)?.[1]
    if (url) return url
  }
  throw new Error(`the server does not listen: ${text}`)
}
