// long
// Laws of running, on random programs: whatever the order in which messages come, an acyclic program gives the same multiset, and a program
// whose loops strictly decrease ends. Each program is wired up in this process and fed under many random schedules.

import fc from 'fast-check'
import t from 'tap'
import { runWired } from './run-wired.js'

/** What a process makes of one message. */
type Step = (value: number) => number[]

interface Kind {
  readonly source: string
  readonly step: Step
}

const small = fc.integer({ min: 1, max: 9 })

const kind: fc.Arbitrary<Kind> = fc.oneof(
  fc.constant({ source: 'id', step: (v: number) => [v] }),
  small.map((k) => ({ source: `map(value + ${k})`, step: (v: number) => [v + k] })),
  small.map((k) => ({ source: `map(value * ${k} % 97)`, step: (v: number) => [(v * k) % 97] })),
  small.map((k) => ({ source: `filter(value % ${k + 1} = 0)`, step: (v: number) => (v % (k + 1) === 0 ? [v] : []) })),
  fc.constant({ source: 'copy ; merge', step: (v: number) => [v, v] }),
  small.map((k) => ({
    source: `(id * map(value + ${k}) * filter(value > ${k})) ; merge`,
    step: (v: number) => (v > k ? [v, v + k, v] : [v, v + k]),
  })),
  small.map((k) => ({ source: `map({ n: value, k: ${k} }) ; filter(n != k).n`, step: (v: number) => (v === k ? [] : [v]) })),
)

/** Strictly decreases, and stops below 1. */
const decreasing: fc.Arbitrary<Kind> = fc.oneof(
  small.map((k) => ({ source: `filter(value > 0) ; map(value - ${k})`, step: (v: number) => (v > 0 ? [v - k] : []) })),
  fc.constant({ source: 'filter(value > 0) ; map(floor(value / 2))', step: (v: number) => (v > 0 ? [Math.floor(v / 2)] : []) }),
)

interface RandomProgram {
  readonly text: string
  /** What comes out for one message at a port; undefined where so much goes round that it would take for ever. */
  readonly outputs: (port: number, value: number) => number[] | undefined
}

const PORTS = ['left', 'right'] as const
/** Two loops in a ring make twice as many messages of each, at each step down. */
const MAX_ARRIVALS = 2000

/** `processes[i]` is fed by ports and earlier processes; the loops also by themselves, and in a ring by each other. */
const program = (withLoops: boolean): fc.Arbitrary<RandomProgram> =>
  fc
    .record({
      kinds: fc.array(kind, { minLength: 1, maxLength: 6 }),
      loops: withLoops ? fc.array(decreasing, { minLength: 1, maxLength: 3 }) : fc.constant([]),
      seeds: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      isRing: fc.boolean(),
    })
    .map(({ kinds, loops, seeds, isRing }) => {
      const steps = [...kinds, ...loops]
      const name = (i: number) => (i < PORTS.length ? PORTS[i] : `p${i - PORTS.length}`)
      const edges = new Set<string>()
      let at = 0
      const pick = (below: number) => (seeds[at++ % seeds.length] as number) % below
      for (const i of steps.keys()) {
        const sources = 1 + pick(2)
        for (let s = 0; s < sources; s++) edges.add(`${pick(i + PORTS.length)}>${i + PORTS.length}`)
        if (i < kinds.length) continue
        edges.add(`${i + PORTS.length}>${i + PORTS.length}`)
        const next = i + 1 < steps.length ? i + 1 : kinds.length
        if (isRing) edges.add(`${i + PORTS.length}>${next + PORTS.length}`)
      }
      const leaving = new Set(steps.map((_, i) => i).filter((i) => i === steps.length - 1 || pick(2) === 0))
      const bindings = steps.map(({ source }, i) => `let p${i} : !int -> !int = ${source}`)
      const wires = [...edges].map((e) =>
        e
          .split('>')
          .map((n) => name(Number(n)))
          .join(' ; '),
      )
      const ends = [...leaving].map((i) => `p${i} ; output`)
      const body = [...wires, ...ends].map((line) => `  ${line}`).join('\n')
      const text = `${bindings.join('\n')}\nlet main : (!int, !int) -> !int = plumb(left, right, output) {\n${body}\n}\n`
      const outputs = (port: number, value: number): number[] | undefined => {
        const found: number[] = []
        let arrivals = 0
        const arrive = (node: number, v: number) => {
          if (++arrivals > MAX_ARRIVALS) return
          const step = steps[node - PORTS.length]
          for (const out of step ? step.step(v) : [v]) {
            if (leaving.has(node - PORTS.length)) found.push(out)
            for (const edge of edges) if (edge.startsWith(`${node}>`)) arrive(Number(edge.split('>')[1]), out)
          }
        }
        arrive(port, value)
        return arrivals > MAX_ARRIVALS ? undefined : found
      }
      return { text, outputs }
    })

type Message = readonly [port: number, value: number]

/** The lines that come out; `pieces` are the lengths of the pieces in which the input comes. */
const run = async (text: string, messages: readonly Message[], pieces: readonly number[]): Promise<number[]> => {
  const input = Buffer.from(messages.map(([port, msg]) => `${JSON.stringify({ __port: PORTS[port], msg })}\n`).join(''))
  const { out, faults } = await runWired({ text, input, pieces })
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return out.split('\n').filter(Boolean).map(Number)
}

const inOrder = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)

const messages = fc.array(fc.tuple(fc.nat({ max: 1 }), fc.integer({ min: 0, max: 30 })), { maxLength: 12 })
const SCHEDULES = 20

/** Each program is run under so many orders of its messages, in pieces of so many lengths. */
const holds = (programs: fc.Arbitrary<RandomProgram>, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(programs, messages, fc.infiniteStream(fc.nat()), async ({ text, outputs }, sent, random) => {
      const expected = inOrder(
        sent.flatMap(([port, value]) => {
          const found = outputs(port, value)
          fc.pre(found !== undefined)
          return found
        }),
      )
      const nat = () => random.next().value as number
      for (let i = 0; i < SCHEDULES; i++) {
        const shuffled = sent.map((message) => ({ message, key: nat() })).sort((a, b) => a.key - b.key)
        const pieces = Array.from({ length: 5 }, () => 1 + (nat() % 60))
        const got = inOrder(
          await run(
            text,
            shuffled.map(({ message }) => message),
            pieces,
          ),
        )
        if (JSON.stringify(got) !== JSON.stringify(expected))
          throw new Error(`${text}\n${JSON.stringify(sent)}: ${got} instead of ${expected}`)
      }
    }),
    { numRuns },
  )

t.test('fault 65: an acyclic program gives the same multiset under 1,000 schedules', async (t) => {
  await t.resolves(holds(program(false), 1000 / SCHEDULES))
})

t.test('faults 59, 65: a program whose loops strictly decrease ends, and gives what it should', async (t) => {
  await t.resolves(holds(program(true), 500 / SCHEDULES))
})
