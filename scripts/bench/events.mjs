// The lines that are measured: events of a shop, the same ones each time.

import { closeSync, openSync, writeSync } from 'node:fs'
import { random } from './random.mjs'

const SEED = 20_240_229
const WORDS = ['quiet', 'harbour', 'lantern', 'meadow', 'copper', 'thistle', 'orchard', 'pebble', 'näher', 'river']

export const EVENT = 'type Event = { seq: int, user: string, kind: "view" | "click" | "order", amount: number, note: string }'

/** The first n events, a line each; about 113 bytes. */
export const eventLines = (n) => {
  const next = random(SEED)
  return Array.from({ length: n }, (_, seq) => eventLine(seq, next)).join('')
}

/** Writes n events to a file, and resolves to how many bytes they are. */
export const writeEvents = (file, n) => {
  const next = random(SEED)
  const output = openSync(file, 'w')
  let bytes = 0
  for (let seq = 0; seq < n; ) {
    let text = ''
    for (const end = Math.min(seq + 5000, n); seq < end; seq++) text += eventLine(seq, next)
    bytes += writeSync(output, text)
  }
  closeSync(output)
  return bytes
}

const eventLine = (seq, next) => {
  const pick = (list) => list[Math.floor(next() * list.length)]
  const user = `u${Math.floor(next() * 100_000)}`
  const amount = Math.floor(next() * 100_000) / 100
  const note = [1, 2, 3, 4].map(() => pick(WORDS)).join(' ')
  return `${JSON.stringify({ seq, user, kind: pick(['view', 'click', 'order']), amount, note })}\n`
}
