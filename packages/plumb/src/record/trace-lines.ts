// Reads a trace from its file: one event a line, as plumb writes it, also where the end is missing; or any layout of other programs.

import { createReadStream } from 'node:fs'
import type { TraceEvent } from '@plumb/runtime/display'
import { fail, isRecord, preview, type Result, succeed, systemReason } from '@plumb/wire'

/** The rest of a longer file is not read, and the page says so. */
const MAX_BYTES = 256 * 1024 * 1024

export interface TraceLines {
  readonly events: readonly TraceEvent[]
  /** The file is longer. */
  readonly isCut: boolean
}

export const readTrace = async (path: string): Promise<Result<TraceLines>> => {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of createReadStream(path, { end: MAX_BYTES })) chunks.push(chunk)
  } catch (error) {
    const why = systemReason(error as NodeJS.ErrnoException)
    return fail('file_not_found', `cannot read '${preview(path, 200)}': ${why}`, { path })
  }
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString('utf8')
  const events = (parseWhole(text) ?? parseByLine(text))
    .filter(isEvent)
    .map((event) => ({ ...event, args: isRecord(event.args) ? event.args : {} }))
  return succeed({ events, isCut: bytes.length > MAX_BYTES })
}

const parseWhole = (text: string): unknown[] | undefined => {
  const value = parse(text) as { readonly traceEvents?: unknown } | unknown[] | undefined
  if (Array.isArray(value)) return value
  return Array.isArray(value?.traceEvents) ? value.traceEvents : undefined
}

const parseByLine = (text: string): unknown[] => text.split('\n').map((line) => parse(line.replace(/^[[,]/, '')))

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isEvent = (value: unknown): value is TraceEvent => {
  const { name, ph, pid } = (value ?? {}) as Partial<TraceEvent>
  return typeof name === 'string' && typeof ph === 'string' && typeof pid === 'number'
}
