// Tests a law on tools with random inputs: both sides return the same value, or both fail.

import { type Random, randomValues } from '@plumb/lang/random'
import { canonicalJson, type Result } from '@plumb/wire'
import type { Session } from '../call/call.js'
import { perform } from '../call/perform.js'
import type { Tool } from '../call/tool.js'
import type { JsonText } from '../json-text.js'
import type { Instance, Law } from './law.js'

export interface TrialOptions {
  readonly tools: readonly Tool[]
  readonly random: Random
  readonly session: Session
}

export interface Trial {
  readonly law: Law
  /** On how many choices of tools, and how many inputs in total, the law was tested. */
  readonly instances: number
  readonly inputs: number
  readonly counterexample?: Counterexample
}

export interface Counterexample {
  /** Names of the tools, in the order of f, g, h, k. */
  readonly tools: readonly string[]
  readonly input: JsonText
  readonly left: string
  readonly right: string
}

const MOST_INSTANCES = 40
const INPUTS_EACH = 25
const UNUSUAL_EACH = 10

export const tryLaw = async (law: Law, options: TrialOptions): Promise<Trial> => {
  let instances = 0
  let inputs = 0
  for (const instance of law.instances(shuffled(options))) {
    if (instances === MOST_INSTANCES) break
    const { left, right } = instance
    if (!left.ok || !right.ok) continue
    instances++
    const seed = Math.floor(options.random() * 2 ** 31)
    for (const input of randomValues(right.value.input, { seed, count: INPUTS_EACH, edges: UNUSUAL_EACH })) {
      inputs++
      const counterexample = await compare(instance, left.value, right.value, { input, session: options.session })
      if (counterexample) return { law, instances, inputs, counterexample }
    }
  }
  return { law, instances, inputs }
}

const compare = async (
  { about, isWhereRightSucceeds = false }: Instance,
  left: Tool,
  right: Tool,
  { input, session }: { readonly input: JsonText; readonly session: Session },
): Promise<Counterexample | undefined> => {
  const { signal } = new AbortController()
  const { result: a } = await perform(left, input, { session, signal })
  const { result: b } = await perform(right, input, { session, signal })
  if (isSame(a, b) || (isWhereRightSucceeds && !b.ok)) return undefined
  return { tools: about.map(({ name }) => name), input, left: shown(a), right: shown(b) }
}

const isSame = (a: Result<JsonText>, b: Result<JsonText>): boolean =>
  a.ok ? b.ok && canonicalJson(a.value) === canonicalJson(b.value) : !b.ok

const shown = (result: Result<JsonText>): string => (result.ok ? result.value : `${result.error.error}: ${result.error.detail}`)

// Shuffled, so that of many choices not always the same are tested.
const shuffled = ({ tools, random }: TrialOptions): Tool[] => {
  const rest = [...tools]
  return tools.map(() => rest.splice(Math.floor(random() * rest.length), 1)[0] as Tool)
}
