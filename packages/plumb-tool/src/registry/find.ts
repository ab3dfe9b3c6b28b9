// Looks tools up by what they are about, and by what they take and give: a tool that fits, or the shortest chain of tools that does.

import { isWirable, type Type, typesWithin, type Wiring } from '@plumb/lang'
import { likeWords, stemOf, withoutCommon } from './find-words.js'

/** What a search looks at. */
export interface Findable {
  readonly name: string
  readonly description?: string
  readonly input: Type
  readonly output: Type
}

/** A chain as it would be written; no steps: `id`. */
export type FoundChain<T extends Findable> = readonly T[]

export const writeChain = (chain: FoundChain<Findable>): string => (chain.length === 0 ? 'id' : chain.map(({ name }) => name).join(' ; '))

/** What a tool is searched by. */
export interface Described extends Findable {
  readonly effects?: readonly string[]
}

/** Those that speak of all the words, or where none does, of most: the best first. Of each word the closest place counts. */
export const findByWords = <T extends Described>(tools: readonly T[], words: readonly string[]): T[] => {
  const wanted = withoutCommon(words.flatMap((word) => partsOf(word)).filter((word) => word !== ''))
  const whole = words.join('_').toLowerCase()
  const scored = tools.map((tool) => {
    const { name } = tool
    const places = placesOf(tool)
    const scores = wanted.map((word) => scoreOf(places, word))
    const hits = scores.filter((score) => score > 0)
    // One word that fits badly is not made good by another that fits well.
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

interface Place {
  readonly stems: ReadonlySet<string>
  readonly weight: number
}

const placesOf = ({ name, description = '', input, output, effects = [] }: Described): readonly Place[] => {
  const of = (weight: number, ...texts: readonly string[]): Place => ({ weight, stems: new Set(texts.flatMap(partsOf).map(stemOf)) })
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

/** A word of the same stem counts for all of the place, a longer one that begins so or another of that meaning for half. */
const scoreOf = (places: readonly Place[], word: string): number => {
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

/** Of its fields, with what is said of them. */
const namesIn = (type: Type): string[] => {
  const names: string[] = []
  for (const part of typesWithin(type)) {
    if (names.length >= MAX_FIELDS) break
    if (part.kind === 'record') for (const { name, description = '' } of part.fields) names.push(name, description)
  }
  return names
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
