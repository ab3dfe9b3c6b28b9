// The statistics of comparisons, each beside a slow reference, and by simulation against what is known to be so.

import { randomOf } from '@plumb/lang/random'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { differencesOf, verdictOf } from '../src/compare/verdict.js'
import { shareInterval } from '../src/report/interval.js'
import { krippendorffAlpha } from '../src/statistics/agreement.js'
import { AnytimeMean } from '../src/statistics/anytime.js'
import { holm } from '../src/statistics/holm.js'
import { mcnemarP } from '../src/statistics/mcnemar.js'
import { bootstrapInterval, signFlipP } from '../src/statistics/resample.js'

const near = (a: number, b: number, by: number): boolean => Math.abs(a - b) <= by

t.test('the interval of a share: the shares from which it is no more than 1.96 standard deviations away', async (t) => {
  const isInside = (share: number, passed: number, rows: number): boolean =>
    Math.abs(passed / rows - share) <= 1.959963984540054 * Math.sqrt((share * (1 - share)) / rows) + 1e-12
  for (const [passed, rows] of [
    [0, 3],
    [1, 3],
    [9, 10],
    [50, 100],
    [200, 200],
  ] as const) {
    const { low, high } = shareInterval(passed, rows)
    const inside = Array.from({ length: 10_001 }, (_, i) => i / 10_000).filter((share) => isInside(share, passed, rows))
    t.ok(near(low, inside[0] as number, 2e-4) && near(high, inside.at(-1) as number, 2e-4), `${passed} of ${rows}`)
  }
  t.strictSame(shareInterval(0, 0), { low: 0, high: 1 })
})

t.test("McNemar's p: the sum of binomial coefficients, as whole numbers", async (t) => {
  const reference = (one: number, other: number): number => {
    const n = one + other
    let [coefficient, sum] = [1n, 0n]
    for (let k = 0; k <= Math.min(one, other); k++) {
      sum += coefficient
      coefficient = (coefficient * BigInt(n - k)) / BigInt(k + 1)
    }
    return Math.min(1, Number((2n * sum * 10n ** 18n) / 2n ** BigInt(n)) / 1e18)
  }
  for (const [one, other] of [
    [0, 0],
    [1, 0],
    [5, 5],
    [3, 9],
    [10, 1],
    [40, 70],
    [300, 380],
  ] as const)
    t.ok(near(mcnemarP(one, other), reference(one, other), 1e-12), `${one} and ${other}`)
  t.equal(mcnemarP(0, 0), 1)
  t.ok(mcnemarP(0, 5000) >= 0, 'no overflow')
})

t.test('the bootstrap: percentiles of the means of all resamples', async (t) => {
  const values = [-1, 0, 0, 1, 0.5]
  const means: number[] = []
  const all = (rest: number, sum: number): void => {
    if (rest === 0) means.push(sum / values.length)
    else for (const value of values) all(rest - 1, sum + value)
  }
  all(values.length, 0)
  means.sort((a, b) => a - b)
  const { low, high } = bootstrapInterval(values, 7)
  t.ok(
    near(low, means[Math.round(0.025 * means.length)] as number, 0.11) &&
      near(high, means[Math.round(0.975 * means.length)] as number, 0.11),
  )
  t.strictSame(bootstrapInterval(values, 7), { low, high }, 'the same seed, the same interval')
  t.strictSame(bootstrapInterval([0.5, 0.5], 1), { low: 0.5, high: 0.5 })
  t.strictSame(bootstrapInterval([], 1), { low: -1, high: 1 })
})

t.test('flipped signs: all of them', async (t) => {
  for (const values of [
    [1, 1, 1, 1, 1, -1],
    [0.5, 0.25, -0.25, 1, 0, 0.75, 1],
    [1, -1],
  ]) {
    const moved = values.filter((value) => value !== 0)
    const sumOf = (signs: number) => Math.abs(moved.reduce((sum, value, i) => sum + ((signs >> i) & 1 ? value : -value), 0))
    const sums = Array.from({ length: 2 ** moved.length }, (_, signs) => sumOf(signs))
    const observed = sumOf(2 ** moved.length - 1)
    const exact = sums.filter((sum) => sum >= observed - 1e-9).length / sums.length
    t.ok(near(signFlipP(values, 3), exact, 0.02), JSON.stringify(values))
  }
  t.equal(signFlipP([0, 0], 1), 1)
})

t.test('Holm: what is rejected one after the other, at each level', async (t) => {
  const random = randomOf(5)
  for (let i = 0; i < 50; i++) {
    const ps = Array.from({ length: 1 + Math.floor(random() * 5) }, () => random() ** 3)
    const adjusted = holm(ps)
    for (const level of [0.01, 0.05, 0.3]) {
      const sorted = [...ps].sort((a, b) => a - b)
      const stop = sorted.findIndex((p, rank) => p > level / (ps.length - rank))
      const rejected = sorted.slice(0, stop < 0 ? ps.length : stop)
      t.strictSame(adjusted.filter((p) => p <= level).length, rejected.length)
    }
  }
  t.strictSame(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
})

t.test("Krippendorff's alpha: his example, and the pairs one by one", async (t) => {
  const [A, B, C, D] = [
    '123321412...',
    '12332241 25.3'.replace(' ', ''),
    '.33323422 51.'.replace(' ', ''),
    '12332441 251.'.replace(' ', ''),
  ] as const
  const units = [...(A as string)].map((_, i) => [A, B, C, D].flatMap((one) => (one?.[i] === '.' ? [] : [Number(one?.[i])])))
  t.ok(near(krippendorffAlpha(units) as number, 0.849, 5e-4))
  const random = randomOf(9)
  const rows = Array.from({ length: 30 }, () => Array.from({ length: 2 + Math.floor(random() * 2) }, random))
  const all = rows.flat()
  const pairs = (values: readonly number[]) => values.flatMap((a, i) => values.flatMap((b, j) => (i === j ? [] : [(a - b) ** 2])))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const observed = sum(rows.map((row) => sum(pairs(row)) / (row.length - 1))) / all.length
  const expected = sum(pairs(all)) / (all.length * (all.length - 1))
  t.ok(near(krippendorffAlpha(rows) as number, 1 - observed / expected, 1e-9))
  t.equal(
    krippendorffAlpha([
      [1, 1],
      [1, 1],
    ]),
    undefined,
  )
  t.equal(krippendorffAlpha([[1], []]), undefined)
})

t.test('the bound at any number of rows: the stakes of the paper, mean by mean', async (t) => {
  const random = randomOf(11)
  const differences = Array.from({ length: 120 }, () => Math.sign(random() - 0.35) * (random() < 0.4 ? 1 : 0))
  const alpha = 0.05
  const xs = differences.map((difference) => (difference + 1) / 2)
  const bets = xs.map((_, i) => {
    let [sum, spread] = [0.5, 0.25]
    for (const [j, x] of xs.slice(0, i).entries()) {
      sum += x
      spread += (x - sum / (j + 2)) ** 2
    }
    return Math.sqrt((2 * Math.log(2 / alpha)) / ((spread / (i + 1)) * (i + 1) * Math.log(i + 2)))
  })
  const most = (m: number): number => {
    let [more, less, highest] = [1, 1, 0]
    for (const [i, x] of xs.entries()) {
      more *= 1 + Math.min(bets[i] as number, 0.5 / m) * (x - m)
      less *= 1 - Math.min(bets[i] as number, 0.5 / (1 - m)) * (x - m)
      highest = Math.max(highest, more / 2, less / 2)
    }
    return highest
  }
  const mean = new AnytimeMean(alpha)
  for (const difference of differences) mean.add(difference)
  t.ok(near(mean.p, Math.min(1, 1 / most(0.5)), 1e-9))
  const left = Array.from({ length: 2001 }, (_, i) => i / 2000).filter((m) => most(m) < 1 / alpha)
  t.ok(near(mean.interval.low, 2 * (left[0] as number) - 1, 0.002) && near(mean.interval.high, 2 * (left.at(-1) as number) - 1, 0.002))
})

/** Rows of two variants: a part of both is decided by the row alone. */
const simulate = (rows: number, [one, other, common]: readonly [number, number, number], random: () => number) =>
  Array.from({ length: rows }, (): readonly [number, number] => {
    const shared = random()
    const isShared = random() < common
    return [Number((isShared ? shared : random()) < one), Number((isShared ? shared : random()) < other)]
  })

/** Comparisons of each kind. */
const COUNT = runs(600)

/** As many as have a chance of less than one in a thousand, where each has this one. */
const tooMany = (chance: number): number => COUNT * chance + 3.3 * Math.sqrt(COUNT * chance * (1 - chance)) + 1

t.test('of comparisons without a difference few see one; a worse variant is seen as often as theory says', async (t) => {
  const random = randomOf(2026)
  let [falseAlarms, ofScores, early] = [0, 0, 0]
  for (let i = 0; i < COUNT; i++) {
    const pairs = simulate(60, [0.8, 0.8, 0.5], random)
    const { p, difference } = differencesOf(pairs, { isYesNo: true, seed: i })
    if (verdictOf(difference, p) !== 'no difference') falseAlarms++
    const scores = pairs.map(([a, b]) => [(a + random()) / 2, (b + random()) / 2] as const)
    const scored = differencesOf(scores, { isYesNo: false, seed: i })
    if (verdictOf(scored.difference, scored.p) !== 'no difference') ofScores++
    const anytime = new AnytimeMean(0.05)
    let isEarly = false
    for (const [a, b] of pairs) {
      anytime.add(b - a)
      isEarly ||= anytime.p < 0.05
    }
    if (isEarly) early++
  }
  t.comment(`of ${COUNT} without a difference: ${falseAlarms} by McNemar, ${ofScores} by flips of scores, ${early} at any number of rows`)
  t.ok(falseAlarms < tooMany(0.05), `${falseAlarms} false alarms`)
  t.ok(ofScores < tooMany(0.05), `${ofScores} of scores`)
  t.ok(early < tooMany(0.05), `${early} at any number of rows`)
})

t.test('a worse variant is seen as often as theory says, and more often by rows than by other rows at the same cost', async (t) => {
  const random = randomOf(2027)
  const [rows, one, other, common] = [120, 0.8, 0.7, 0.5] as const
  let [paired, unpaired, anytimeSeen, asked] = [0, 0, 0, 0]
  for (let i = 0; i < COUNT; i++) {
    const pairs = simulate(rows, [one, other, common], random)
    const { p, difference } = differencesOf(pairs, { isYesNo: true, seed: i })
    if (verdictOf(difference, p) === 'worse') paired++
    const others = simulate(rows, [one, other, 0], random)
    if (isWorseUnpaired(others)) unpaired++
    const anytime = new AnytimeMean(0.05)
    let n = 0
    for (const [a, b] of simulate(1000, [one, other, common], random)) {
      anytime.add(b - a)
      n++
      if (anytime.p < 0.05) break
    }
    if (anytime.p < 0.05) anytimeSeen++
    asked += n
  }
  const theory = powerOfMcNemar(rows, discordance([one, other, common]))
  t.comment(
    `of ${COUNT} with ${one} and ${other}, ${rows} rows: ${paired} seen by rows (theory ${(theory * COUNT).toFixed(0)}), ${unpaired} by other rows; at any number of at most 1000 rows ${anytimeSeen}, after ${(asked / COUNT).toFixed(0)} on average`,
  )
  t.ok(Math.abs(paired - theory * COUNT) < 3.3 * Math.sqrt(COUNT * theory * (1 - theory)) + 1, `${paired} of ${COUNT}, theory ${theory}`)
  t.ok(paired > unpaired, `${paired} by rows, ${unpaired} without`)
})

/** The shares of rows that only the one holds, and only the other. */
const discordance = ([one, other, common]: readonly [number, number, number]): readonly [number, number] => {
  const apart = (a: number, b: number) => common * Math.max(0, a - b) + (1 - common) * a * (1 - b)
  return [apart(one, other), apart(other, one)]
}

/** How often McNemar's exact test says worse, over all numbers of rows that part. */
const powerOfMcNemar = (rows: number, [lost, won]: readonly [number, number]): number => {
  const logs = [0]
  for (let n = 1; n <= rows; n++) logs.push((logs[n - 1] as number) + Math.log(n))
  const chance = (n: number, k: number, p: number) =>
    Math.exp((logs[n] as number) - (logs[k] as number) - (logs[n - k] as number) + k * Math.log(p) + (n - k) * Math.log(1 - p))
  let power = 0
  for (let n = 1; n <= rows; n++)
    for (let k = Math.ceil(n / 2); k <= n; k++)
      if (k > n - k && mcnemarP(k, n - k) < 0.05) power += chance(rows, n, lost + won) * chance(n, k, lost / (lost + won))
  return power
}

/** Two shares of other rows each, by the normal approximation. */
const isWorseUnpaired = (pairs: readonly (readonly [number, number])[]): boolean => {
  const n = pairs.length
  const [a, b] = [0, 1].map((side) => pairs.reduce((sum, pair) => sum + (pair[side] as number), 0) / n) as [number, number]
  const both = (a + b) / 2
  return (b - a) / Math.sqrt((2 * both * (1 - both)) / n) < -1.959963984540054
}
