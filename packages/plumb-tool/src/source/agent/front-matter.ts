// YAML between two lines of --- at the top of a text.

import type { Json } from '@plumb/lang'
import { fail, preview, type Result, succeed } from '@plumb/wire'

export interface FrontMatter {
  readonly entries: { readonly [key: string]: Json }
  /** What stands below it. */
  readonly text: string
}

const FENCED = /^\uFEFF?---[ \t]*\r?\n((?:[\s\S]*?\r?\n)?)---[ \t]*(?:\r?\n|$)/

export const splitFrontMatter = (text: string): Result<FrontMatter> => {
  const match = FENCED.exec(text)
  if (!match) return succeed({ entries: {}, text })
  // Not import(): tools are made at once, and only those who have such a file pay for it.
  const { parse } = require('yaml') as typeof import('yaml')
  try {
    const entries: unknown = parse(match[1] ?? '', { maxAliasCount: 100 }) ?? {}
    if (typeof entries !== 'object' || Array.isArray(entries))
      return fail('config_invalid', 'its front matter is no list of entries such as model: name')
    return succeed({ entries: JSON.parse(JSON.stringify(entries)) as FrontMatter['entries'], text: text.slice(match[0].length) })
  } catch (error) {
    return fail('config_invalid', `its front matter is no YAML: ${preview(error instanceof Error ? error.message : String(error), 200)}`)
  }
}
