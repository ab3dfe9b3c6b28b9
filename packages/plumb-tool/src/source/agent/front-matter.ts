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
  // require, not import(): tools are made synchronously, and only such files load the parser.
  const { parse } = require('yaml') as typeof import('yaml')
  try {
    return { ok: true, value: JSON.parse(JSON.stringify(parse(yaml, { maxAliasCount: 100 }) ?? null)) as Json }
  } catch (error) {
    const { message = String(error), linePos } = error as { message?: string; linePos?: readonly { line: number }[] }
    return { ok: false, error: { why: message, line: linePos?.[0]?.line } }
  }
}
