// Writes every manual page as Markdown, and llms.txt, which lists them: pages.mjs [TO], by default dist/pages

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ROOT, run, runMain } from './command.mjs'

const HEAD = `# plumb

> A typed language, and a family of small Unix executables, for wiring LLM agents and other processes into pipelines. What flows is JSON, one value a
> line. Types are checked before anything starts.

To write specs, read the skill first: it is the language in one reading. plumbing(5) is the specification.

`

const GROUPS = [
  ['Start here', ['plumb.7', 'plumb-cookbook.7', 'plumb-editors.7']],
  ['The language', ['plumbing.5', 'plumb-test.1', 'plumb-flows.7']],
]

const writePages = async (to) => {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const pages = readdirSync(`${ROOT}/man`).filter((file) => /\.[1-8]$/.test(file))
  for (const page of pages) writeFileSync(join(to, `${page}.md`), await markdownOf(page, pages))
  copyFileSync(`${ROOT}/scripts/agents/plumb/skills/plumb/SKILL.md`, join(to, 'SKILL.md'))
  const named = GROUPS.flatMap(([, list]) => list)
  const rest = pages.filter((page) => !named.includes(page))
  const groups = [
    ...GROUPS,
    ['Executables', rest.filter((page) => page.endsWith('.1'))],
    ['More', rest.filter((page) => !page.endsWith('.1'))],
  ]
  const listed = groups.map(([title, list]) => `## ${title}\n\n${title === 'Start here' ? SKILL : ''}${list.map(entryOf).join('')}`)
  writeFileSync(join(to, 'llms.txt'), HEAD + listed.join('\n'))
}

const SKILL = '- [The skill](SKILL.md): the language, patterns and commands, in one reading\n'

const entryOf = (page) => {
  const description = /^\.Nd (.*)$/m.exec(readFileSync(`${ROOT}/man/${page}`, 'utf8'))?.[1] ?? ''
  return `- [${nameOf(page)}](${page}.md): ${description}\n`
}

const nameOf = (page) => page.replace(/\.(\d)$/, '($1)')

const markdownOf = async (page, pages) => {
  const { status, output } = await run('mandoc', ['-Tmarkdown', `${ROOT}/man/${page}`])
  if (status !== 0) throw new Error(`mandoc cannot read man/${page}, or is not installed:\n${output.trimEnd()}`)
  // Entities mean nothing between backquotes; a page that is named is a link, but for this one.
  return output
    .replace(/`[^`\n]*`/g, (code) => code.replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number))))
    .replace(/(?<![`\w[-])(plumb[a-z-]*)\((\d)\)/g, (name, base, section) => {
      const file = `${base}.${section}`
      return file === page || !pages.includes(file) ? name : `[${name}](${file}.md)`
    })
}

await runMain(import.meta.url, () => writePages(resolve(process.argv[2] ?? join(ROOT, 'dist/pages'))))
