// Reads `(DECOMP REASM REASM ...)`.
import { readTemplate, readTerms } from './read-terms.js'
import type { Decomposition, Reassembly } from './rule.js'
import type { List, Node } from './script-lists.js'
import type { ScriptReader } from './script-reader.js'

export const readDecomposition = ({ items: [pattern, ...rest], line }: List, by: string, reader: ScriptReader): Decomposition => {
  const terms = pattern?.kind === 'list' ? readTerms(pattern.items, by, reader) : []
  const reassemblies: Reassembly[] = []
  for (const node of rest) {
    if (node.kind === 'list') reassemblies.push(readReassembly(node, terms.length, by, reader))
    else reader.report(node.line, `rule '${by}': '${node.text}' stands where a reassembly in brackets is expected`)
  }
  if (rest.length === 0) reader.report(line, `rule '${by}': a decomposition has no reassembly; give it at least one`)
  return { terms, reassemblies }
}

const readReassembly = (list: List, parts: number, by: string, reader: ScriptReader): Reassembly => {
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
export const readLink = ({ items: [equals, key, ...more], line }: List, by: string, reader: ScriptReader): string => {
  if (equals?.kind !== '=' || key?.kind !== 'symbol' || more.length > 0) {
    reader.report(line, `rule '${by}': a link is one keyword, (=KEY)`)
    return ''
  }
  reader.links.push({ line, by, key: key.text })
  return key.text
}

const isSymbol = (node: Node | undefined, text: string): boolean => node?.kind === 'symbol' && node.text === text
