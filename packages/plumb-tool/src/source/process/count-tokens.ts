// What a child tells of itself on its telemetry: the tokens it used, those of its own children included.

import type { Readable } from 'node:stream'
import { LineReader, parseJson } from '@plumb/wire'
import type { UsageTold } from '../../call/call.js'

const MARK = '"usage"'
/** `kind` comes first in an object, so that most need not be parsed. */
const HEAD_BYTES = 32

/** Reads to the end; `ended` resolves there. `used` is told of each. */
export const countTokens = (telemetry: Readable, used?: (told: UsageTold) => void): { sum: number; readonly ended: Promise<void> } => {
  let finish: () => void = () => {}
  const tokens = {
    sum: 0,
    ended: new Promise<void>((resolve) => {
      finish = resolve
    }),
  }
  const reader = new LineReader(telemetry)
  reader.onReadable = () => {
    while (reader.next()) if (!reader.fault) tokens.sum += tokensIn(reader, used)
    if (reader.hasEnded) finish()
  }
  return tokens
}

const tokensIn = ({ buf, start, end }: LineReader, used?: (told: UsageTold) => void): number => {
  if (!buf.subarray(start, Math.min(end, start + HEAD_BYTES)).includes(MARK)) return 0
  const parsed = parseJson(buf, start, end)
  const told = (parsed.ok ? parsed.value : {}) as UsageTold
  if (told?.kind !== 'usage') return 0
  used?.(told)
  return countOf(told.input_tokens) + countOf(told.output_tokens)
}

const countOf = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0)
