// Finds tools by topic, and by input and output types: a tool that fits, or the shortest chain of tools.

import { isWirable, type Type, typesWithin, type Wiring } from '@plumb/lang'
import { likeWords, stemOf, withoutCommon } from './find-words.js'

/** The searched properties of a tool. */
export interface Findable {
  readonly name: string
  readonly description?: string
  readonly input: Type
  readonly output: Type
}

/** A chain as it would be written; no steps: `id`. */
export type FoundChain<T extends Findable> = readonly T[]

export const writeChain = (chain: FoundChain<Findable>): string => (chain.length === 0 ? 'id' : chain.map(({ name }) => name).join(' ; '))

/** The searchable text of a tool. */
export interface Described extends Findable {
  readonly effects?: readonly string[]
}

/** Tools that match all words, else those that match most: the best first. For each word the best match counts. */
export const findByWords = <T extends Described>(tools: readonly T[], words: readonly string[]): T[] => {
  const wanted = withoutCommon(words.flatMap((word) => partsOf(word)).filter((word) => word !== ''))
  const whole = words.join('_').toLowerCase()
  const scored = tools.map((tool) => {
    const { name } = tool
    const places = searchedTextsOf(tool)
    const scores = wanted.map((word) => scoreOf(places, word))
    const hits = scores.filter((score) => score > 0)
    // A good match of one word does not make up for a bad one of another.
    const score = hits.reduce((product, hit) => product * hit, name.toLowerCase() === whole ? OWN_NAME : 1)
    return { tool, hits: hits.length, score }
  })
  const most = Math.max(0, ...scored.map(({ hits }) => hits))
  return scored
    .filter(({ hits }) => hits > 0 && hits === most)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
}

const OWN_NAME = 1000

interface SearchedText {
  readonly stems: ReadonlySet<string>
  readonly weight: number
}

const searchedTextsOf = ({ name, description = '', input, output, effects = [] }: Described): readonly SearchedText[] => {
  const of = (weight: number, ...texts: readonly string[]): SearchedText => ({ weight, stems: new Set(texts.flatMap(partsOf).map(stemOf)) })
  return [
    of(10, name),
    of(6, description),
    of(3, ...effects.map((effect) => EFFECT_WORDS[effect] ?? effect)),
    of(2, ...namesIn(input), ...namesIn(output)),
  ]
}

const EFFECT_WORDS: Readonly<Record<string, string>> = {
  'fs.read': 'fs read files',
  'fs.write': 'fs write change files',
  net: 'net internet web network',
  'net.private': 'net private network',
  exec: 'exec run commands programs shell',
  model: 'model llm ai',
}

/** A word of the same stem scores full weight, a longer word with this beginning or a synonym half. */
const scoreOf = (places: readonly SearchedText[], word: string): number => {
  const stem = stemOf(word)
  const like = likeWords(stem)
  let best = 0
  for (const { stems, weight } of places) {
    if (stems.has(stem)) best = Math.max(best, weight)
    else if ([...like].some((other) => stems.has(other))) best = Math.max(best, weight / 2)
    else if (stem.length >= LEAST_PREFIX && [...stems].some((other) => other.startsWith(stem))) best = Math.max(best, weight / 2)
  }
  return best
}

const LEAST_PREFIX = 2
const MAX_FIELDS = 200

/** The names of its fields, with their descriptions. */
const namesIn = (type: Type): string[] => {
  const names: string[] = []
  for (const part of typesWithin(type)) {
    if (names.length >= MAX_FIELDS) break
    if (part.kind === 'record') for (const { name, description = '' } of part.fields) names.push(name, description)
  }
  return names
}

// Splits `readFile2`, `read_file` and `Fs.read` into words.
const partsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)

/** Tools with these types; a missing side matches all. Certain matches come first. */
export const findByTypes = <T extends Findable>(tools: readonly T[], from: Type | undefined, to: Type | undefined): T[] => {
  const fits = tools.map((tool) => ({ tool, fit: worse(edge(from, tool.input), edge(tool.output, to)) }))
  return [...fits.filter(({ fit }) => fit === 'static'), ...fits.filter(({ fit }) => fit === 'checked')].map(({ tool }) => tool)
}

const edge = (source: Type | undefined, target: Type | undefined): Wiring => (source && target ? isWirable(source, target) : 'static')

const worse = (a: Wiring, b: Wiring): Wiring => (a === 'no' || b === 'no' ? 'no' : a === 'static' ? b : a)

/**
 * The shortest chain from one type to the other, which may be `id`; of equally short ones the first in the order of the tools. Chains whose
 * types fit for certain come before those where a type is only known at run time, whatever their length.
 */
export const findChain = <T extends Findable>(tools: readonly T[], from: Type, to: Type): FoundChain<T> | undefined =>
  shortest(tools, from, to, (wiring) => wiring === 'static') ?? shortest(tools, from, to, (wiring) => wiring !== 'no')

const shortest = <T extends Findable>(
  tools: readonly T[],
  from: Type,
  to: Type,
  fits: (wiring: Wiring) => boolean,
): FoundChain<T> | undefined => {
  if (fits(isWirable(from, to))) return []
  const waiting: { readonly type: Type; readonly chain: FoundChain<T> }[] = [{ type: from, chain: [] }]
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
