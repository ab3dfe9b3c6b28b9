// Checks all rules, and what can only be seen when all are known.
import type { Rule, Script } from './rule.js'
import type { ScriptReader } from './script-reader.js'

export const checkScript = ({ rules, none, memory }: Script, { links, report }: ScriptReader): void => {
  for (const { line, by, key } of links) {
    const target = rules.get(key)
    if (!target) report(line, `rule '${by}': the link (=${key}) leads to no keyword; add a rule for '${key}' or correct the link`)
    else if (!target.canReply) {
      report(line, `rule '${by}': the link (=${key}) leads to a keyword with neither decompositions nor a link; give '${key}' one`)
    }
  }
  if (!matchesAll(none)) report(none.line, "rule 'NONE': it has exactly one decomposition, (0)")
  if (!rules.has(memory.keyword)) report(memory.line, `rule 'MEMORY': '${memory.keyword}' is no keyword; add a rule for it or name another`)
}

const matchesAll = ({ decompositions: [only, ...more] }: Rule): boolean => {
  const [term, ...terms] = only?.terms ?? []
  return more.length === 0 && terms.length === 0 && term?.kind === 'count' && term.count === 0
}
