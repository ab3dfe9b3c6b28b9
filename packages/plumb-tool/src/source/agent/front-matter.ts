// The YAML at the beginning of a Markdown file, and the text below it.

import type { Json } from '@plumb/lang'
import type { Result } from '@plumb/wire'

export interface FrontMatter {
  /** The YAML between the fences. */
  readonly yaml: string
  /** The text below. */
  readonly text: string
}

const FENCED = /^\uFEFF?---[ \t]*\r?\n((?:[\s\S]*?\r?\n)?)---[ \t]*(?:\r?\n|$)/

/** Undefined: the text has none. */
export const splitFrontMatter = (text: string): FrontMatter | undefined => {
  const match = FENCED.exec(text)
  return match ? { yaml: match[1] ?? '', text: text.slice(match[0].length) } : undefined
}

export interface NotYaml {
  readonly why: string
  /** Within the YAML, from 1, if it is known. */
  readonly line: number | undefined
}

/** As JSON; null for nothing at all. */
export const parseYaml = (yaml: string): Result<Json, NotYaml> => {
  if (isTooDeep(yaml)) return { ok: false, error: { why: `it is nested in more than ${MAX_DEPTH} levels`, line: undefined } }
  // require, not import(): tools are made synchronously, and only such files load the parser.
  const { parse } = require('yaml') as typeof import('yaml')
  try {
    // Its warnings, as of a tag that it does not know, would go to stderr by themselves.
    const read = parse(yaml, { maxAliasCount: 100, logLevel: 'error' }) as Json | undefined
    return { ok: true, value: JSON.parse(JSON.stringify(read ?? null)) as Json }
  } catch (error) {
    const { message = String(error), linePos } = error as { message?: string; linePos?: readonly { line: number }[] }
    return { ok: false, error: { why: message, line: linePos?.[0]?.line } }
  }
}

const MAX_DEPTH = 64
const COMPACT = new RegExp(`(?:[-?][ \\t]+){${MAX_DEPTH + 1}}`)

/** The parser recurses: some ten thousand brackets end the process, and no error is thrown. Brackets in texts count, for no text has so many open. */
const isTooDeep = (yaml: string): boolean => {
  let depth = 0
  for (const [bracket] of yaml.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > MAX_DEPTH) return true
  }
  return COMPACT.test(yaml)
}
