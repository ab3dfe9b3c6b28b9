// The pure parts of a budget: what becomes of claims, how often may be asked, and what tokens cost.

import fc from 'fast-check'
import t from 'tap'
import { readClaim } from '../../wire/src/claim.js'
import { holds, runs } from '../../wire/test/property.js'
import { Money } from '../src/budget/money.js'
import { Pace } from '../src/budget/pace.js'
import { costOf, maxCostOf, type Price } from '../src/price/price.js'
import { openPrices } from '../src/price/prices.js'

const claim = (cost: number, agent?: { name: string; cost: number }) => ({ cost, tokens: 0, ...(agent ? { agent } : {}) })

t.test('a claim waits as long as others may give back what it needs', async (t) => {
  const money = new Money(10)
  money.ask('a', claim(6))
  money.ask('b', claim(6))
  money.ask('c', claim(4))
  t.strictSame([money.stateOf('a'), money.stateOf('b'), money.stateOf('c')], ['held', 'waiting', 'held'], 'what fits need not wait')
  money.settle('c', 4)
  t.equal(money.stateOf('b'), 'waiting', 'a may still cost nothing')
  money.settle('a', 0)
  t.equal(money.stateOf('b'), 'held')
  money.ask('d', claim(7))
  t.equal(money.stateOf('d'), 'over', 'what is paid cannot be given back')
})

t.test('an agent with a limit of its own stops alone', async (t) => {
  const money = new Money(null)
  const mine = { name: 'mine', cost: 5 }
  money.ask('a', claim(3, mine))
  money.ask('b', claim(3, mine))
  money.ask('c', claim(100))
  t.strictSame([money.stateOf('a'), money.stateOf('b'), money.stateOf('c')], ['held', 'waiting', 'held'])
  money.settle('a', 3)
  t.equal(money.stateOf('b'), 'over')
  t.equal(money.paidBy('mine'), 3)
})

t.test('what a process that has gone held is spent, and what it waited for is free', async (t) => {
  const money = new Money(10)
  money.ask('r.1 1', claim(6))
  money.ask('r.2 1', claim(6))
  money.ask('r.10 1', claim(3))
  money.abandon((id) => id.startsWith('r.1 ') || id.startsWith('r.1.'))
  t.equal(money.paid, 6)
  t.equal(money.stateOf('r.2 1'), 'over')
  t.equal(money.stateOf('r.10 1'), 'held')
})

t.test('whatever is asked and settled in whatever order, no more is held and paid than there is', async (t) => {
  const step = fc.oneof(
    fc.record({ ask: fc.nat(30), of: fc.constantFrom(undefined, 'x', 'y') }),
    fc.record({ settle: fc.nat(20), share: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ gone: fc.nat(3) }),
  )
  await holds(
    t,
    fc.property(fc.nat(100), fc.array(step, { maxLength: 60 }), (limit, steps) => {
      const money = new Money(limit)
      const asked: { id: string; cost: number }[] = []
      for (const one of steps) {
        if ('ask' in one) {
          const id = `r.${asked.length % 4} ${asked.length}`
          asked.push({ id, cost: one.ask })
          money.ask(id, claim(one.ask, one.of === undefined ? undefined : { name: one.of, cost: 25 }))
        } else if ('gone' in one) money.abandon((id) => id.startsWith(`r.${one.gone} `))
        else {
          const { id = '', cost = 0 } = asked[one.settle % Math.max(1, asked.length)] ?? {}
          money.settle(id, money.stateOf(id) === 'held' ? Math.floor((cost * one.share) / 4) : 0)
        }
        const waits = asked.some(({ id }) => money.stateOf(id) === 'waiting')
        if (money.paid + money.held > limit || money.held < 0) return false
        if (money.paidBy('x') > 25 || money.paidBy('y') > 25) return false
        // Else it would wait for ever.
        if (waits && money.held === 0) return false
      }
      return true
    }),
    { numRuns: runs(500) },
  )
})

t.test('so many requests, and tokens, in any minute', async (t) => {
  const pace = new Pace()
  const rate = { account: 'a', requests: 2, tokens: 100 }
  t.ok(pace.take('1', rate, 60, 0))
  t.notOk(pace.take('2', rate, 60, 10), 'too many tokens')
  pace.settle('1', 20)
  t.ok(pace.take('2', rate, 60, 20), 'they count as reserved, then as used')
  t.notOk(pace.take('3', rate, 1, 30), 'too many requests')
  t.ok(pace.take('4', { ...rate, account: 'b' }, 500, 30), 'one that is larger than the limit goes alone, and accounts do not share')
  t.notOk(pace.mayTake(rate, 1, 60_000))
  t.equal(pace.nextMs('a', 60_000), 61_000)
  t.ok(pace.take('5', rate, 1, 61_000))
})

t.test('what tokens cost is exact, rounded up, and dearer in a higher tier', async (t) => {
  const price: Price = { input: 2.5, output: 10, cache_read: 1.25 }
  const tokens = { input: 20, output: 100, cache_read: 0, cache_creation: 0 }
  t.equal(costOf(price, tokens), 1_050_000)
  t.equal(costOf({ input: 0.0375, output: 0 }, { ...tokens, input: 1, output: 0 }), 38, '37.5 nanodollars')
  t.equal(costOf({ input: 0.1, output: 0.2 }, { ...tokens, input: 3, output: 3 }), 900)
  t.equal(costOf(price, { ...tokens, cache_creation: 10 }), 1_075_000, 'what is written to a cache costs as input')
  t.equal(costOf(price, { ...tokens, output: Number.NaN }), costOf(price, { ...tokens, output: 10_000_000 }))
  const tiers: Price = { input: { base: 1, tiers: [{ start: 1000, price: 3 }] }, output: 1 }
  t.strictSame(
    [1000, 1001].map((input) => costOf(tiers, { ...tokens, input, output: 0 })),
    [1_000_000, 3_003_000],
  )
  t.equal(maxCostOf({ ...price, cache_creation: 5 }, { input: 10, output: 0 }), 50_000)
})

t.test('prices: those that are given, then none for what runs here, then those of the table', async (t) => {
  const prices = openPrices({ m: { input: 1, output: 2 }, 'm-large': { input: 10, output: 20 }, 'gpt-4o': { input: 7, output: 7 } })
  const input = (model: string, provider?: string) => prices.quote({ model, provider })?.price.input
  t.strictSame(
    ['m', 'm-2026', 'm-large-2026', 'mm', 'gpt-4o'].map((model) => input(model, 'openai')),
    [1, 1, 10, undefined, 7],
  )
  t.strictSame([input('doctor', 'eliza'), input('llama3.2', 'ollama'), input('grok-4', 'xai') !== undefined], [0, 0, true])
  const own = openPrices({})
  t.strictSame(own.quote({ model: 'gpt-4o', provider: 'openai' })?.price, { input: 2.5, output: 10, cache_read: 1.25 })
  t.equal(own.quote({ model: 'gpt-4o', provider: undefined })?.price.input, 2.5, 'of whom it is may be unknown')
  const kept = own.quote({ model: 'claude-sonnet-4-5-20250929', provider: 'anthropic' }, { hasHourCache: true, hasAudio: false })
  t.strictSame(kept?.price.cache_creation, { base: 6, tiers: [{ start: 200_000, price: 12 }] }, 'for an hour')
  t.equal(kept?.window, 200_000)
})

t.test('a claim from elsewhere is one, or none', async (t) => {
  t.ok(readClaim({ cost: 1, tokens: 2, agent: { name: 'a', cost: 3 }, rate: { account: 'a', requests: 1, tokens: null } }))
  for (const wrong of [null, 1, {}, { cost: -1, tokens: 0 }, { cost: 1.5, tokens: 0 }, { cost: 1, tokens: 0, agent: 'a' }])
    t.equal(readClaim(wrong), undefined)
  t.equal(readClaim({ cost: 1, tokens: 0, rate: { account: 'a', requests: -1, tokens: null } }), undefined)
})
