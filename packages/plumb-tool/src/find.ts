// Looks tools up by what they are about, and by what they take and give: a tool that fits, or the shortest chain of tools that does.

import { isWirable, type Type, type Wiring } from '@plumb/lang'

/** What a search looks at. */
export interface Findable {
  readonly name: string
  readonly description?: string
  readonly input: Type
  readonly output: Type
}

/** A chain as it would be written; no steps: `id`. */
export type Chain<T extends Findable> = readonly T[]

export const writeChain = (chain: Chain<Findable>): string => (chain.length === 0 ? 'id' : chain.map(({ name }) => name).join(' ; '))

/** Those that speak of every word, the best first: a word is worth most as the name, then within it, then in the description. */
export const findByWords = <T extends Findable>(tools: readonly T[], words: readonly string[]): T[] => {
  const scored = tools.map((tool) => ({ tool, scores: words.map((word) => scoreOf(tool, word.toLowerCase())) }))
  return scored
    .filter(({ scores }) => scores.every((score) => score > 0))
    .map(({ tool, scores }) => ({ tool, score: scores.reduce((sum, score) => sum + score, 0) }))
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
}

const scoreOf = ({ name, description = '' }: Findable, word: string): number => {
  const parts = partsOf(name)
  const said = partsOf(description)
  if (name.toLowerCase() === word) return 16
  if (parts.includes(word)) return 8
  if (name.toLowerCase().includes(word)) return 4
  if (said.includes(word)) return 2
  return said.some((part) => part.startsWith(word)) ? 1 : 0
}

// `readFile2`, `read_file` and `Fs.read` are made of words.
const partsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)

/** Those that take and give it; a side that is left out fits all. Where the types fit for certain they come first. */
export const findByTypes = <T extends Findable>(tools: readonly T[], from: Type | undefined, to: Type | undefined): T[] => {
  const fits = tools.map((tool) => ({ tool, fit: worse(edge(from, tool.input), edge(tool.output, to)) }))
  return [...fits.filter(({ fit }) => fit === 'static'), ...fits.filter(({ fit }) => fit === 'checked')].map(({ tool }) => tool)
}

const edge = (source: Type | undefined, target: Type | undefined): Wiring => (source && target ? isWirable(source, target) : 'static')

const worse = (a: Wiring, b: Wiring): Wiring => (a === 'no' || b === 'no' ? 'no' : a === 'static' ? b : a)

/**
 * The shortest chain from one type to the other, which may be `id`; of equally short ones the first in the order of the tools. Chains whose
 * types fit for certain come before those where a type is only known at run time, however long they are.
 */
export const findChain = <T extends Findable>(tools: readonly T[], from: Type, to: Type): Chain<T> | undefined =>
  shortest(tools, from, to, (wiring) => wiring === 'static') ?? shortest(tools, from, to, (wiring) => wiring !== 'no')

const shortest = <T extends Findable>(
  tools: readonly T[],
  from: Type,
  to: Type,
  fits: (wiring: Wiring) => boolean,
): Chain<T> | undefined => {
  if (fits(isWirable(from, to))) return []
  const waiting: { readonly type: Type; readonly chain: Chain<T> }[] = [{ type: from, chain: [] }]
  const rest = new Set(tools)
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { type, chain } = next
    for (const tool of rest) {
      if (!fits(isWirable(type, tool.input))) continue
      rest.delete(tool)
      const longer = [...chain, tool]
      if (fits(isWirable(tool.output, to))) return longer
      waiting.push({ type: tool.output, chain: longer })
    }
  }
  return undefined
}
