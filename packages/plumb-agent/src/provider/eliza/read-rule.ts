// Reads the rules of a script: (KEYWORD ... ((0 YOU (*WANT NEED) 0) (WHY DO YOU WANT 4) ...)).
import type { Decomposition, MemoryRule, Reassembly, ReplyTemplate, ScriptRule, Term } from './rule.js'
import type { ScriptList, ScriptNode } from './script-lists.js'

export const readRule = (list: ScriptList, keyword: string, reader: ScriptReader): ScriptRule => {
  let substitute: string | undefined
  let precedence: number | undefined
  let link: string | undefined
  const tags: string[] = []
  const bodies: ScriptList[] = []
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
export const addTags = ({ keyword, tags }: ScriptRule, reader: ScriptReader): void => {
  for (const tag of tags) wordsTagged(reader, tag).add(keyword)
}

/** Reads `(MEMORY KEY (DECOMP = REASM) ...)`. */
export const readMemoryRule = ({ items: [, key, ...rest], line }: ScriptList, reader: ScriptReader): MemoryRule => {
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

const readDecomposition = ({ items: [pattern, ...rest], line }: ScriptList, by: string, reader: ScriptReader): Decomposition => {
  const terms = pattern?.kind === 'list' ? readTerms(pattern.items, by, reader) : []
  const reassemblies: Reassembly[] = []
  for (const node of rest) {
    if (node.kind === 'list') reassemblies.push(readReassembly(node, terms.length, by, reader))
    else reader.report(node.line, `rule '${by}': '${node.text}' found where a reassembly in brackets is expected`)
  }
  if (rest.length === 0) reader.report(line, `rule '${by}': a decomposition has no reassembly; give it at least one`)
  return { terms, reassemblies }
}

const readReassembly = (list: ScriptList, parts: number, by: string, reader: ScriptReader): Reassembly => {
  const first = list.items[0]
  const second = list.items[1]
  const third = list.items[2]
  if (first?.kind === '=') return { kind: 'link', key: readLink(list, by, reader) }
  if (isSymbol(first, 'NEWKEY') && !second) return { kind: 'newkey' }
  if (isSymbol(first, 'PRE') && second?.kind === 'list' && third?.kind === 'list' && list.items.length === 3) {
    return { kind: 'pre', template: readTemplate(second.items, second.line, parts, by, reader), key: readLink(third, by, reader) }
  }
  return { kind: 'text', template: readTemplate(list.items, list.line, parts, by, reader) }
}

/** The key of `(=KEY)`. */
const readLink = ({ items: [equals, key, ...more], line }: ScriptList, by: string, reader: ScriptReader): string => {
  if (equals?.kind !== '=' || key?.kind !== 'symbol' || more.length > 0) {
    reader.report(line, `rule '${by}': a link is one keyword, (=KEY)`)
    return ''
  }
  reader.links.push({ line, by, key: key.text })
  return key.text
}

const isSymbol = (node: ScriptNode | undefined, text: string): boolean => node?.kind === 'symbol' && node.text === text

const readTerms = (nodes: readonly ScriptNode[], by: string, reader: ScriptReader): Term[] => {
  const terms: Term[] = []
  for (const node of nodes) {
    if (node.kind === 'list') terms.push({ kind: 'one-of', sets: readSets(node, by, reader) })
    else if (node.kind === 'symbol') terms.push({ kind: 'word', word: node.text })
    else if (node.kind === 'number') terms.push({ kind: 'count', count: Number(node.text) })
    else reader.report(node.line, `rule '${by}': '=' cannot be in a decomposition`)
  }
  return terms
}

const readSets = (list: ScriptList, by: string, reader: ScriptReader): ReadonlySet<string>[] => {
  const words = readMarkedWords(list, '*')
  if (words) return [new Set(words)]
  const tags = readMarkedWords(list, '/')
  if (!tags) reader.report(list.line, `rule '${by}': a list in a decomposition is (*WORD ...) or (/TAG ...)`)
  return (tags ?? []).map((tag) => wordsTagged(reader, tag))
}

/** Words and part numbers; a number must be that of one of the parts. */
const readTemplate = (nodes: readonly ScriptNode[], line: number, parts: number, by: string, reader: ScriptReader): ReplyTemplate => {
  const template: (string | number)[] = []
  for (const node of nodes) {
    if (node.kind === 'symbol') template.push(node.text)
    else if (node.kind !== 'number')
      reader.report(node.line, `rule '${by}': a reassembly is words and numbers, (NEWKEY), (=KEY) or (PRE (...) (=KEY))`)
    else if (Number(node.text) >= 1 && Number(node.text) <= parts) template.push(Number(node.text))
    else reader.report(node.line, `rule '${by}': the reassembly has part ${node.text}, the decomposition has parts 1 to ${parts}`)
  }
  if (nodes.length === 0) reader.report(line, `rule '${by}': a reassembly says nothing; give it words`)
  return template
}

/** The words of `(*A B)` or `(/A B)`, where a space may follow the mark; undefined when the list is none of that kind. */
const readMarkedWords = ({ items }: ScriptList, mark: '*' | '/'): string[] | undefined => {
  const words: string[] = []
  for (const item of items) {
    if (item.kind === 'list' || item.kind === '=') return undefined
    words.push(item.text)
  }
  const first = words[0]
  if (!first?.startsWith(mark)) return undefined
  if (first === mark) words.shift()
  else words[0] = first.slice(1)
  return words.length > 0 ? words : undefined
}

export interface ScriptReader {
  readonly report: (line: number, message: string) => void
  readonly links: { readonly line: number; readonly by: string; readonly key: string }[]
  readonly tags: Map<string, Set<string>>
}

/** The set may still be empty: rules come in any order, and it fills as they are read. */
const wordsTagged = ({ tags }: ScriptReader, tag: string): Set<string> => {
  const known = tags.get(tag)
  if (known) return known
  const words = new Set<string>()
  tags.set(tag, words)
  return words
}
