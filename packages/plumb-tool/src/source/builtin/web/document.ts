// Turns a reply into Markdown, text or code by its Content-Type.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import { decodeText } from './decode-text.js'
import { escapeBytes, type FetchedReply } from './follow-redirects.js'
import { htmlToMarkdown } from './html-to-markdown.js'
import { partOf, type TextPart } from './page-part.js'
import { type Refresh, readRefresh } from './refresh.js'

export interface PageDocument {
  readonly kind: 'markdown' | 'text' | 'code'
  readonly text: string
  /** Language of code. */
  readonly language: string
  /** Where a browser would go on by itself. */
  readonly refresh?: Refresh
}

/** Languages by file extension, if they differ. */
const LANGUAGES: Readonly<Record<string, string>> = {
  mjs: 'js',
  cjs: 'js',
  mts: 'ts',
  cts: 'ts',
  yml: 'yaml',
  h: 'c',
  htm: 'html',
  ml: 'ocaml',
  mli: 'ocaml',
}
const PROSE = new Set(['', 'txt', 'text', 'log', 'csv'])
const MARKDOWN = new Set(['md', 'markdown', 'mdown', 'mkdn'])
const RAW_HOST = 'raw.githubusercontent.com'

export const readDocument = async ({ headers, bytes, hops }: FetchedReply, signal: AbortSignal): Promise<Result<PageDocument>> => {
  const url = hops.at(-1) as URL
  const contentType = headers['content-type'] ?? ''
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const extension = /\.([a-z0-9]{1,10})$/i.exec(url.pathname)?.[1]?.toLowerCase() ?? ''
  const as = (kind: PageDocument['kind'], language = ''): Result<PageDocument> =>
    succeed({ kind, language, text: decodeText(bytes, contentType) })

  if (type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && looksLikeHtml(bytes))) {
    const page = await htmlToMarkdown({ html: decodeText(bytes, contentType), url: url.href }, signal)
    if (!page.ok) return page
    const { markdown } = page.value
    const refresh = page.value.refresh ?? refreshOf(headers, url)
    return succeed({ kind: 'markdown', language: '', text: markdown, ...(refresh ? { refresh } : {}) })
  }
  if (type === 'text/markdown' || (url.hostname === RAW_HOST && MARKDOWN.has(extension))) return as('markdown')
  if (/^application\/([\w.-]+\+)?json$/.test(type) || type === 'application/x-ndjson') return as('code', 'json')
  if (/^(application|text)\/([\w.-]+\+)?xml$/.test(type)) return as('code', 'xml')
  if (/^(text|application)\/(javascript|css|x-[\w-]+|typescript|yaml|toml)$/.test(type)) return as('code', languageOf(extension))
  if (type.startsWith('text/') || (type === '' && !bytes.subarray(0, 8000).includes(0))) {
    return url.hostname === RAW_HOST && !PROSE.has(extension) ? as('code', languageOf(extension)) : as('text')
  }
  return fail('bad_reply', `'${preview(url.href, 200)}' is ${preview(type) || 'binary'}, which has no text that could be shown`, {
    content_type: preview(type),
  })
}

/** The same as a header of the reply. */
const refreshOf = ({ refresh }: FetchedReply['headers'], { href }: URL): Refresh | undefined => {
  const found = refresh === undefined ? undefined : readRefresh(escapeBytes(refresh), href)
  return found && { ...found, isWithoutProgram: false }
}

export interface Wanted {
  readonly lines: LineRange | undefined
  /** In characters of the text, as `max`. */
  readonly offset: number
  readonly max: number
}

export const showDocument = ({ kind, text, language }: PageDocument, { lines, offset, max }: Wanted): Result<TextPart> => {
  const isSliced = lines !== undefined && kind !== 'markdown'
  const wanted = isSliced ? sliceLines(text, lines) : succeed(text)
  if (!wanted.ok) return wanted
  const part = partOf(wanted.value.trimEnd(), offset, max)
  if (!part.ok || !(isSliced || kind === 'code')) return part
  return succeed({ ...part.value, text: printFence(part.value.text, language) })
}

/** The fence is longer than any in the text. */
const printFence = (text: string, language: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].slice(0, 10_000).map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\r?\n$/, '')}\n${fence}`
}

const languageOf = (extension: string): string => LANGUAGES[extension] ?? extension

const looksLikeHtml = (bytes: Buffer): boolean =>
  /^\s*<(!doctype html|html|head|body|title|!--)/i.test(bytes.toString('latin1', 0, 1000).replace(/^\xef\xbb\xbf/, ''))

interface LineRange {
  /** From 1, inclusive. */
  readonly first: number
  readonly last: number
}

/** The lines of a fragment such as #L10, #L10-L80 or #L5C3-L8C1; undefined if it names none. */
export const lineRangeOf = (fragment: string): LineRange | undefined => {
  const [, from, to = from] = /^#L(\d{1,9})(?:C\d{1,9})?(?:-L?(\d{1,9})(?:C\d{1,9})?)?$/.exec(fragment) ?? []
  if (from === undefined) return undefined
  const [a, b] = [Number(from), Number(to)]
  return { first: Math.max(1, Math.min(a, b)), last: Math.max(1, a, b) }
}

export const sliceLines = (text: string, { first, last }: LineRange): Result<string> => {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (first > lines.length) return fail('input_type_mismatch', `line ${first} is asked for, and there are ${lines.length}`)
  const end = Math.min(last, lines.length)
  return succeed(
    lines
      .slice(first - 1, end)
      .map((line, i) => `${String(first + i).padStart(String(end).length)}. ${line}`)
      .join('\n'),
  )
}
