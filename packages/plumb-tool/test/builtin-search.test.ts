// long
// The search tools: what is found and where, that an index follows its files, and that it is whole whatever happens.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Json } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { holds } from '../../wire/test/property.js'
import type { BuiltinContext } from '../src/source/builtin/builtin.js'
import { type Chunk, chunkLines } from '../src/source/builtin/search/chunk.js'
import { chunkMarkdown } from '../src/source/builtin/search/chunk-markdown.js'
import { chunkCode } from '../src/source/builtin/search/document-kind.js'
import { indexCode, indexMarkdownDocs } from '../src/source/builtin/search/index-directory.js'
import { codeSearch, markdownSearch } from '../src/source/builtin/search/search-indexes.js'
import { termsOf } from '../src/source/builtin/search/terms.js'
import { openCall, openSession } from './call-session.js'
import { after, makeTestDirectory } from './source-directory.js'

for (const name of Object.keys(process.env)) if (name.startsWith('PLUMB_EMBEDDINGS_')) delete process.env[name]

interface Found {
  readonly results: readonly {
    path: string
    start_line: number
    end_line: number
    heading?: string
    score: number
    snippet: string
    root?: string
  }[]
  readonly ranking: string
}

interface Indexed {
  readonly index: string
  readonly path: string
  readonly files: number
  readonly chunks: number
  readonly added: number
  readonly changed: number
  readonly removed: number
  readonly unchanged: number
  readonly skipped: number
  readonly left_out?: readonly string[]
  readonly note: string
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const contextOf = (
  directory: string,
  roots: Readonly<Record<string, string>> = { docroot: '.' },
  signal?: AbortSignal,
): BuiltinContext => ({
  call: openCall(openSession({ docroot: directory }), { traceparent: TRACEPARENT, ...(signal ? { signal } : {}) }),
  tool: 'probe',
  roots: new Map(Object.entries(roots).map(([name, path]) => [name, join(directory, path)])),
  mayReachPrivateNet: false,
})

const unwrap = <T>(result: { ok: true; value: Json } | { ok: false; error: Fault }): T => {
  if (!result.ok) throw new Error(`${result.error.error}: ${result.error.detail}`)
  return result.value as T
}

const index = async (directory: string, input: Parameters<typeof indexMarkdownDocs.run>[0] = { root: '.' }): Promise<Indexed> =>
  unwrap(await indexMarkdownDocs.run(input, contextOf(directory)))
const find = async (directory: string, query: string, more: object = {}): Promise<Found> =>
  unwrap(await markdownSearch.run({ query, ...more }, contextOf(directory)))
const paths = ({ results }: Found): string[] => results.map(({ path }) => path)
const put = (directory: string, path: string, text: string): void => {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

const GUIDE = `---
title: Guide
---
# Harbour guide

Welcome to the harbour.

## Mooring

Ships moor at the eastern pier.
Ropes are provided.

\`\`\`sh
# not a heading
moor --rope 3
\`\`\`

Setext title
============

Last words about tides.
`

t.test('finds pieces with their paths, lines and headings', async (t) => {
  const directory = makeTestDirectory({
    'guide.md': GUIDE,
    'deep/er/other.markdown': 'Nothing here but lighthouses.\n',
    'windows.md': '\ufeff# Fenster\r\n\r\nGlas und Rahmen\r\n',
    'no-markdown.txt': 'pier',
    '.hidden/pier.md': 'pier',
    'ignored/pier.md': 'pier',
    '.gitignore': 'ignored/\n',
    'binary.md': 'pier\0pier',
  })
  truncateSync(join(directory, 'binary.md'), 11 * 1024 * 1024)
  writeFileSync(join(directory, 'latin.md'), Buffer.from([0x70, 0xe4, 0x72]))
  const made = await index(directory)
  t.match(made, { index: 'default', path: '.md_index/default.sqlite', files: 3, added: 3, skipped: 2 })
  t.match(made.left_out, [/^binary\.md: larger/, 'latin.md: not UTF-8 text'])
  t.equal(made.note, 'full text only: no embedding endpoint is configured')
  t.equal(readFileSync(join(directory, '.md_index/.gitignore'), 'utf8'), '*\n', 'kept out of repositories')

  const pier = await find(directory, 'eastern pier')
  t.equal(pier.ranking, 'full text only: no embedding endpoint is configured')
  t.equal(pier.results.length, 1)
  t.match(pier.results[0], { path: 'guide.md', start_line: 8, end_line: 16, heading: 'Harbour guide > Mooring' })
  t.match(pier.results[0]?.snippet, /^Harbour guide\n\n## Mooring\n(?:.|\n)*moor --rope 3\n```$/)
  t.match((await find(directory, 'tides')).results[0], { start_line: 18, end_line: 21, heading: 'Setext title' })
  t.match((await find(directory, 'Rahmen')).results[0], {
    path: 'windows.md',
    snippet: '# Fenster\n\nGlas und Rahmen',
    start_line: 1,
    end_line: 3,
  })
  t.strictSame(paths(await find(directory, 'lighthouse')), ['deep/er/other.markdown'], 'what begins with the word')
  for (const query of ['nowhere', '', '!!! ???', '"pier', 'NOT AND OR ^*:']) t.type((await find(directory, query)).results, Array, query)
  t.strictSame((await find(directory, 'nowhere')).results, [], 'nothing is not an error')
})

/** A page as `mandoc -T markdown` gives it, as far as a search sees it. */
const pageAsMarkdown = (page: string): string => {
  const name = /^\.Nm (\S+)/m.exec(page)?.[1] ?? ''
  let isLiteral = false
  const plain = (text: string): string =>
    text
      .replace(/\\f[BIP]/g, '')
      .replace(/\\\((dq|aq)/g, (_, quote) => (quote === 'dq' ? '"' : "'"))
      .replace(/\\([&e-])/g, (_, sign) => ({ '&': '', e: '\\' })[sign as '&'] ?? sign)
  const words = (line: string): string =>
    plain(line.replace(/^\.Nm$/, name).replace(/(^\.|\s|^)[A-Z][a-z](?=\s|$)/g, ' '))
      .replace(/[_*[\]<>]/g, '\\$&')
      .trim()
  const toLine = (line: string): string => {
    if (/^\.(Bd|Ed)\b/.test(line)) {
      isLiteral = line.startsWith('.Bd')
      return ''
    }
    if (isLiteral) return `    ${plain(line)}`
    if (/^\.(Pp|Bl|El|Dd|Dt|Os|\\")/.test(line)) return ''
    if (line.startsWith('.Sh ')) return `\n# ${plain(line.slice(4))}\n`
    if (line.startsWith('.Ss ')) return `\n## ${plain(line.slice(4))}\n`
    return line.startsWith('.It') ? `\n**${words(line.slice(4))}**\n` : words(line)
  }
  return page.split('\n').map(toLine).join('\n')
}

// What a person may ask, and the sections that answer it.
const QUESTIONS: readonly (readonly [question: string, ...sections: string[]])[] = [
  ['How do I get shell completion for fish?', 'plumb.1 Commands'],
  ['limiting how much money or how many tokens a run spends', 'plumb.1 Budgets', 'plumb-work.7 Limits'],
  ['replaying a run that was recorded', 'plumb.1 A recorded run', 'plumb.7 Record and replay'],
  ['go on after a stop', 'plumb.1 A recorded run', 'plumb.7 Record and replay', 'plumb-cookbook.7 A batch at night'],
  ['what happens when I press Ctrl-C', 'plumb.1 Signals', 'plumb-chat.1 Keys', 'plumb-agent.1 Signals', 'plumb-mux.1 Signals'],
  ['running an agent over ssh', 'plumb.1 Agents elsewhere', 'plumb-cookbook.7 An agent on another machine'],
  [
    'writing agents in Python',
    'plumb.1 Agents in other languages',
    'plumb-clients.7 Agents in Python',
    'plumb-cookbook.7 Agents in bash, awk and Python',
  ],
  ['timeline of a run in a browser', 'plumb.1 Seeing a run'],
  ['editor support, hover and completion', 'plumb.1 The language server', 'plumb-editors.7 DESCRIPTION'],
  ['grammar of the language', 'plumbing.5 GRAMMAR'],
  ['when are two types disjoint', 'plumbing.5 Disjointness'],
  ['which functions can expressions call', 'plumbing.5 EXPRESSIONS'],
  ['loops and when they end', 'plumbing.5 Cycles and the end'],
  ['importing modules', 'plumbing.5 MODULES'],
  ['do numbers keep their digits', 'plumbing.5 What stays as it was written'],
  ['exit statuses of the wire', 'plumb-wire.5 EXIT STATUS', 'plumb-wire.5 Errors'],
  ['byte order marks and line ends of JSON Lines', 'plumb-wire.5 Lines'],
  [
    'which file descriptors are there',
    'plumb-wire.5 Descriptors',
    'plumb-wire.5 FILE DESCRIPTORS',
    'plumb-agent.1 FILE DESCRIPTORS',
    'plumb-mux.1 FILE DESCRIPTORS',
    'plumb-tool.1 FILE DESCRIPTORS',
  ],
  ['what do error codes mean', 'plumb-wire.5 Errors'],
  ['fields of usage on telemetry', 'plumb-wire.5 Telemetry', 'plumb-agent.1 Telemetry'],
  ['applying patches to several files', 'plumb-builtins.7 Patches'],
  ['reading a web page as Markdown', 'plumb-builtins.7 Pages of the web'],
  ['embedding endpoints for vector search', 'plumb-builtins.7 Search', 'plumb-builtins.7 ENVIRONMENT'],
  ['improving a prompt with a critic', 'plumb-builtins.7 Prompts'],
  ['connecting Claude Desktop or another client', 'plumb-mcp.1 Clients'],
  ['bearer tokens and origins over HTTP', 'plumb-mcp.1 Over HTTP', 'plumb-mcp.1 DESCRIPTION'],
  ['retries, caching and timeouts of a tool call', 'plumb-tools.7 What happens to a call'],
  ['composing tools one after the other', 'plumb-tools.7 How tools combine'],
  ['mocks and spies for tests', 'plumb-tools.7 Doubles'],
  ['policies and grants', 'plumb-tools.7 What may be done', 'plumb.1 Tools and what they may do'],
  ['which keys edit the line in a chat', 'plumb-chat.1 Keys'],
  ['the doctor script', 'plumb-agent.1 ELIZA'],
  ['searching the source code of a project', 'plumb-builtins.7 Search'],
  ['hooks of git', 'plumb-cookbook.7 A hook of git'],
  ['targets in a Makefile', 'plumb-cookbook.7 Stages as targets of make', 'plumb.7 A Makefile'],
  ['named pipes for tool calls', 'plumb-cookbook.7 Tool calls through named pipes'],
  ['is one type a subtype of another', 'plumbing.5 Subtypes'],
  ['which paths may tools write', 'plumb-builtins.7 Files', 'plumb-tools.7 What may be done'],
  ['pausing and resuming an agent', 'plumb-agent.1 Control'],
  ['summarising the memory when it grows', 'plumbing.5 The module mem'],
  ['keys for providers such as OpenAI', 'plumb-agent.1 Providers', 'plumb-agent.1 ENVIRONMENT'],
  ['moving from LangChain', 'plumb-tools.7 If you come from LangChain'],
  ['looking at the tools of another MCP server', 'plumb-mcp.1 Looking at other servers'],
  ['slash commands of the chat', 'plumb-chat.1 Commands'],
  ['serving requests of a dispatcher', 'plumb-tool.1 Serving'],
  ['ports in envelopes', 'plumb-wire.5 Envelopes', 'plumb-mux.1 Which ports'],
  ['filters that select variants', 'plumbing.5 Filters as selectors'],
  ['known limits of the chat', 'plumb-chat.1 CAVEATS'],
]

t.test('the right section of the manual for most questions', async (t) => {
  const pages = readdirSync('man').map((name) => [`${name}.md`, pageAsMarkdown(readFileSync(`man/${name}`, 'utf8'))])
  const context = contextOf(makeTestDirectory(Object.fromEntries(pages)))
  unwrap<Indexed>(await indexMarkdownDocs.run({ root: '.' }, context))
  const ranks: number[] = []
  const missed: string[] = []
  for (const [query, ...sections] of QUESTIONS) {
    const { results } = unwrap<Found>(await markdownSearch.run({ query, k: 5 }, context))
    const found = results.map(({ path, heading = '' }) => `${path.replace(/\.md$/, '')} ${heading.split(' > ').at(-1)}`)
    const rank = found.findIndex((section) => sections.includes(section))
    ranks.push(rank)
    if (rank !== 0) missed.push(`${query}: ${found.join(' | ')}`)
  }
  const [first, amongThree] = [ranks.filter((rank) => rank === 0), ranks.filter((rank) => rank >= 0 && rank < 3)]
  t.ok(first.length >= 0.75 * ranks.length, `the first for three of four: ${first.length} of ${ranks.length}`, { missed })
  t.ok(amongThree.length >= 0.85 * ranks.length, `among three for all but a few: ${amongThree.length}`, { missed })
})

t.test('plurals, stems and marks of Markdown', async (t) => {
  const directory = makeTestDirectory({
    'a.md': '# Pets\n\nDogs bark. The images show queries about boxes.\n\n## Walks\n\nWalking with a dog, every day.\n',
    'b.md': '# Functions\n\nCall read\\_file and **write\\_file** with&nbsp;care.\n',
  })
  const context = contextOf(directory)
  unwrap<Indexed>(await indexMarkdownDocs.run({ root: '.' }, context))
  const cases: readonly [query: string, heading: string][] = [
    ['image', 'Pets'],
    ['box', 'Pets'],
    ['query', 'Pets'],
    ['walk', 'Pets > Walks'],
    ['bark', 'Pets'],
    ['write_file', 'Functions'],
    ['care', 'Functions'],
  ]
  for (const [query, heading] of cases) t.equal((await find(directory, query)).results[0]?.heading, heading, query)
  t.equal((await find(directory, 'dogs')).results.length, 2)
  t.match((await find(directory, 'every day')).results[0]?.snippet, /^Pets\n\n## Walks\n/, 'with the headings above')
})

t.test('a directory without anything to index says what it has', async (t) => {
  const none = unwrap<Indexed>(
    await indexMarkdownDocs.run({ root: '.' }, contextOf(makeTestDirectory({ 'a.ts': '', 'b.TS': '', 'd/c.rst': '', Makefile: '' }))),
  )
  t.match(none, {
    files: 0,
    note: /^no Markdown files are here \(\.md, \.markdown, .*\); there are 2 \.ts, 1 .*, 1 .*; full text only/,
  })
  const empty = unwrap<Indexed>(await indexCode.run({ root: '.' }, contextOf(makeTestDirectory({}))))
  t.match(empty.note, /^no source files are here \(those of programs, such as \.ts.*\); there are no files at all/)
})

t.test('words of any script and spelling', async (t) => {
  const directory = makeTestDirectory({
    'a.md': 'Le café est fermé.',
    'b.md': '東京の天気は晴れです。',
    'c.md': 'Ἀθῆναι, Старый Ёж, ﬁne',
    'd.md': 'हिन्दी में लिखा',
    'e.md': '한국어 문서',
    'f.md': 'call readFile or write_to_disk from XMLHttpRequest2',
    'g.md': 'ภาษาไทยไม่มีช่องว่าง',
    'h.md': '__proto__ constructor',
    'i.md': '서버를 설치하고 설정을 바꾼 뒤 오류가 나면 로그를 보세요. 값은 데이터베이스에서',
    'j.md': 'افتح البرنامج ثم أعد تشغيله بالملف للمستخدم',
    'k.md': 'הפעל את השרת ובדוק בתיקייה',
    'l.md': 'Die Straße und die GRÖSSE',
    'm.md': 'ISPARTA ve sıcak, ΟΔΟΣ',
  })
  await index(directory)
  const rows: Readonly<Record<string, string>> = {
    ...{ cafe: 'a.md', CAFÉ: 'a.md', 'cafe\u0301': 'a.md', 天気: 'b.md', 晴: 'b.md', Αθηναι: 'c.md', ежик: '', еж: 'c.md', fine: 'c.md' },
    ...{ हिन्दी: 'd.md', 한국어: 'e.md', 'read file': 'f.md', read_file: 'f.md', 'write to disk': 'f.md', HttpRequest: 'f.md', ไทย: 'g.md' },
    ...{ constructor: 'h.md', __proto__: 'h.md' },
    ...{
      서버: 'i.md',
      설치: 'i.md',
      설정: 'i.md',
      오류: 'i.md',
      로그: 'i.md',
      값: 'i.md',
      데이터베이스: 'i.md',
      '오류 로그': 'i.md',
      파일: '',
    },
    ...{ برنامج: 'j.md', البرنامج: 'j.md', والبرنامج: 'j.md', ملف: 'j.md', مستخدم: 'j.md' },
    ...{ שרת: 'k.md', השרת: 'k.md', תיקייה: 'k.md', בדוק: 'k.md' },
    ...{ strasse: 'l.md', STRASSE: 'l.md', straße: 'l.md', größe: 'l.md' },
    ...{ ısparta: 'm.md', isparta: 'm.md', İSPARTA: 'm.md', SICAK: 'm.md', οδος: 'm.md', οδός: 'm.md' },
  }
  for (const [query, path] of Object.entries(rows)) t.equal((await find(directory, query, { k: 1 })).results[0]?.path ?? '', path, query)
  t.strictSame(termsOf('parseHTTPResponse_v2'), ['parsehttpresponsev2', 'parse', 'http', 'response', 'v', '2'])
})

t.test('code is found by names of any spelling, with the declaration it stands in', async (t) => {
  const body = Array.from({ length: 80 }, (_, i) => `  total += weigh(${i}) // line ${i}${i % 10 === 9 ? '\n' : ''}`).join('\n')
  const directory = makeTestDirectory({
    'src/load.ts': `import x from 'y'\n\nexport const readUserFile = () => 1\n\nexport function sumOfWeights() {\n${body}\n  return finalAnswer\n}\n`,
    'lib/store.ml': 'let read_user_file path = In_channel.input_all path\n',
    Makefile: 'all:\n\tbuild everything\n',
    'notes.md': 'read_user_file',
  })
  const made = unwrap<Indexed>(await indexCode.run({ root: '.' }, contextOf(directory)))
  t.match(made, { files: 3, path: '.code_index/default.sqlite' })
  const search = async (query: string) => unwrap<Found>(await codeSearch.run({ query }, contextOf(directory)))
  t.strictSame(paths(await search('readUserFile')).sort(), ['lib/store.ml', 'src/load.ts'])
  t.strictSame(paths(await search('build everything')), ['Makefile'])
  const [last] = (await search('finalAnswer')).results
  t.match(last, { path: 'src/load.ts', heading: 'export function sumOfWeights() {' })
  t.match(last?.snippet, /return finalAnswer\n}$/)
})

t.test('an index follows its files', async (t) => {
  const directory = makeTestDirectory({ 'a.md': 'alpha', 'b.md': 'beta', 'c/d.md': 'delta' })
  t.match(await index(directory), { added: 3, changed: 0, removed: 0, unchanged: 0 })
  t.match(await index(directory), { added: 0, changed: 0, removed: 0, unchanged: 3 })
  put(directory, 'a.md', 'omega')
  put(directory, 'new.md', 'nu')
  rmSync(join(directory, 'c'), { recursive: true })
  renameSync(join(directory, 'b.md'), join(directory, 'moved.md'))
  t.match(await index(directory), { files: 3, added: 2, changed: 1, removed: 2, unchanged: 0 })
  t.strictSame(paths(await find(directory, 'alpha')), [])
  t.strictSame(paths(await find(directory, 'omega')), ['a.md'], 'the index in memory is dropped when the file is another')
  t.strictSame(paths(await find(directory, 'beta')), ['moved.md'])
  rmSync(join(directory, 'moved.md'))
  t.strictSame(paths(await find(directory, 'beta')), [], 'what is gone is not shown, even before the next run')
})

t.test('after any edits the index answers as one that is made anew', async (t) => {
  const WORDS = ['anchor', 'buoy', 'cable', 'deck', 'eel', 'fog', 'gull', 'hull', 'Kai', '海', 'ropeLadder']
  const text = fc.array(fc.constantFrom(...WORDS, '\n', '\n\n# ', '\n```\n'), { maxLength: 40 }).map((parts) => parts.join(' '))
  const edit = fc.record({ path: fc.constantFrom('a.md', 'b.md', 'x/c.md', 'x/y/d.md', 'e.md'), text: fc.option(text) })
  const rounds = fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  await holds(
    t,
    fc.asyncProperty(rounds, fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }), async (rounds, query) => {
      const directory = makeTestDirectory({})
      for (const edits of rounds) {
        for (const { path, text } of edits) {
          if (text === null) rmSync(join(directory, path), { force: true })
          else put(directory, path, text)
        }
        await index(directory)
      }
      await index(directory, { root: '.', index: 'fresh' })
      const [old, fresh] = [
        await find(directory, query.join(' '), { index: 'default' }),
        await find(directory, query.join(' '), { index: 'fresh' }),
      ]
      return JSON.stringify(old) === JSON.stringify(fresh)
    }),
    { numRuns: 30 },
  )
})

t.test('chunks are the lines that they say, every line that holds anything in just one', async (t) => {
  const line = fc.constantFrom(
    '',
    ' ',
    '# One',
    '## Two',
    '### Three',
    'text',
    'Title\n===',
    '- item',
    '```',
    '~~~~',
    '    indented',
    'x'.repeat(900),
    '---',
  )
  const check = (chunks: readonly Chunk[], text: string) => {
    const lines = chunkLines(text)
    const covered = new Set<number>()
    for (const { startLine, endLine, text: piece } of chunks) {
      if (lines.slice(startLine - 1, endLine).join('\n') !== piece || piece.length > 2000) return false
      for (let at = startLine; at <= endLine; at++) {
        if (covered.has(at)) return false
        covered.add(at)
      }
    }
    return lines.every((each, at) => each.trim() === '' || covered.has(at + 1))
  }
  const law = fc.property(fc.array(line, { maxLength: 60 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
    const text = lines.join('\n').replaceAll('\n', end)
    return check(chunkMarkdown(text), text) && check(chunkCode(text), text)
  })
  fc.assert(law, { numRuns: 300 })
  const rows: Readonly<Record<string, string>> = {
    ...{ '# A #': 'A', '## B ##   ': 'B', '# C#': 'C#', '#': '', '#D': '', '#\tE': 'E', 'F\n---': 'F', 'para\nG\n---': '', '- H\n---': '' },
    ...{ '# I\n### J': 'I > J', '```\n# K\n```': '', '~~~\n```\n# L': '', '    # M': '' },
  }
  for (const [text, heading] of Object.entries(rows)) t.equal(chunkMarkdown(text).at(-1)?.heading, heading, JSON.stringify(text))
  for (const line of [
    `# a${' '.repeat(1e6)}b`,
    `# ${'# '.repeat(5e5)}x`,
    `# ${'#'.repeat(1e6)}x`,
    `# ${'#'.repeat(1e6)}x #`,
    `\`${'`'.repeat(1e6)}x`,
    'aB'.repeat(5e5),
  ]) {
    const chunks = chunkMarkdown(`${line}\n\ntext\n`)
    t.ok(chunks.every(({ heading }) => heading.length <= 120) && termsOf(line).length < 2e6, 'long lines take no longer than they are long')
  }
  const long = chunkMarkdown('😀'.repeat(3000))
  t.equal(long.map(({ text }) => text).join(''), '😀'.repeat(3000), 'a line that is too long is parted between characters')
  t.ok(long.every(({ startLine, endLine }) => startLine === 1 && endLine === 1))
})

t.test('what cannot be done says what can', async (t) => {
  const directory = makeTestDirectory({ 'a.md': 'alpha', 'sub/b.md': 'beta', 'broken.md': 'x' })
  const fails = async (t: Test, name: string, result: Promise<Awaited<ReturnType<typeof markdownSearch.run>>>, error: object) => {
    const reported = await result
    t.match(reported.ok ? reported.value : reported.error, error, name)
  }
  const { run } = indexMarkdownDocs
  await fails(t, 'no index', markdownSearch.run({ query: 'x' }, contextOf(directory)), {
    error: 'no_such_file',
    detail: /index_markdown_docs/,
  })
  await fails(t, 'no index of code', codeSearch.run({ query: 'x' }, contextOf(directory)), { error: 'no_such_file', detail: /index_code/ })
  await fails(t, 'outside', run({ root: '..' }, contextOf(directory)), { error: 'path_denied' })
  await fails(t, 'no directory', run({ root: 'a.md' }, contextOf(directory)), { error: 'no_such_file', detail: /is not a directory/ })
  await fails(t, 'not there', run({ root: 'gone' }, contextOf(directory)), { error: 'no_such_file' })
  for (const name of ['../x', '', '.hidden', 'a/b', 'x'.repeat(101)])
    await fails(t, `name ${name}`, run({ root: '.', index: name }, contextOf(directory)), {
      error: 'input_type_mismatch',
      detail: /not the name of an index/,
    })
  await index(directory, { root: 'sub', description: 'Greek' })
  t.match(await find(directory, 'beta'), { results: [{ path: 'sub/b.md' }] })
  await fails(t, 'other name', markdownSearch.run({ query: 'x', index: 'nix' }, contextOf(directory)), {
    error: 'no_such_file',
    detail: /there is 'sub'/,
  })

  const stored = join(directory, '.md_index/sub.sqlite')
  const whole = readFileSync(stored)
  for (const [name, bytes] of Object.entries({
    empty: '',
    text: 'no database',
    cut: whole.subarray(0, 9000),
    holes: whole.map((byte, i) => (i > 4096 && i % 7 === 0 ? 255 : byte)),
  })) {
    writeFileSync(stored, bytes)
    const reported = await markdownSearch.run({ query: 'beta' }, contextOf(directory))
    t.ok(reported.ok || /make it again with index_markdown_docs/.test(reported.error.detail), `${name}: ${JSON.stringify(reported)}`)
    await index(directory, { root: 'sub' })
    t.strictSame(paths(await find(directory, 'beta')), ['sub/b.md'], `${name}: made again`)
  }
  rmSync(stored)
  symlinkSync('/etc/passwd', stored)
  await fails(t, 'a link out of the root', run({ root: 'sub' }, contextOf(directory)), { error: 'path_denied' })
  await fails(t, 'a link out of the root, to be read', markdownSearch.run({ query: 'x' }, contextOf(directory)), { error: 'path_denied' })
})

t.test('several roots', async (t) => {
  const directory = makeTestDirectory({ 'one/a.md': 'shared words', 'two/a.md': 'shared sayings', 'two/b.md': 'other' })
  const context = contextOf(directory, { first: 'one', second: 'two' })
  for (const root of ['.', 'second']) unwrap(await indexMarkdownDocs.run({ root }, context))
  t.ok(existsSync(join(directory, 'two/.md_index/default.sqlite')))
  const found = unwrap<Found>(await markdownSearch.run({ query: 'shared' }, context))
  t.strictSame(found.results.map(({ root, path }) => `${root} ${path}`).sort(), ['first a.md', 'second a.md'])
  t.strictSame(indexMarkdownDocs.writes?.({ root: 'second' }, context), [join(directory, 'two/.md_index/default.sqlite')])
  t.strictSame(indexMarkdownDocs.writes?.({ root: '..' }, context), [])
})

t.test('several indexers and readers at once', async (t) => {
  const directory = makeTestDirectory(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.md`, `common word${i}`])))
  await index(directory)
  let isOver = false
  const readers = Array.from({ length: 3 }, async () => {
    for (let reads = 0; !isOver || reads === 0; reads++) {
      const { results } = await find(directory, 'common', { k: 50 })
      if (results.length < 39) return `${results.length} results`
      await new Promise((done) => setImmediate(done))
    }
    return 'whole'
  })
  const indexers = Array.from({ length: 4 }, async (_, i) => {
    put(directory, `f${i}.md`, `common changed${i}`)
    return index(directory)
  })
  t.ok((await Promise.all(indexers)).every(({ files }) => files === 40))
  isOver = true
  t.strictSame(await Promise.all(readers), ['whole', 'whole', 'whole'])
  t.strictSame(readdirSync(join(directory, '.md_index')).sort(), ['.gitignore', 'default.sqlite'], 'no locks, no temporary files')

  writeFileSync(join(directory, '.md_index/default.sqlite.lock'), `999999999-1 ${(await import('node:os')).hostname()} x\n`)
  t.match(await index(directory), { unchanged: 40 }, 'the lock of one who is gone is broken')
  writeFileSync(join(directory, '.md_index/default.sqlite.lock'), '1-1 elsewhere x\n')
  const given = await indexMarkdownDocs.run({ root: '.' }, contextOf(directory, { docroot: '.' }, after(150)))
  t.match(given, { ok: false, error: { error: 'cancelled' } }, 'that of one elsewhere is waited for')
})

t.test('kill -9 at any moment leaves a whole index', async (t) => {
  const directory = makeTestDirectory(
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}.md`, `common word${i}\n\n`.repeat(30)])),
  )
  await index(directory)
  const indexAgain = (ms: number): Promise<void> =>
    new Promise((done) => {
      const child = spawn('plumb-tool', ['call', 'index_markdown_docs', '{"root":"."}'], {
        cwd: directory,
        stdio: 'ignore',
        detached: true,
      })
      const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), ms)
      child.on('close', () => {
        clearTimeout(timer)
        done()
      })
    })
  for (let round = 0; round < 8; round++) {
    for (let i = 0; i < 300; i += 3) put(directory, `f${i}.md`, `common round${round} word${i}\n\n`.repeat(30))
    await indexAgain(150 + Math.random() * 800)
    t.equal((await find(directory, 'common', { k: 50 })).results.length, 50, `round ${round}`)
  }
  await index(directory)
  await index(directory, { root: '.', index: 'fresh' })
  const [old, fresh] = [await find(directory, 'round7', { index: 'default' }), await find(directory, 'round7', { index: 'fresh' })]
  t.strictSame(old, fresh)
  const left = readdirSync(join(directory, '.md_index')).filter((name) => name.endsWith('.lock'))
  t.strictSame(left, [])
})

t.test('vectors are blended in when an endpoint is configured', async (t) => {
  const KEY = 'sk-CANARY-embeddings'
  const asked: { key: string | undefined; traceparent: unknown; texts: number; path: string | undefined; model: string }[] = []
  let status = 200
  // Ships and boats mean the same.
  const meaning = (text: string): number[] => [/ship|boat|vessel/i.test(text) ? 1 : 0.01, /tree|forest/i.test(text) ? 1 : 0.01, 0.1]
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const { input, model } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[]; model: string }
      const { authorization: key, traceparent } = request.headers
      asked.push({ key, traceparent, texts: input.length, path: request.url, model })
      const isRefused = status !== 200
      const data = input.map((text, index) => ({ index, embedding: meaning(text) })).reverse()
      response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:1/' })
      response.end(isRefused ? `no ${KEY}` : JSON.stringify({ data }))
      if (status === 503) status = 200
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.close()
    for (const name of ['ENDPOINT', 'MODEL', 'KEY']) delete process.env[`PLUMB_EMBEDDINGS_${name}`]
  })
  const directory = makeTestDirectory({
    'boat.md': 'The boat leaves at noon.',
    'oak.md': 'An old tree.',
    'mixed.md': 'ship mentioned, ship again',
  })
  await index(directory)
  process.env.PLUMB_EMBEDDINGS_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.match(await indexMarkdownDocs.run({ root: '.' }, contextOf(directory)), { ok: false, error: { error: 'missing_option' } })
  process.env.PLUMB_EMBEDDINGS_MODEL = 'small'
  process.env.PLUMB_EMBEDDINGS_KEY = KEY
  t.match(await find(directory, 'vessel'), { results: [], ranking: /^full text only: the index has no vectors/ })
  status = 503
  t.match(await index(directory), { unchanged: 3, note: 'full text and vectors' }, 'asked again after 503')
  t.match(asked.at(-1), { key: `Bearer ${KEY}`, traceparent: TRACEPARENT, texts: 3, path: '/v1/embeddings', model: 'small' })
  const before = asked.length
  put(directory, 'new.md', 'forest')
  await index(directory)
  t.strictSame(
    asked.slice(before).map(({ texts }) => texts),
    [1],
    'only what is new is asked for',
  )

  const vessel = await find(directory, 'vessel', { k: 2 })
  t.equal(vessel.ranking, 'full text and vectors')
  t.strictSame(paths(vessel).sort(), ['boat.md', 'mixed.md'], 'found by meaning alone')
  t.equal(paths(await find(directory, 'ship'))[0], 'mixed.md', 'by both before one')
  status = 400
  const without = await find(directory, 'tree')
  t.match(without, { results: [{ path: 'oak.md' }], ranking: /^full text only: .*status 400/ })
  t.notMatch(JSON.stringify(without), KEY)
  put(directory, 'late.md', 'late')
  t.match(await index(directory), { added: 1, note: /^4 of 5 pieces have vectors; index again/ })
  status = 200
  process.env.PLUMB_EMBEDDINGS_MODEL = 'large'
  t.match(await find(directory, 'ship'), { ranking: /of this model/ })
  await index(directory)
  t.match(asked.at(-1), { texts: 5, model: 'large' }, 'another model, other vectors')
  for (const [url, detail] of Object.entries({
    'ftp://x/': /is not a URL of a server/,
    'http://a:secret@x/': /name or password/,
    'http://x/?a=1': /more than a path/,
  })) {
    process.env.PLUMB_EMBEDDINGS_ENDPOINT = url
    const reported = await markdownSearch.run({ query: 'x' }, contextOf(directory))
    t.match(reported, { ok: false, error: { error: 'config_invalid', detail } }, url)
    t.notMatch(JSON.stringify(reported), 'secret')
  }
  server.closeAllConnections()
})
