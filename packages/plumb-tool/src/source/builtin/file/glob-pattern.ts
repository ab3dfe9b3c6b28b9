// Glob patterns for paths, matched in linear time by RE2: a backtracking matcher takes minutes for a few stars.
//
//   *      any characters of one name      [abc] [a-z] [!a]  one character
//   **     any number of names             {a,b}             one of several
//   ?      one character of a name         \x                x unchanged
//
// At the beginning of a name * ? and ** do not match a dot, so hidden names must be named.

import { fail, preview, type Result, succeed } from '@plumb/wire'

const MAX_PATTERN = 1000

export interface GlobPattern {
  readonly fits: (path: string) => boolean
  /** It may match names that begin with a dot. */
  readonly wantsHidden: boolean
}

/** A pattern without a slash matches at any depth; one that begins with a slash is anchored at the start of the search. */
export const readGlob = async (pattern: string): Promise<Result<GlobPattern>> => {
  if (pattern === '' || pattern.length > MAX_PATTERN) return refuse(pattern, `it must have 1 to ${MAX_PATTERN} characters`)
  if (pattern.startsWith('!')) {
    const rest = await readGlob(pattern.slice(1))
    return rest.ok ? succeed({ fits: (path) => !rest.value.fits(path), wantsHidden: false }) : rest
  }
  const { RE2JS } = await import('re2js')
  const full = pattern.includes('/') ? pattern.replace(/^(\.?\/)+/, '') : `**/${pattern}`
  const source = toExpression(full)
  if (source === undefined) return refuse(pattern, 'a bracket or brace in it is not closed')
  try {
    const expression = RE2JS.compile(`\\A(?:${source})\\z`, RE2JS.DOTALL)
    return succeed({ fits: (path) => expression.matcher(path).find(), wantsHidden: /(^|[/{,])\.[^./]/.test(full) })
  } catch {
    return refuse(pattern, 'it cannot be understood')
  }
}

const refuse = (pattern: string, why: string): Extract<Result<never>, { ok: false }> =>
  fail('input_type_mismatch', `'${preview(pattern)}' is not a pattern for paths: ${why}`)

const NAME = '[^/.][^/]*'

const toExpression = (pattern: string): string | undefined => {
  let source = ''
  let braces = 0
  for (let at = 0; at < pattern.length; ) {
    const token = /^(\*\*\/|\*\*$|\*+|\?|\[[!^]?\]?[^\]/]*\]|\\.|.)/su.exec(pattern.slice(at))?.[0] ?? ''
    const isFirst = at === 0 || /[/{,]/.test(pattern[at - 1] ?? '')
    at += token.length
    if (token === '{') {
      braces++
      source += '(?:'
    } else if (token === '}' && braces > 0) {
      braces--
      source += ')'
    } else if (token === ',' && braces > 0) source += '|'
    else if (token === '[') return undefined
    else source += part(token, isFirst)
  }
  return braces === 0 ? source : undefined
}

const part = (token: string, isFirst: boolean): string => {
  if (token === '**/' && isFirst) return `(?:${NAME}/)*`
  if (token === '**' && isFirst) return `${NAME}(?:/${NAME})*`
  if (token.endsWith('/') && token.length > 1) return `${anyOf(isFirst)}/`
  if (token.startsWith('*')) return anyOf(isFirst)
  if (token === '?') return isFirst ? '[^/.]' : '[^/]'
  if (token.startsWith('[') && token.length > 1) return charactersOf(token)
  return quoted(token.startsWith('\\') && token.length > 1 ? token.slice(1) : token)
}

const anyOf = (isFirst: boolean): string => (isFirst ? `(?:${NAME})?` : '[^/]*')

const charactersOf = (token: string): string => {
  const isNot = /^\[[!^]/.test(token)
  const inside = token.slice(isNot ? 2 : 1, -1).replace(/[\\[\]^&~|]/g, '\\$&')
  return isNot ? `[^/${inside}]` : `[${inside}]`
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
