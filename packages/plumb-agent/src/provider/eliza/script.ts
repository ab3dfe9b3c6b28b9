// Loads a script in the notation of 1966. Everything wrong with it is found here, so that no conversation can fail later.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import { addTags, readMemoryRule, readRule, type ScriptReader } from './read-rule.js'
import type { ElizaScript, MemoryRule, ScriptRule } from './rule.js'
import { readLists, type ScriptList, type ScriptNode } from './script-lists.js'

/** Fails with `config_invalid`; the extras are the path as given and the line of the first thing wrong. */
export const loadScript = (text: string, path: string): Result<ElizaScript> => {
  const problems: { line: number; message: string }[] = []
  const reader: ScriptReader = { report: (line, message) => problems.push({ line, message }), links: [], tags: new Map() }
  const script = readScript(readLists(text.replace(/^\ufeff/, ''), reader.report), reader)
  if (script) checkScript(script, reader)
  if (script && problems.length === 0) return succeed(script)

  const [first, ...more] = problems.sort((a, b) => a.line - b.line)
  const { line, message } = first ?? { line: 1, message: 'there is no script' }
  const others = more.length > 0 ? ` (and ${more.length} more)` : ''
  const detail = `cannot load script '${preview(path)}': line ${line}: ${preview(message, 300)}${others}`
  return fail('config_invalid', detail, { path, line })
}

const readScript = (forms: readonly ScriptNode[], reader: ScriptReader): ElizaScript | undefined => {
  const [opening, ...rest] = forms
  if (opening?.kind !== 'list') {
    reader.report(opening?.line ?? 1, 'a script begins with its opening remarks in brackets')
    return undefined
  }
  const start = rest[0]
  if (start?.kind === 'symbol' && start.text === 'START') rest.shift()

  const rules = new Map<string, ScriptRule>()
  const memories: MemoryRule[] = []
  for (const form of rest) {
    const key = form.kind === 'list' ? form.items[0] : undefined
    if (form.kind !== 'list') reader.report(form.line, `'${form.text}' is outside of any rule; remove it`)
    else if (form.items.length === 0) continue
    else if (key?.kind !== 'symbol') reader.report(form.line, 'a rule begins with its keyword')
    else if (key.text === 'MEMORY') memories.push(readMemoryRule(form, reader))
    else addRule(rules, readRule(form, key.text, reader), reader)
  }

  // Apart from the keywords, so that a user's word NONE does not meet it
  const none = rules.get('NONE')
  rules.delete('NONE')
  const [memory, second] = memories
  const end = forms[forms.length - 1]?.line ?? 1
  if (!none) reader.report(end, 'there is no rule NONE; add (NONE ((0) (WORDS) ...))')
  if (!memory) reader.report(end, 'there is no rule MEMORY; add (MEMORY KEYWORD (DECOMPOSITION = WORDS) ...)')
  if (second) reader.report(second.line, `rule 'MEMORY' occurs twice, first in line ${memory?.line}; remove one`)
  return none && memory && { greeting: readGreeting(opening, reader), rules, none, memory, tags: reader.tags }
}

const addRule = (rules: Map<string, ScriptRule>, rule: ScriptRule, reader: ScriptReader): void => {
  const earlier = rules.get(rule.keyword)
  if (earlier) reader.report(rule.line, `rule '${rule.keyword}' occurs twice, first in line ${earlier.line}; remove one`)
  else rules.set(rule.keyword, rule)
  addTags(rule, reader)
}

const readGreeting = ({ items, line }: ScriptList, reader: ScriptReader): string => {
  const words: string[] = []
  for (const item of items) {
    if (item.kind === 'list') reader.report(line, 'the opening remarks are words; their closing bracket may be missing')
    else words.push(item.text)
  }
  return words.join(' ')
}

const checkScript = ({ rules, none, memory }: ElizaScript, { links, report }: ScriptReader): void => {
  for (const { line, by, key } of links) {
    const target = rules.get(key)
    if (!target) report(line, `rule '${by}': the link (=${key}) leads to no keyword; add a rule for '${key}' or correct the link`)
    else if (!target.canReply) {
      report(line, `rule '${by}': the link (=${key}) leads to a keyword with neither decompositions nor a link; give '${key}' one`)
    }
  }
  if (!matchesAll(none)) report(none.line, "rule 'NONE': it has exactly one decomposition, (0)")
  if (!rules.has(memory.keyword))
    report(memory.line, `rule 'MEMORY': '${memory.keyword}' is not a keyword; add a rule for it or name another`)
}

const matchesAll = ({ decompositions: [only, ...more] }: ScriptRule): boolean => {
  const [term, ...terms] = only?.terms ?? []
  return more.length === 0 && terms.length === 0 && term?.kind === 'count' && term.count === 0
}
