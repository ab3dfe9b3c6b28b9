// What a comparison has to show, for a build that fails where it does not.

import type { ComparedTest, ComparedVariant, Uncompared } from '../report/compared.js'
import { signedPercent } from '../report/words.js'

export interface Gates {
  /** The interval of each difference has to be above minus this. */
  readonly noWorse: number | undefined
  /** It has to be above 0. */
  readonly isBetter: boolean
  /** What a variant may cost, as a multiple of the baseline. */
  readonly maxCostRatio: number | undefined
}

export const hasGates = ({ noWorse, isBetter, maxCostRatio }: Gates): boolean =>
  noWorse !== undefined || isBetter || maxCostRatio !== undefined

/** A line for each gate that does not hold. */
export const brokenGates = (gates: Gates, tests: readonly ComparedTest[], skipped: readonly Uncompared[]): readonly string[] => {
  if (!hasGates(gates)) return []
  const broken = tests.flatMap(({ title, variants: [baseline, ...others] }) =>
    others.flatMap((one) => whyBroken(gates, baseline as ComparedVariant, one).map((why) => `${title} with ${one.variant}: ${why}`)),
  )
  return [...broken, ...skipped.map(({ title, why }) => `${title}: it was not compared: ${why}`)]
}

const whyBroken = ({ noWorse, isBetter, maxCostRatio }: Gates, baseline: ComparedVariant, one: ComparedVariant): readonly string[] => {
  const { difference_low: low = -1, cost } = one
  const asBaseline = `as '${baseline.variant}'`
  return [
    ...(noWorse !== undefined && low <= -noWorse
      ? [`--no-worse ${noWorse} does not hold: the difference may be as low as ${signedPercent(low)}`]
      : []),
    ...(isBetter && low <= 0 ? [`--better does not hold: the difference may be as low as ${signedPercent(low)}`] : []),
    ...(maxCostRatio === undefined ? [] : whyDear(maxCostRatio, baseline, one, cost, asBaseline)),
  ]
}

const whyDear = (
  most: number,
  baseline: ComparedVariant,
  { unpriced = [] }: ComparedVariant,
  cost: number,
  asBaseline: string,
): readonly string[] => {
  const unknown = [...new Set([...(baseline.unpriced ?? []), ...unpriced])]
  if (unknown.length > 0) return [`--max-cost-ratio ${most} does not hold: no price is known of ${unknown.join(', ')}`]
  if (cost <= most * baseline.cost * (1 + 1e-9)) return []
  const times = baseline.cost === 0 ? `$${cost}, and nothing` : `${(cost / baseline.cost).toFixed(2)} times as much`
  return [`--max-cost-ratio ${most} does not hold: it costs ${times} ${asBaseline}`]
}
