// A script that the build has read and checked, as it is embedded: rule by rule; the inside of decompositions stays in the
// notation of 1966 until a message needs it. To read all of it takes 11 % of a start of an ELIZA agent (see doc/performance.md).
import { readDecomposition, readMemoryRule, type ScriptReader } from './read-rule.js'
import type { Decomposition, ElizaScript, MemoryRule, Reassembly, ReplyTemplate, ScriptRule, Term } from './rule.js'
import { readLists, type ScriptList } from './script-lists.js'

interface PackedScript {
  readonly greeting: string
  readonly rules: readonly PackedRule[]
  readonly none: PackedRule
  readonly memory: readonly [keyword: string, line: number, rule: string]
  readonly tags: readonly (readonly [tag: string, words: readonly string[]])[]
}

type PackedRule = readonly [
  keyword: string,
  line: number,
  precedence: number,
  tags: readonly string[],
  substitute: string | null,
  link: string | null,
  decompositions: string,
]

export const packScript = ({ greeting, rules, none, memory, tags }: ElizaScript): string => {
  const tagOf = (words: ReadonlySet<string>) => [...tags].find(([, tagged]) => tagged === words)?.[0]
  const printSets = (sets: readonly ReadonlySet<string>[]): string => {
    const named = sets.map(tagOf)
    return named.includes(undefined) ? `(*${sets.flatMap((words) => [...words]).join(' ')})` : `(/${named.join(' ')})`
  }
  const printTerm = (term: Term): string => {
    if (term.kind === 'word') return term.word
    return term.kind === 'count' ? `${term.count}` : printSets(term.sets)
  }
  const printTerms = (terms: readonly Term[]) => terms.map(printTerm).join(' ')
  const printDecomposition = ({ terms, reassemblies }: Decomposition) =>
    `((${printTerms(terms)})${reassemblies.map(printReassembly).join('')})`
  const packRule = ({ keyword, line, precedence, tags, substitute, link, decompositions }: ScriptRule): PackedRule => [
    keyword,
    line,
    precedence,
    tags,
    substitute ?? null,
    link ?? null,
    decompositions.map(printDecomposition).join(''),
  ]
  const transformations = memory.transformations.map(({ terms, template }) => `(${printTerms(terms)} = ${template.join(' ')})`)
  const packed: PackedScript = {
    greeting,
    rules: [...rules.values()].map(packRule),
    none: packRule(none),
    memory: [memory.keyword, memory.line, `(MEMORY ${memory.keyword} ${transformations.join('')})`],
    tags: [...tags].map(([tag, words]) => [tag, [...words]]),
  }
  return JSON.stringify(packed)
}

const printReassembly = (reassembly: Reassembly): string => {
  const print = (template: ReplyTemplate) => template.join(' ')
  switch (reassembly.kind) {
    case 'text':
      return `(${print(reassembly.template)})`
    case 'link':
      return `(=${reassembly.key})`
    case 'pre':
      return `(PRE (${print(reassembly.template)}) (=${reassembly.key}))`
    case 'newkey':
      return '(NEWKEY)'
  }
}

/** The inverse of `packScript`. */
export const unpackScript = (text: string): ElizaScript => {
  const packed = JSON.parse(text) as PackedScript
  const tags = new Map(packed.tags.map(([tag, words]) => [tag, new Set(words)]))
  const reader: ScriptReader = { report: () => {}, links: [], tags }
  return {
    greeting: packed.greeting,
    rules: new Map(packed.rules.map((rule) => [rule[0], unpackRule(rule, reader)])),
    none: unpackRule(packed.none, reader),
    memory: unpackMemory(packed.memory, reader),
    tags,
  }
}

const unpackRule = ([keyword, line, precedence, tags, substitute, link, text]: PackedRule, reader: ScriptReader): ScriptRule => {
  let decompositions: readonly Decomposition[] | undefined
  return {
    keyword,
    line,
    substitute: substitute ?? undefined,
    precedence,
    tags,
    link: link ?? undefined,
    canReply: text !== '' || link !== null,
    get decompositions() {
      decompositions ??= readParts(text, reader).map((part) => readDecomposition(part, keyword, reader))
      return decompositions
    },
  }
}

const unpackMemory = ([keyword, line, text]: PackedScript['memory'], reader: ScriptReader): MemoryRule => {
  let transformations: MemoryRule['transformations'] | undefined
  return {
    keyword,
    line,
    get transformations() {
      transformations ??= readParts(text, reader).flatMap((part) => readMemoryRule(part, reader).transformations)
      return transformations
    },
  }
}

const readParts = (text: string, { report }: ScriptReader): readonly ScriptList[] =>
  readLists(text, report).filter((node) => node.kind === 'list')
