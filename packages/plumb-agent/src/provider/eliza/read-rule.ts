// Reads a rule, `(KEY = SUBST DLIST(/TAG) 5 ((0 KEY 0) (...)) (=LINK))`, its fields in any order, and the memory rule.
import { readDecomposition, readLink } from './read-decomposition.js'
import { readMarkedWords, readTemplate, readTerms } from './read-terms.js'
import type { MemoryRule, Rule } from './rule.js'
import type { List } from './script-lists.js'
import { type ScriptReader, wordsTagged } from './script-reader.js'

export const readRule = (list: List, keyword: string, reader: ScriptReader): Rule => {
  let substitute: string | undefined
  let precedence: number | undefined
  let link: string | undefined
  const tags: string[] = []
  const bodies: List[] = []
  const report = (line: number, message: string): void => reader.report(line, `rule '${keyword}': ${message}`)

  const { items, line } = list
  for (let i = 1; i < items.length; i++) {
    const item = items[i]
    const next = items[i + 1]
    if (item?.kind === '=' && next?.kind === 'symbol' && substitute === undefined) {
      substitute = next.text
      i++
    } else if (item?.kind === 'symbol' && item.text === 'DLIST' && next?.kind === 'list') {
      const named = readMarkedWords(next, '/')
      for (const tag of named ?? []) tags.push(tag)
      if (!named) report(next.line, 'tags are written DLIST(/TAG ...)')
      i++
    } else if (item?.kind === 'number' && precedence === undefined) precedence = Number(item.text)
    else if (item?.kind === 'list' && item.items[0]?.kind === '=' && link === undefined) link = readLink(item, keyword, reader)
    else if (item?.kind === 'list' && item.items[0]?.kind === 'list') bodies.push(item)
    else if (item?.kind === 'list') report(item.line, 'a list here is ((DECOMPOSITION) (REASSEMBLY) ...) or one (=LINK)')
    else if (item)
      report(item.line, `'${item.text}' fits no place here; a rule has = SUBSTITUTE, DLIST(/TAG), one precedence, lists and one (=LINK)`)
  }
  const canReply = bodies.length > 0 || link !== undefined
  if (substitute === undefined && tags.length === 0 && !canReply) {
    report(line, 'the keyword has no body; give it a substitute, tags, a decomposition or a link')
  }
  return {
    keyword,
    line,
    substitute,
    precedence: precedence ?? 0,
    tags,
    link,
    canReply,
    decompositions: bodies.map((body) => readDecomposition(body, keyword, reader)),
  }
}

/** Fills the tags with the keyword itself, not its substitute. */
export const addTags = ({ keyword, tags }: Rule, reader: ScriptReader): void => {
  for (const tag of tags) wordsTagged(reader, tag).add(keyword)
}

/** Reads `(MEMORY KEY (DECOMP = REASM) ...)`. */
export const readMemory = ({ items: [, key, ...rest], line }: List, reader: ScriptReader): MemoryRule => {
  const transformations: MemoryRule['transformations'][number][] = []
  for (const node of rest) {
    const equals = node.kind === 'list' ? node.items.findIndex((item) => item.kind === '=') : -1
    if (node.kind === 'list' && equals >= 0) {
      const terms = readTerms(node.items.slice(0, equals), 'MEMORY', reader)
      transformations.push({ terms, template: readTemplate(node.items.slice(equals + 1), node.line, terms.length, 'MEMORY', reader) })
    } else reader.report(node.line, "rule 'MEMORY': a transformation is (DECOMPOSITION = REASSEMBLY)")
  }
  if (key?.kind !== 'symbol') reader.report(line, "rule 'MEMORY': the keyword to remember by must come first")
  if (rest.length !== 4) reader.report(line, `rule 'MEMORY': there are ${rest.length} transformations; give exactly 4`)
  return { keyword: key?.kind === 'symbol' ? key.text : '', line, transformations }
}
