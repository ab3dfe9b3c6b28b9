// long
// Loops: they end when they are quiet, neither before nor never, and what cannot end can be ended.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { holds } from '../../wire/test/property.js'
import { makeShell } from './shell.js'

const BODY = 'let main : !int -> !int = plumb(input, output)'
const binding = (name: string, impl: string) => `let ${name} : !int -> !int = ${impl}\n`
const loop = (step: string) => `${step}${BODY} {\n input ; step\n step ; filter(value > 0) ; step\n step ; filter(value <= 0) ; output\n}\n`
const { shell, table, fixtures } = makeShell({
  'own.plumb': loop(binding('step', 'map(value - 1)')),
  'dec.sh': '#!/bin/bash\nwhile read -r x; do echo $((x - 1)); done\n',
  'program.plumb': loop(binding('step', 'agent { command: ["./dec.sh"] }')),
  'nested.plumb': loop(binding('step', 'plumb(from, to) { from ; filter(value != 3) ; map(value - 2) ; to }')),
  'failing.plumb': `type N = { n: int, d: int }\nlet step : !N -> !N = map({ n: n - 1, d: n % d })\n${BODY.replaceAll('int', 'N')} {\n input ; step\n step ; filter(n > 0) ; step\n step ; filter(n <= 0) ; output\n}\n`,
  'two.plumb': `${binding('a', 'map(value - 1)')}${binding('b', 'agent { command: ["./dec.sh"] }')}${BODY} {\n input ; a\n a ; filter(value > 50) ; a\n a ; filter(value > 0 and value <= 50) ; b\n b ; filter(value > 10) ; a\n b ; filter(value > 0 and value <= 10) ; b\n b ; filter(value <= 0) ; output\n}\n`,
  'after.plumb': `${binding('a', 'agent { command: ["./dec.sh"] }')}${binding('b', 'map(value - 1)')}${BODY} {\n input ; a\n a ; filter(value > 10) ; a\n a ; filter(value <= 10) ; b\n b ; filter(value > 0) ; b\n b ; filter(value <= 0) ; output\n}\n`,
  'grow.plumb': `${binding('grow', 'map(value + 1)')}${BODY} {\n input ; grow\n grow ; id ; grow\n grow ; map(value + 2) ; grow\n grow ; filter(value < 0) ; output\n}\n`,
  'forever.plumb': loop(binding('step', 'map(if value > 0 then value else 1)')),
  'endless.plumb': `${binding('step', 'map(value + 1)')}${BODY} {\n input ; step ; step\n step ; output\n}\n`,
  'doctor.plumb':
    'let doc : !string -> !string = agent { provider: "eliza", model: "doctor" }\nlet main : !string -> !string = plumb(input, output) {\n input ; doc\n doc ; filter(length(value) < 18) ; doc\n doc ; filter(length(value) >= 18) ; output\n}\n',
  'control.plumb':
    'let doc : (!string, !json) -> !string = agent { provider: "eliza", model: "doctor" }\nlet main : !string -> (!string, !json) = plumb(input, output, replies) {\n input ; doc@input\n doc@output ; output\n doc@ctrl_out ; replies\n doc@output ; filter(contains(value, "WAY")) ; map({ get_memory: true }) ; doc@ctrl_in\n}\n',
  'long.plumb': `${Array.from({ length: 2000 }, (_, i) => binding(`m${i}`, 'map(value - 1)')).join('')}${BODY} {\n input ; m0\n${Array.from({ length: 1999 }, (_, i) => ` m${i} ; m${i + 1}\n`).join('')} m1999 ; filter(value > 0) ; m0\n m1999 ; filter(value <= 0) ; output\n}\n`,
  'chain.plumb': `${BODY} {\n input\n${' ; map(value + 1)\n'.repeat(3000)} ; output\n}\n`,
})

const count = 'sort | uniq -c | tr -s " "'

table('faults 58, 59: loops', {
  'in this process': { run: `seq 300 | plumb own.plumb | ${count}`, out: ' 300 0\n' },
  'with room for a single message': { run: `seq 300 | plumb --max-in-flight 1 own.plumb | ${count}`, out: ' 300 0\n' },
  'through a program that answers': { run: `seq 40 | plumb program.plumb | ${count}`, out: ' 40 0\n' },
  'through a plumb that does not answer each': { run: `seq 20 | plumb nested.plumb | ${count}`, out: ' 1 -1\n 10 0\n' },
  'one within the other': { run: `seq 2 60 | plumb two.plumb | ${count}`, out: ' 59 0\n' },
  'one after the other': { run: `seq 12 | plumb after.plumb | ${count}`, out: ' 1 -1\n 11 0\n' },
  'errors have the seq of the input': {
    run: 'failing',
    in: '{"n":3,"d":5}\n\n{"n":4,"d":2}\n',
    out: '{"n":0,"d":1}\n',
    errors: [{ error: 'evaluation_failed', process: 'step', line: 3, seq: 2 }],
  },
  'through an agent': {
    run: 'doctor',
    in: '"I am sad"\n"My mother hates me"\n',
    out: /^"I AM SORRY TO HEAR YOU ARE SAD"\n"TELL ME MORE ABOUT YOUR FAMILY"\n$/,
  },
  'of control: its input closes first': {
    run: `plumb control.plumb | pick '_.msg.kind ?? _.msg'`,
    in: '"Men are all alike."\n"I am sad"\n',
    out: 'IN WHAT WAY\nI AM SORRY TO HEAR YOU ARE SAD\nmemory\n',
  },
  'of two thousand processes': { run: 'seq 1999 2001 | plumb long.plumb', out: '-1\n0\n-1999\n' },
  'no loop, but three thousand processes in a row': { run: 'echo 1 | plumb chain.plumb', out: '3001\n' },
})

table('fault 58: loops without end', {
  'one that grows': {
    run: 'echo 1 | plumb --max-in-flight 50 grow.plumb',
    errors: [{ error: 'overflow', category: 'internal', detail: /grow -> id -> map -> grow/, cycle: ['grow', 'id', 'map'] }],
  },
  'two signals end it at once': {
    run: 'echo 1 | plumb --telemetry forever.plumb 3> reported & until [ -s reported ]; do sleep 0.02; done; kill -INT $!; sleep 0.1; kill -INT $!; wait $!',
    status: 130,
  },
  'one signal ends it after a while': {
    run: 'mkfifo in; plumb --telemetry forever.plumb < in 3> reported & exec 8> in; echo 1 >&8; until [ -s reported ]; do sleep 0.02; done; kill -TERM $!; wait $!',
    status: 143,
  },
  'an early reader ends it': { run: 'set -o pipefail; echo 1 | plumb endless.plumb | head -2', out: '2\n3\n' },
  'a late reader too, and nothing piles up': {
    run: "echo 1 | plumb endless.plumb > >(until [ -e seen ]; do sleep 0.02; done; head -1 >/dev/null) & sleep 0.9; [ ! -r /proc/self/status ] || awk '/VmHWM/ && $2 > 100000' /proc/$!/status; echo > seen; wait $!",
  },
})

const program = (name: string, answers: string) => `agent { command: ["node", "${fixtures}/${name}.mjs"], answers: "${answers}" }`

// Each worker makes smaller numbers of a number, and what is left of them goes on to other workers or out, so that every loop ends.
const WORKERS: Readonly<Record<string, { impl: string; gives: (value: number) => number[] }>> = {
  own: { impl: 'map(value - 1)', gives: (value) => [value - 1] },
  answering: { impl: program('answering', 'each'), gives: (value) => [value - 1] },
  numbering: { impl: program('numbering', 'numbered'), gives: (value) => Array.from({ length: value % 3 }, (_, i) => value - i - 1) },
  nested: {
    impl: 'plumb(from, to) {\n from ; filter(value % 3 > 0) ; map(value - 1) ; to\n from ; filter(value % 2 = 0) ; map(value - 2) ; to\n}',
    gives: (value) => [...(value % 3 > 0 ? [value - 1] : []), ...(value % 2 === 0 ? [value - 2] : [])],
  },
}

interface Plan {
  readonly kinds: readonly string[]
  /** Of worker i, where goes what leaves r when divided by 3: to worker `next[i][r][k]`; past the last one, out. */
  readonly next: readonly (readonly (readonly number[])[])[]
  readonly inputs: readonly number[]
}

const MAX_NODES = 3
const plan: fc.Arbitrary<Plan> = fc.record({
  kinds: fc.array(fc.constantFrom('own', 'answering', 'numbering', 'numbering', 'nested'), { minLength: 1, maxLength: MAX_NODES }),
  next: fc.array(fc.array(fc.uniqueArray(fc.nat(MAX_NODES), { minLength: 1, maxLength: 2 }), { minLength: 3, maxLength: 3 }), {
    minLength: MAX_NODES,
    maxLength: MAX_NODES,
  }),
  inputs: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 }),
})

const targetsOf = ({ kinds, next }: Plan, i: number, value: number): (number | 'out')[] => {
  if (value <= 0) return ['out']
  const targets = (next[i]?.[value % 3] ?? []).map((j): number | 'out' => (j < kinds.length ? j : 'out'))
  return [...new Set(targets)]
}

const textOf = (p: Plan): string => {
  const wires = new Set<string>()
  const reached = [0]
  for (const i of reached) {
    for (const value of [0, 3, 4, 5]) {
      for (const to of targetsOf(p, i, value)) {
        const condition = value === 0 ? 'value <= 0' : `value > 0 and value % 3 = ${value % 3}`
        wires.add(` w${i} ; filter(${condition}) ; ${to === 'out' ? 'output' : `w${to}`}\n`)
        if (to !== 'out' && !reached.includes(to)) reached.push(to)
      }
    }
  }
  const bindings = reached.map((i) => binding(`w${i}`, (WORKERS[p.kinds[i] ?? ''] as { impl: string }).impl))
  return `${bindings.join('')}${BODY} {\n input ; w0\n${[...wires].join('')}}\n`
}

const expected = (p: Plan): number[] => {
  const out: number[] = []
  const rest = p.inputs.map((value) => ({ i: 0, value }))
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { gives } = WORKERS[p.kinds[next.i] ?? ''] as { gives: (value: number) => number[] }
    for (const value of gives(next.value)) {
      for (const to of targetsOf(p, next.i, value)) {
        if (to === 'out') out.push(value)
        else rest.push({ i: to, value })
      }
    }
  }
  return out.sort((a, b) => a - b)
}

t.test('fault 59: whatever loops, all of it comes out', async (t) => {
  const property = fc.asyncProperty(fc.array(plan, { minLength: 3, maxLength: 3 }), async (plans) => {
    // Several at once, so that they are in each other's way.
    const runs = plans.map(async (p) => {
      const text = textOf(p)
      const { out, err, status } = await shell(`plumb -e '${text}'`, p.inputs.map((value) => `${value}\n`).join(''))
      const reported = out.split('\n').filter((line) => line !== '')
      assert.deepEqual([reported.map(Number).sort((a, b) => a - b), err, status], [expected(p), '', 0], text)
    })
    await Promise.all(runs)
  })
  await holds(t, property, { numRuns: 8, endOnFailure: true })
})
