// plumb deps: prints the files that a spec reads, as a make rule, for `include` in a Makefile.

import { namedFiles, namedSkills, type Program } from '@plumb/lang'
import { writeWhole } from '@plumb/runtime/record'
import { loadSpec, refuseErrors } from '@plumb/runtime/spec'
import { escapeControls, fail, preview, Reporter, type Result, succeed } from '@plumb/wire'

interface Named {
  readonly path: string
  /** The spec that names it. Absent: the command line does. */
  readonly from?: string
}

export const deps = async (path: string): Promise<number> => {
  const reporter = new Reporter('plumb')
  const loaded = await loadSpec(path, {})
  if (!loaded.ok) reporter.report(loaded.error)
  else if (!refuseErrors(loaded.value, reporter)) {
    const { compiled, files } = loaded.value
    const entry = compiled.program.entry.module.path
    // Files that come with plumb cannot change.
    const modules = compiled.program.scopes.map((s) => ({ path: s.module.path })).filter((m) => m.path !== entry && !m.path.startsWith('<'))
    const named = namedFiles(compiled.program).map((f) => ({ path: files.beside(f.path, f.from), from: f.from }))
    const skills = await filesOfSkills(compiled.program, files.beside)
    const all = new Map([...modules, ...named, ...skills].map((name) => [name.path, name]))
    const sorted = [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
    const words = [targetWord({ path }), ...sorted.map(neededWord)]
    for (const word of words) if (!word.ok) reporter.report(word.error)
    const [target, ...needed] = words.map((word) => (word.ok ? word.value : ''))
    const isWhole = words.every((word) => word.ok)
    const failure = isWhole ? await writeWhole(Buffer.from(`${[`${target}:`, ...needed].join(' ')}\n`), undefined) : undefined
    if (failure) reporter.report(failure)
  }
  await reporter.end()
  return reporter.status
}

/** Each SKILL.md, and the files beside it. */
const filesOfSkills = async (program: Program, beside: (path: string, from: string) => string): Promise<readonly Named[]> => {
  const named = namedSkills(program).flatMap(({ from, paths }) => paths.map(({ path }) => ({ from, path: beside(path, from) })))
  if (named.length === 0) return []
  const { filesOfSkillsAt } = await import('@plumb/tool/source/skill/skill-folder')
  return named.flatMap(({ from, path }) => filesOfSkillsAt(path).map((path) => ({ path, from })))
}

const neededWord = (name: Named): Result<string> => {
  const { path } = name
  // A name that make cannot represent gives no rule: a wrong one may run a part of the name.
  const why =
    escapeControls(path) !== path
      ? 'a control character or a mark that turns the direction of text'
      : (/[;|=]/.exec(path)?.[0] ??
        (/[\s\\]$/.test(path) ? 'a blank or backslash at its end' : undefined) ??
        (path.startsWith('~') ? '~ at its beginning' : undefined) ??
        (/\(.*\)$/.test(path) ? 'parentheses as of a member of an archive' : undefined))
  if (why !== undefined) return refuse(name, why)
  // A backslash must be escaped only before a character that it would quote.
  const quoted = path.replace(/\\*[ #:*?[]/g, (found) => `${'\\'.repeat(2 * (found.length - 1) + 1)}${found.at(-1)}`)
  return succeed(quoted.replaceAll('$', '$$$$'))
}

const targetWord = (name: Named): Result<string> => {
  const why = name.path.includes('%') ? '%' : name.path.endsWith('&') ? '& at its end' : undefined
  return why === undefined ? neededWord(name) : refuse(name, why)
}

const refuse = ({ path, from }: Named, why: string) => {
  const who = from === undefined ? '' : `, which '${preview(from)}' names,`
  return fail('cannot_run', `make cannot take the name '${preview(path)}'${who} since it holds ${why}: rename the file`, { path })
}
