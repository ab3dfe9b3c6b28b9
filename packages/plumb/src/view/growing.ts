// Answers that are being written while the run goes on, from the file that the run replaces now and then.

import { readFileSync } from 'node:fs'
import { isRecord, preview } from '@plumb/wire'
import { type Html, html } from './html.js'
import { section, table } from './parts.js'

export interface Growing {
  readonly process: string
  /** JSON, of which more may come. */
  readonly text: string
}

export const GROWING_FILE = 'growing.json'
const MAX_SHOWN = 20
const MAX_BYTES = 1024 * 1024

/** None where the file is not there, or of another form. */
export const readGrowing = (path: string): readonly Growing[] => {
  try {
    const text = readFileSync(path, 'utf8')
    const all: unknown = text.length > MAX_BYTES ? [] : JSON.parse(text)
    const isGrowing = (one: unknown): one is Growing => isRecord(one) && typeof one.process === 'string' && typeof one.text === 'string'
    return Array.isArray(all) ? all.filter(isGrowing).slice(0, MAX_SHOWN) : []
  } catch {
    return []
  }
}

export const growingPart = (growing: readonly Growing[]): Html | undefined => {
  if (growing.length === 0) return undefined
  const rows = growing.map(({ process, text }) => html`<tr><td>${preview(process, 80)}</td><td class="wide"><code>${text}</code></td></tr>`)
  return section('growing', 'Being written', [table('Being written', ['process', 'so far'], rows)])
}
