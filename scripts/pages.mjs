// Writes every manual page as Markdown, llms.txt, which lists them, and site/index.html: pages.mjs [DIR], by default dist/pages

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ROOT, runMain } from './command.mjs'
import { indexOf } from './pages/links.mjs'
import { markdownOf } from './pages/markdown.mjs'
import { readMdoc } from './pages/mdoc.mjs'
import { siteOf } from './pages/site.mjs'

const HEAD = `# plumb

> A typed language, and a family of small Unix executables, for wiring LLM agents and other processes into pipelines. What flows is JSON, one value a
> line. Types are checked before anything starts.

To write specs, read the skill first: it is the language in one reading. plumbing(5) is the specification.

`

const GROUPS = [
  ['Start here', ['plumb.7', 'plumb-cookbook.7', 'plumb-editors.7']],
  ['The language', ['plumbing.5', 'plumb-test.1', 'plumb-flows.7', 'plumb-protocols.7']],
]

const writePages = (to) => {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const pages = readdirSync(`${ROOT}/man`).filter((file) => /\.[1-8]$/.test(file))
  const trees = pages.map((page) => readMdoc(readFileSync(`${ROOT}/man/${page}`, 'utf8'), page))
  const index = indexOf(trees)
  for (const [i, tree] of trees.entries()) writeFileSync(join(to, `${pages[i]}.md`), markdownOf(tree, index))
  copyFileSync(`${ROOT}/scripts/agents/plumb/skills/plumb/SKILL.md`, join(to, 'SKILL.md'))
  const named = GROUPS.flatMap(([, list]) => list)
  const rest = pages.filter((page) => !named.includes(page))
  const groups = [
    ...GROUPS,
    ['Executables', rest.filter((page) => page.endsWith('.1'))],
    ['More', rest.filter((page) => !page.endsWith('.1'))],
  ]
  mkdirSync(join(to, 'site'))
  writeFileSync(
    join(to, 'site/index.html'),
    siteOf(
      groups.map(([title, list]) => [title, list.map((page) => trees[pages.indexOf(page)])]),
      index,
    ),
  )
  const listed = groups.map(([title, list]) => `## ${title}\n\n${title === 'Start here' ? SKILL : ''}${list.map(entryOf).join('')}`)
  writeFileSync(join(to, 'llms.txt'), HEAD + listed.join('\n'))
}

const SKILL = '- [The skill](SKILL.md): the language, patterns and commands, in one reading\n'

const entryOf = (page) => {
  const description = /^\.Nd (.*)$/m.exec(readFileSync(`${ROOT}/man/${page}`, 'utf8'))?.[1] ?? ''
  return `- [${nameOf(page)}](${page}.md): ${description}\n`
}

const nameOf = (page) => page.replace(/\.(\d)$/, '($1)')

await runMain(import.meta.url, () => writePages(resolve(process.argv[2] ?? join(ROOT, 'dist/pages'))))
