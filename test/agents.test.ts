// What agents that write code are given: a skill whose examples are run, a plugin whose server answers, and the pages as Markdown.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { NO_SANDBOX } from '../packages/wire/test/sandbox-here.js'
import { runExamples } from './example.js'
import { readMarkdown } from './readme.js'

// Tests run in the root.
const PLUGIN = 'scripts/agents/plumb'
const SKILL = `${PLUGIN}/skills/plumb`

const newDirectory = (t: Test): string => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-agents-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  return directory
}

t.test('the skill does what it shows, and is short enough for one reading', async (t) => {
  const text = readFileSync(`${SKILL}/SKILL.md`, 'utf8')
  const examples = readMarkdown(text)
  t.ok(examples.filter(({ kind }) => kind === 'file').length >= 6)
  t.strictSame(await runExamples(examples), [])
  t.ok(text.length < 12_000, `${text.length} characters`)
})

const judge = join(process.env.PLUMB_OTHERS ?? '', 'ci/bin/agentskills')
t.test('skills-ref finds no fault', { skip: existsSync(judge) ? false : 'skills-ref is not here (scripts/install-others)' }, async (t) => {
  const { status, stdout, stderr } = spawnSync(judge, ['validate', SKILL], { encoding: 'utf8', timeout: scaled(60_000) })
  t.match({ status, stderr }, { status: 0, stderr: '' }, stdout)
})

t.test("the plugin's server checks, tests and explains specs", { skip: NO_SANDBOX }, async (t) => {
  const directory = newDirectory(t)
  writeFileSync(join(directory, 'a.plumb'), 'let main : !int => !int = id\n')
  const servers = JSON.parse(readFileSync(`${PLUGIN}/.mcp.json`, 'utf8')).mcpServers
  const args = (servers.plumb.args as string[]).map((word) => word.replace(/^\$\{\w+\}/, resolve(PLUGIN)))
  const PATH = [...['plumb', 'plumb-mcp', 'plumb-tool'].map((name) => resolve(`packages/${name}/bin`)), process.env.PATH].join(':')
  const call = (tool: string, input: unknown) => {
    const words = ['call', tool, JSON.stringify({ input }), '--', servers.plumb.command, ...args]
    const { stdout, stderr } = spawnSync('plumb-mcp', words, {
      cwd: directory,
      env: { ...process.env, PATH },
      encoding: 'utf8',
      timeout: scaled(60_000),
    })
    return stdout + stderr
  }
  t.match(call('check_files', ['a.plumb']), /mends.*->/s)
  t.match(call('explain', 'unknown_name'), /unknown_name/)
  writeFileSync(join(directory, 'a.plumb'), 'let main : !int -> !int = id\ntest "as it is" of main { given: [1], expect: [1] }\n')
  t.match(call('test_files', ['a.plumb']), /1 passed, 0 failed/)
})

t.test('every page is there as Markdown, and every link of llms.txt and of the pages leads somewhere', async (t) => {
  const directory = newDirectory(t)
  const { stderr } = spawnSync(process.execPath, ['scripts/pages.mjs', directory], { encoding: 'utf8', timeout: scaled(60_000) })
  t.equal(stderr, '')
  const files = readdirSync(directory)
  const pages = readdirSync('man').map((page) => `${page}.md`)
  t.strictSame(files.sort(), [...pages, 'SKILL.md', 'llms.txt', 'site'].sort())
  const list = readFileSync(join(directory, 'llms.txt'), 'utf8')
  t.match(list, /^# plumb\n\n> /)
  for (const page of pages) t.ok(list.includes(`](${page})`), page)
  const texts = new Map(files.filter((file) => file !== 'site').map((file) => [file, readFileSync(join(directory, file), 'utf8')]))
  for (const [file, text] of texts) {
    const prose = text.replace(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, '')
    const links = [...prose.matchAll(/\]\(([^)#]*\.md)?(?:#([^)]*))?\)/g)].filter(([, to, anchor]) => to ?? anchor)
    const broken = links.filter(([, to = file, anchor]) => {
      const other = texts.get(to)
      return other === undefined || (anchor !== undefined && !anchorsOf(other).has(anchor))
    })
    t.strictSame(
      broken.map(([link]) => link),
      [],
      file,
    )
    if (!pages.includes(file)) continue
    t.notMatch(text, /^\.(Sh|Pp|It|Bl|El|Li)\b/m, `${file}: no macro is left`)
    t.notMatch(prose, /&(?:#\d+|nbsp|zwnj|lt|gt);|\*\*\]/, `${file}: no entities and no stray marks`)
    t.equal(prose.match(/^# /gm)?.length, 1, `${file}: one title`)
    const fences = [...text.matchAll(/^ *(`{3,})(.*)$/gm)].map(([, , language = '']) => language)
    t.ok(
      fences.every((language, i) => (i % 2 === 0) === (language !== '')),
      `${file}: each fence names a language`,
    )
    const anchors = [...text.matchAll(/<a id="(.*?)">/g)].map(([, anchor]) => anchor)
    t.equal(new Set(anchors).size, anchors.length, `${file}: no anchor is there twice`)
  }
  const page = texts.get('plumb-agent.1.md') ?? ''
  t.match(
    page,
    /^\| I want to show \| write \|\n\| --- \| --- \|\n\| a picture below the docroot \| `\{ kind: "image", path: "a.jpg" \}` \|$/m,
  )
  t.match(page, /^- <a id="term-eval"><\/a>`-e`, `--eval` \*text\*$/m)
  t.match(page, /see \[Media\]\(#media\)/)
})

/** The places of a page that a link can lead to. */
const anchorsOf = (text: string): Set<string> =>
  new Set([
    ...[...text.matchAll(/<a id="([^"]*)">/g)].map(([, id = '']) => id),
    ...[...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .replace(/\\/g, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  ])

t.test('the site is one document that fetches nothing, and its links lead to places in it', async (t) => {
  const directory = newDirectory(t)
  spawnSync(process.execPath, ['scripts/pages.mjs', directory], { timeout: scaled(60_000) })
  const site = readFileSync(join(directory, 'site', 'index.html'), 'utf8')
  t.strictSame(readdirSync(join(directory, 'site')), ['index.html'])
  const ids = [...site.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
  t.equal(new Set(ids).size, ids.length, 'no id is there twice')
  const hrefs = [...site.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href)
  t.ok(hrefs.length > 500)
  t.strictSame(
    hrefs.filter((href) => (href.startsWith('#') ? !ids.includes(href.slice(1)) : !href.startsWith('https://'))),
    [],
  )
  t.match(site, /Content-Security-Policy" content="default-src 'none';/)
  t.notMatch(
    site.replace(/<(pre|code|p|td|dd)\b[\s\S]*?<\/\1>/g, ''),
    /<(link|img|iframe|script) [^>]*(src|href)=|@import|url\(|\bfetch\(|XMLHttpRequest/,
  )
  for (const page of readdirSync('man')) t.ok(ids.includes(page), page)
})
