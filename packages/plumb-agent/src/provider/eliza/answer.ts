// Chooses the reply to one clause: takes keys from the stack until one of them says something.
import type { ElizaConversation } from './conversation.js'
import { hash, lastCell } from './hash.js'
import { match } from './match.js'
import type { ElizaScript, Reassembly, ReplyTemplate, ScriptRule } from './rule.js'

/** The last of `keys` is tried first; the array is used up. */
export const answer = (clause: readonly string[], keys: string[], script: ElizaScript, conversation: ElizaConversation): string => {
  const noMatch = NO_MATCH[conversation.limit - 1] ?? ''
  const room = { words: MAX_WORDS + MAX_GROWTH * clause.length }
  let text = makeText(clause)
  for (let steps = keys.length + MAX_LINKS; steps > 0; steps--) {
    const key = keys.pop()
    const rule = key === undefined ? script.none : script.rules.get(key)
    if (!rule) return noMatch
    if (key === script.memory.keyword) remember(text.words, script, conversation, room)

    const said = react(rule, text, conversation)
    if (!said) return noMatch
    const { reassembly, bounds } = said
    if (reassembly.kind === 'newkey') continue
    if (reassembly.kind !== 'link') {
      const words = assembleWithin(room, reassembly.template, text.words, bounds)
      if (!words) return noMatch
      if (reassembly.kind === 'text') return words.join(' ')
      text = makeText(words)
    }
    keys.push(reassembly.key)
  }
  return noMatch
}

// Built into the program, not into the script; by the limit
const NO_MATCH = ['PLEASE CONTINUE', 'HMMM', 'GO ON , PLEASE', 'I SEE']

// A script can link in circles, and its (PRE ...) can double the text every time round. DOCTOR needs less than 10 links
const MAX_LINKS = 1000
const MAX_WORDS = 100_000
const MAX_GROWTH = 8

interface Text {
  readonly words: readonly string[]
  /** A rule met again on the same text decomposes it the same way, so a line of a million keywords stays linear. */
  readonly fits: Map<ScriptRule, Fit | undefined>
}

interface Fit {
  /** Of the decomposition in its rule. */
  readonly index: number
  readonly reassemblies: readonly Reassembly[]
  readonly bounds: readonly number[]
}

const makeText = (words: readonly string[]): Text => ({ words, fits: new Map() })

// Undefined when no decomposition fits and the rule has no link
const react = (
  rule: ScriptRule,
  text: Text,
  { next }: ElizaConversation,
): { reassembly: Reassembly; bounds: readonly number[] } | undefined => {
  if (!text.fits.has(rule)) text.fits.set(rule, findFit(rule, text.words))
  const fit = text.fits.get(rule)
  if (!fit) return rule.link === undefined ? undefined : { reassembly: { kind: 'link', key: rule.link }, bounds: [] }
  const places = next.get(rule.keyword) ?? rule.decompositions.map(() => 0)
  const place = places[fit.index] ?? 0
  places[fit.index] = (place + 1) % fit.reassemblies.length
  next.set(rule.keyword, places)
  const reassembly = fit.reassemblies[place]
  return reassembly && { reassembly, bounds: fit.bounds }
}

const findFit = ({ decompositions }: ScriptRule, words: readonly string[]): Fit | undefined => {
  for (const [index, { terms, reassemblies }] of decompositions.entries()) {
    const bounds = match(terms, words)
    if (bounds) return { index, reassemblies, bounds }
  }
  return undefined
}

// Every time the key is taken, not only when it ranks highest as the article says; the code hashes where the article has chance
const remember = (words: readonly string[], { memory }: ElizaScript, { memories }: ElizaConversation, room: { words: number }): void => {
  const transformation = memory.transformations[hash(lastCell(words[words.length - 1] ?? ''), 2)]
  const bounds = transformation && match(transformation.terms, words)
  const memorable = bounds && assembleWithin(room, transformation.template, words, bounds)
  if (memorable) memories.push(memorable.join(' '))
}

const assembleWithin = (
  room: { words: number },
  template: ReplyTemplate,
  words: readonly string[],
  bounds: readonly number[],
): string[] | undefined => {
  room.words -= assembledLength(template, bounds)
  return room.words < 0 ? undefined : assemble(template, words, bounds)
}

/** Bounds as `match` gives them. A number beyond the parts gives HMMM, as in the original. */
export const assemble = (template: ReplyTemplate, words: readonly string[], bounds: readonly number[]): string[] => {
  const assembled: string[] = []
  for (const piece of template) {
    if (typeof piece === 'string') assembled.push(piece)
    else {
      const start = bounds[piece - 1]
      const end = bounds[piece]
      if (start === undefined || end === undefined) return ['HMMM']
      for (let i = start; i < end; i++) assembled.push(words[i] as string)
    }
  }
  return assembled
}

/** How many words that will be, to know before they are made. */
const assembledLength = (template: ReplyTemplate, bounds: readonly number[]): number => {
  let length = 0
  for (const piece of template) length += typeof piece === 'string' ? 1 : (bounds[piece] ?? 0) - (bounds[piece - 1] ?? 0)
  return length
}
