// Reads what decompositions are made of, (0 YOU (*WANT NEED) 0), and what reassemblies are made of, (WHY DO YOU WANT 4).
import type { Template, Term } from './rule.js'
import type { List, Node } from './script-lists.js'
import { type ScriptReader, wordsTagged } from './script-reader.js'

export const readTerms = (nodes: readonly Node[], by: string, reader: ScriptReader): Term[] => {
  const terms: Term[] = []
  for (const node of nodes) {
    if (node.kind === 'list') terms.push({ kind: 'one-of', sets: readSets(node, by, reader) })
    else if (node.kind === 'symbol') terms.push({ kind: 'word', word: node.text })
    else if (node.kind === 'number') terms.push({ kind: 'count', count: Number(node.text) })
    else reader.report(node.line, `rule '${by}': '=' cannot stand in a decomposition`)
  }
  return terms
}

const readSets = (list: List, by: string, reader: ScriptReader): ReadonlySet<string>[] => {
  const words = readMarkedWords(list, '*')
  if (words) return [new Set(words)]
  const tags = readMarkedWords(list, '/')
  if (!tags) reader.report(list.line, `rule '${by}': a list in a decomposition is (*WORD ...) or (/TAG ...)`)
  return (tags ?? []).map((tag) => wordsTagged(reader, tag))
}

/** Words and part numbers; a number must be that of one of the parts. */
export const readTemplate = (nodes: readonly Node[], line: number, parts: number, by: string, reader: ScriptReader): Template => {
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
export const readMarkedWords = ({ items }: List, mark: '*' | '/'): string[] | undefined => {
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
