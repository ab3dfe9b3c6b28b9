// JUnit's XML, as CI servers read it: a suite a file, written whole at the end, because its head contains the counts.

import { escapeControls, escapeLines } from '@plumb/wire'
import type { Summary, TestReporter, TestResult } from './result.js'
import { failureLines, findingLines, shareLines } from './words.js'

export const junitReporter = (): TestReporter => {
  const suites = new Map<string, TestResult[]>()
  return {
    result: (result) => {
      const { file } = result.place
      const suite = suites.get(file) ?? []
      suites.set(file, suite)
      suite.push(result)
      return ''
    },
    end: (summary) => `${[HEAD, ...documentOf(suites, summary)].join('\n')}\n`,
  }
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>'

const documentOf = (suites: ReadonlyMap<string, readonly TestResult[]>, summary: Summary): readonly string[] => {
  const { passed, failed, skipped, milliseconds } = summary
  const counts = { tests: passed + failed + skipped, failures: failed, errors: 0, skipped, time: seconds(milliseconds) }
  return element('testsuites', { name: 'plumb test', ...counts }, [...suites].flatMap(suiteOf))
}

const suiteOf = ([file, results]: readonly [string, readonly TestResult[]]): readonly string[] => {
  const count = (status: TestResult['status']) => results.filter((result) => result.status === status).length
  const time = seconds(results.reduce((sum, { milliseconds }) => sum + milliseconds, 0))
  const counts = { tests: results.length, failures: count('failed'), errors: 0, skipped: count('skipped'), time }
  return element('testsuite', { name: file, ...counts }, results.flatMap(caseOf))
}

const caseOf = (result: TestResult): readonly string[] => {
  const { name, of, place, status, why, milliseconds, share, spent } = result
  const attributes = { name, classname: of, file: place.file, line: place.line, time: seconds(milliseconds) }
  if (status === 'skipped') return element('testcase', attributes, element('skipped', why === undefined ? {} : { message: why }, []))
  if (status === 'failed') return element('testcase', attributes, failureOf(result))
  return element('testcase', attributes, share ? withText('system-out', {}, shareLines(share, spent)) : [])
}

// One, since some readers take only the first.
const failureOf = (result: TestResult): readonly string[] => {
  const [first] = result.findings
  const message = first ? (findingLines(first)[0] as string) : 'failed'
  return withText('failure', { message, type: first?.code ?? 'failed' }, failureLines(result))
}

type Attributes = Readonly<Record<string, string | number>>

const element = (tag: string, attributes: Attributes, inside: readonly string[]): readonly string[] => {
  const head = [tag, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(escapeControls(String(value)))}"`)].join(' ')
  return inside.length === 0 ? [`<${head}/>`] : [`<${head}>`, ...inside.map((line) => `  ${line}`), `</${tag}>`]
}

// Not indented, so that readers get the exact text.
const withText = (tag: string, attributes: Attributes, lines: readonly string[]): readonly string[] => {
  const [empty = ''] = element(tag, attributes, [])
  return [`${empty.slice(0, -2)}>${escaped(escapeLines(lines.join('\n')))}</${tag}>`]
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML cannot represent the last two, nor controls. */
const escaped = (text: string): string =>
  text.replace(/[&<>"\ufffe\uffff]/g, (sign) => ENTITIES[sign] ?? `\\u${sign.charCodeAt(0).toString(16)}`)

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3)
