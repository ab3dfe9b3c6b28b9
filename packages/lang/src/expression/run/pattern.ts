// Operations with regular expressions.

import { compilePattern, type Pattern } from '@plumb/wire/pattern'
import { preview } from '@plumb/wire/preview'
import { failEvaluation, type Site } from './failure.js'
import { MAX_RESULT } from './sink.js'
import type { RuntimeValue, Slice } from './slice.js'
import { takeSteps } from './steps.js'
import { limitedText } from './text.js'
import { listFrom, listOf, writeRecord } from './write.js'

/** A pattern from data. */
export const patternOf = (source: string, site: Site): Pattern => {
  const compiled = compilePattern(source)
  if ('pattern' in compiled) return compiled.pattern
  return failEvaluation(site, `'${preview(source, 40)}' is not a pattern of RE2: ${compiled.fault.message}`)
}

export const matchesPattern = (text: string, pattern: Pattern): boolean => pattern.test(text)

type Visit = (start: number, end: number, groups: () => string[]) => void

const eachMatch = (text: string, pattern: Pattern, visit: Visit): void => {
  const matcher = pattern.matcher(text)
  let count = 0
  while (matcher.find()) {
    count++
    visit(matcher.start(), matcher.end(), () => Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1) ?? ''))
  }
  takeSteps(count)
}

/** `{ text, groups, at }` for each match; `at` counts code points. */
export const findPattern = (text: string, pattern: Pattern): Slice =>
  listFrom((put) => {
    let unit = 0
    let at = 0
    eachMatch(text, pattern, (start, end, groups) => {
      for (; unit < start; at++) unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1
      const match: [string, RuntimeValue][] = [
        ['text', text.slice(start, end)],
        ['groups', listOf(groups())],
        ['at', at],
      ]
      put(writeRecord(new Map(match)))
    })
  })

/** The replacement is literal text. */
export const replaceMatches = (text: string, pattern: Pattern, by: string, site: Site): string => {
  let result = ''
  let done = 0
  eachMatch(text, pattern, (start, end) => {
    result += text.slice(done, start) + by
    done = end
    if (result.length > MAX_RESULT) limitedText(result, site)
  })
  return limitedText(result + text.slice(done), site)
}
