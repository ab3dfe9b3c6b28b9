// The smallest image, document and audio that are what they say.

import type { MediaBlock } from '../provider/media-block.js'

/** A red square, 16 by 16. */
export const IMAGE: MediaBlock = {
  type: 'image',
  media_type: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mO4oKBAEmIY1TCqYfhqAABLfxAQegypMgAAAABJRU5ErkJggg==',
}

const PAGE = [
  '%PDF-1.4',
  '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
  '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj',
  '4 0 obj<</Length 37>>stream\nBT /F 24 Tf 20 40 Td (banana) Tj ET  \nendstream endobj',
  '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
]

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')

/** One page with one word on it. */
const pdf = (): string => {
  const offsets = PAGE.slice(1).map((_, i) => PAGE.slice(0, i + 1).join('\n').length + 1)
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const body = `${PAGE.join('\n')}\n`
  return `${body}xref\n0 6\n0000000000 65535 f \n${table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`
}

export const DOCUMENT: MediaBlock = { type: 'document', media_type: 'application/pdf', title: 'word.pdf', data: base64(pdf()) }

const RATE = 8_000

/** A tenth of a second of silence: 16 bits, one channel. */
const wav = (): string => {
  const samples = Buffer.alloc(RATE / 5)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples]).toString('base64')
}

export const AUDIO: MediaBlock = { type: 'audio', media_type: 'audio/wav', data: wav() }
