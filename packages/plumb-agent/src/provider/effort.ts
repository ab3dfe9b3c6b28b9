// Levels of reasoning effort, and the nearest one if a model lacks the requested one.

/** From the least to the most, as some model takes them. */
const LEVELS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export type EffortLevel = (typeof LEVELS)[number]

/** The configurable ones (plumb-agent(1), Configuration). */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

export const isEffort = (value: unknown): value is Effort => (EFFORTS as readonly unknown[]).includes(value)

/**
 * The nearest of `levels`. Undefined if there is none. Reasoning is not switched off unless that was requested; of two equally near ones
 * the lower.
 */
export const nearestEffort = (wanted: Effort, levels: readonly EffortLevel[]): EffortLevel | undefined => {
  if (levels.includes(wanted)) return wanted
  const place = LEVELS.indexOf(wanted)
  const distance = (level: EffortLevel) => Math.abs(LEVELS.indexOf(level) - place)
  const others = LEVELS.filter((level) => level !== 'none' && levels.includes(level))
  return others.reduce<EffortLevel | undefined>((best, level) => (best && distance(best) <= distance(level) ? best : level), undefined)
}

/** The levels that a refusal lists in quotes; empty: it lists none. */
export const effortsIn = (words: string, refused: EffortLevel): readonly EffortLevel[] => {
  const quoted = new Set([...words.matchAll(/['"`]([a-z]+)['"`]/g)].map(([, word]) => word))
  return LEVELS.filter((level) => level !== refused && quoted.has(level))
}
