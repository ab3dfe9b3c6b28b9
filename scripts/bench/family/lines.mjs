// Lines: usual work on a log, against cat, jq, jaq and a program written by hand.

import { EVENT, eventLines, writeEvents } from '../events.mjs'
import { outputOf, timePipe } from '../measure.mjs'

const ORDER = 'type Order = { id: int, name: string, items: [{ id: string, v: number, ok: bool }] }'

const SPECS = {
  id: `${EVENT}
let main : !Event -> !Event = id`,
  filter: `${EVENT}
let main : !Event -> !Event = filter(kind = "order" and amount > 500)`,
  map: `${EVENT}
let main : !Event -> !{ seq: int, user: string, total: number } = map({ seq, user, total: amount * 1.25 })`,
  stages: `${EVENT}
let main : !Event -> !{ seq: int, user: string, half: number } =
  map({ seq, user, kind, total: amount * 1.25 }) ; filter(kind = "order" and total > 500) ; map({ seq, user, half: total / 2 })`,
  ids: `${EVENT}
let main : !Event -> !Event = id ; id ; id`,
  copies: `${EVENT}
let main : !Event -> !Event = plumb(input, output) { input ; (id * id * id * id) ; output }`,
  quarters: `${EVENT}
let main : !Event -> !Event = plumb(input, output) {
  input ; (filter(seq % 4 = 0) * filter(seq % 4 = 1) * filter(seq % 4 = 2) * filter(seq % 4 = 3)) ; output
}`,
  barrier: `${EVENT}
let main : !Event -> !(Event, number) = plumb(input, output) { input ; (id * map(amount * 1.25)) ; barrier ; output }`,
  sum: `${ORDER}
let main : !Order -> !{ n: number } = map({ n: sum([x.v for x in items if x.v > 0]) })`,
  sift: `${ORDER}
let main : !Order -> !json = map({ id, items: [{ id: x.id, v: x.v } for x in items if x.ok] })`,
  top: `${ORDER}
let main : !Order -> !json = map({ best: sort(items, x -> -x.v)[:3] })`,
  letter: `${ORDER}
let main : !Order -> !string = map($"Order {id} of {name}: {length(items)} items")`,
  call: `${ORDER}
let taxed : number -> number = map(value * 1.2)
let main : !Order -> !{ id: int, total: number } = map({ id, total: sum([taxed(x.v) for x in items]) })`,
  each: `${ORDER}
let main : !Order -> ![{ id: string, v: number }] = map(items) ; each(map({ id, v: v * 2 }))`,
  stage: `type Item = { id: string, v: number, ok: bool }
let main : !Item -> !{ id: string, v: number } = map({ id, v: v * 2 })`,
  cycle: `type Count = { n: int, steps: int }
let step : !Count -> !Count = map({ n: n + 1, steps: steps + 1 })
let main : !Count -> !Count = plumb(input, output) {
  input ; step
  step ; filter(n < 8) ; step
  step ; filter(n >= 8) ; output
}`,
}
/** The same in the language of jq, which jaq speaks too. */
const JQ = {
  id: '.',
  filter: 'select(.kind == "order" and .amount > 500)',
  map: '{seq, user, total: (.amount * 1.25)}',
  stages: '{seq, user, kind, total: (.amount * 1.25)} | select(.kind == "order" and .total > 500) | {seq, user, half: (.total / 2)}',
  barrier: '[., .amount * 1.25]',
  sum: '{n: ([.items[].v | select(. > 0)] | add // 0)}',
  sift: '{id, items: [.items[] | select(.ok) | {id, v}]}',
  top: '{best: (.items | sort_by(-.v) | .[:3])}',
  letter: '"Order \\(.id) of \\(.name): \\(.items | length) items"',
  call: 'def taxed: . * 1.2; {id, total: ([.items[].v | taxed] | add // 0)}',
  each: '[.items[] | {id, v: (.v * 2)}]',
  cycle: 'def turn: {n: (.n + 1), steps: (.steps + 1)} | if .n < 8 then turn else . end; turn',
}
const BY_HAND = 'node, by hand'

// Counts from 0 to 7 go round until they are 8: four and a half times on average.
const counts = (n) => Array.from({ length: n }, (_, i) => `{"n":${i % 8},"steps":${i}}\n`).join('')

// Ten items each, values of two digits behind the point, a third of them below 0.
const orders = (n) => {
  let state = 1
  const roll = (below) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
  const item = (_, k) => ({ id: `item${k}`, v: (roll(10_000) - 3000) / 100, ok: roll(2) === 0 })
  return Array.from(
    { length: n },
    (_, i) => `${JSON.stringify({ id: i, name: `order ${i}`, items: Array.from({ length: 10 }, item) })}\n`,
  ).join('')
}

/** Each item of the lists on a line of its own. */
const itemsOf = (text) =>
  text
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line).items.map((item) => `${JSON.stringify(item)}\n`))
    .join('')

export const lines = ({ directory, isQuick, lines: wanted, writeFixture, jq, jaq, peer, once }) => {
  const n = wanted ?? (isQuick ? 100_000 : 500_000)
  const events = { data: `${directory}/events.jsonl`, sample: eventLines(1000) }
  const turns = { data: writeFixture('counts.jsonl', counts(n / 5)), sample: counts(1000) }
  const lists = { data: writeFixture('orders.jsonl', orders(n / 5)), sample: orders(1000) }
  const items = { data: writeFixture('items.jsonl', itemsOf(orders(n / 5))), sample: itemsOf(orders(1000)) }
  const onLists = ['sum', 'sift', 'top', 'letter', 'call', 'each']
  const dataOf = (job) => (job === 'cycle' ? turns : job === 'stage' ? items : onLists.includes(job) ? lists : events)
  let megabytes = 0

  const program = (key, command, env, { data, sample } = events) =>
    once(`lines: ${key}`, () => ({
      measure: () => timePipe(command, { env, data }),
      answer: () => outputOf(command, { env, input: sample }),
    }))
  const plumb = (job, checkout) => {
    const spec = writeFixture(`lines-${job}.plumb`, SPECS[job])
    return program(`${checkout.label} ${job}`, [checkout.bin('plumb'), spec], checkout.env, dataOf(job))
  }
  const byHand = (job, checkout, key = job) =>
    program(`by hand ${key}`, [process.execPath, peer('lines.cjs'), job], checkout.env, dataOf(job))
  const cat = (checkout) => program('cat', ['cat'], checkout.env)
  const filter = (name, job, checkout) => program(`${name} ${job}`, [name, '-c', JQ[job]], checkout.env, dataOf(job))

  const job = (name, { title = name, about, goals = [], overJq, overJaq, peers = () => ({}), yardsticks }) => ({
    name: title,
    about,
    ours: (checkout) => plumb(name, checkout),
    peers: (checkout) => ({
      ...(jq && JQ[name] ? { [jq]: filter('jq', name, checkout) } : {}),
      ...(jaq && JQ[name] ? { [jaq]: filter('jaq', name, checkout) } : {}),
      [BY_HAND]: byHand(name, checkout),
      ...peers(checkout),
    }),
    yardsticks,
    goals: [...(jq && overJq ? [{ to: jq, atLeast: overJq }] : []), ...(jaq && overJaq ? [{ to: jaq, atLeast: overJaq }] : []), ...goals],
    megabytes: dataOf(name) === events ? () => megabytes : undefined,
  })
  const one = (checkout) => ({ 'plumb, id': plumb('id', checkout) })

  return {
    name: 'lines',
    about: `${n} events through a pipe and into another, from the start of the program to its end; in the cycle ${n / 5} numbers, which go round until they are 8; lists and templates over ${n / 5} orders.`,
    unit: 'ms',
    rounds: isQuick ? 3 : 7,
    prepare: () => {
      megabytes = writeEvents(events.data, n) / 1e6
    },
    cases: [
      {
        name: 'noise',
        title: BY_HAND,
        isNull: true,
        ours: (checkout) => byHand('id', checkout),
        peers: (checkout) => ({ 'the same again': byHand('id', checkout, 'id again') }),
      },
      job('id', { overJq: 6, overJaq: 6, goals: [{ to: BY_HAND, atMost: 1.3 }], peers: (checkout) => ({ cat: cat(checkout) }) }),
      job('filter', { overJq: 5, overJaq: 5, goals: [{ to: BY_HAND, atMost: 1.3 }] }),
      job('map', { overJq: 3.5, overJaq: 4, goals: [{ to: BY_HAND, atMost: 1.3 }] }),
      job('stages', {
        title: 'three stages',
        about: 'map ; filter ; map',
        goals: [
          { to: 'plumb, id', atMost: 1.5 },
          { to: 'plumb, map', atMost: 1.5 },
        ],
        yardsticks: (checkout) => ({ ...one(checkout), 'plumb, map': plumb('map', checkout) }),
      }),
      job('ids', { title: 'three ids', about: 'id ; id ; id', goals: [{ to: 'plumb, id', atMost: 1.5 }], yardsticks: one }),
      job('copies', {
        title: 'fan-out to 4, all kept',
        about: '(id * id * id * id) ; merge: each event comes out four times before the next, by hand too',
        goals: [{ to: BY_HAND, atMost: 1.3 }],
        yardsticks: one,
      }),
      job('quarters', {
        title: 'fan-out to 4, a quarter each',
        about: 'each event comes out of one of four filters',
        goals: [{ to: BY_HAND, atMost: 1.3 }],
        yardsticks: one,
      }),
      job('barrier', { title: 'barrier of 2', about: '(id * map) ; barrier', yardsticks: one }),
      job('sum', {
        title: 'sum of a list',
        about: 'sum([x.v for x in items if x.v > 0]), of ten items',
        overJq: 3,
        overJaq: 1.5,
        goals: [{ to: BY_HAND, atMost: 1.3 }],
      }),
      job('sift', {
        title: 'list sifted',
        about: '[{ id: x.id, v: x.v } for x in items if x.ok]',
        overJaq: 2,
        goals: [{ to: BY_HAND, atMost: 1.3 }],
      }),
      job('top', {
        title: 'list sorted',
        about: 'sort(items, x -> -x.v)[:3]',
        overJaq: 1.2,
        goals: [{ to: BY_HAND, atMost: 1.3 }],
      }),
      job('letter', {
        title: 'template',
        about: '$"Order {id} of {name}: {length(items)} items"',
        overJaq: 1.2,
        goals: [{ to: BY_HAND, atMost: 1.3 }],
      }),
      job('call', {
        title: 'calls of a binding',
        about: 'sum([taxed(x.v) for x in items])',
        overJaq: 1.2,
        goals: [{ to: BY_HAND, atMost: 1.3 }],
      }),
      job('each', {
        about: 'each(map({ id, v: v * 2 })) on lists of ten; its stage alone on as many items, each on a line',
        overJaq: 1.5,
        goals: [{ to: 'plumb, its stage alone', atMost: 2 }],
        yardsticks: (checkout) => ({ 'plumb, its stage alone': plumb('stage', checkout) }),
      }),
      job('cycle', { about: 'step ; filter ; step' }),
    ],
  }
}
