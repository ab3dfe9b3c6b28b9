// What is compiled of a text that holds many agents, against all of it.

import { readdirSync, readFileSync } from 'node:fs'
import { agentsOf, agentTools, compile, hasErrors, printType, STANDARD_LIBRARY } from '@plumb/lang'
import { diskFiles } from '@plumb/wire'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { compileAgain } from '../src/config/load.js'
import { textFor } from '../src/own-text.js'

const FILES = diskFiles([], STANDARD_LIBRARY)
const PATH = 'packages/plumb/examples/a.plumb'

// Where a thing stands, and what else does.
const ELSEWHERE = new Set(['span', 'source', 'scope'])

const plansOf = ({ program }: ReturnType<typeof compile>) =>
  agentsOf(program).map((plan) => {
    const { name, input, output, config, description, specPath, span, hasControl, hasTelemetry } = plan
    const line = span.source.text.slice(0, span.start).split('\n').length
    const tools = agentTools(plan.bound).map((tool) => JSON.stringify(tool, (key, value) => (ELSEWHERE.has(key) ? undefined : value)))
    return {
      name,
      input: printType(input),
      output: printType(output),
      config,
      description,
      specPath,
      line,
      hasControl,
      hasTelemetry,
      tools,
    }
  })

/** Gives how many agents had less than the whole text. */
const compare = (t: Test, text: string, path = PATH): number => {
  const entry = { path, text }
  const whole = compile(entry, FILES, 'agents')
  if (hasErrors(whole.diagnostics)) throw new Error(whole.diagnostics[0]?.message)
  let less = 0
  for (const plan of plansOf(whole)) {
    const again = compileAgain(entry, FILES, plan.name)
    t.strictSame(
      plansOf(again).find(({ name }) => name === plan.name),
      plan,
      `${plan.name} of ${path}`,
    )
    t.strictSame(again.diagnostics, whole.diagnostics)
    if (agentsOf(again.program).length < agentsOf(whole.program).length) less++
  }
  return less
}

const DECLARATIONS = [
  'type A = { n: int }',
  'type B = [A]',
  'type C =\n  A |\n  { text: string }',
  'type D = {\n@min 1\nn: int\n}',
  'let server = {\n  command: "server"\n}',
  'let six : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [server] }',
  '@tool true\nlet inc : int -> int = map(value + 1)',
  '@tool true let twice : int -> int = inc ; inc',
  '@tool true\n@description "how many"\nlet size : B -> int = map(length(value))',
  'let one : !A -> !B = agent { provider: "eliza", model: "doctor" }',
  'let two : !string -> !D = agent { provider: "eliza", model: "doctor", tools: [inc, twice] }',
  'let three : !C -> !string = agent {\n  provider: "eliza"\n  model: "doctor"\n  tools: [size]\n}',
  'let four : !string -> !string = agent { provider: "eliza", model: "let one : type A" }',
  'let five : !string -> !string = agent {\nprovider: "eliza",\nmodel: "doctor" }',
  'let main : !string -> !string = plumb(input, output) {\n  input ; four ; five ; output\n}',
  'let wired : !string -> !string = plumb(input, output) {\nlet x : !string = channel\ninput ; four ; output\n}',
]

t.test('each agent of the examples is the same, with less text', async (t) => {
  const folder = 'packages/plumb/examples'
  let less = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.plumb')))
    less += compare(t, readFileSync(`${folder}/${file}`, 'utf8'), `${folder}/${file}`)
  t.ok(less > 3, `${less} agents need less`)
})

t.test('each agent is the same, whatever stands round it', async (t) => {
  const odd = fc.constantFrom('(* one\nlet two : of\n*)\n', '(*\nuse nothing (* and *)\n*)\n')
  const between = fc.oneof({ weight: 40, arbitrary: fc.constantFrom('', '\n', '(* a note *)\n', '\r\n') }, odd)
  let less = 0
  fc.assert(
    fc.property(
      fc.shuffledSubarray(DECLARATIONS, { minLength: DECLARATIONS.length }),
      fc.array(between, { minLength: 20 }),
      (all, gaps) => {
        less += compare(t, `#!/usr/bin/env plumb\n${all.map((one, i) => `${gaps[i]}${one}\n`).join('')}`)
      },
    ),
    { numRuns: 60 },
  )
  t.ok(less > 30, `${less} agents need less`)
  const line = DECLARATIONS.filter((one) => !one.includes('\n') && !/tools|mcp|D/.test(one)).join(' ')
  t.equal(compare(t, line), 0, 'in one line')
})

t.test('what is left has the lines where they were', async (t) => {
  const text = [
    'use fs',
    'type A = int',
    '',
    'let a : !A -> !A = agent { model: "m" }',
    '(* note *)',
    '@tool true',
    'let b : A -> A = id',
    'let c = "x"',
    '',
  ].join('\n')
  t.equal(
    textFor('a', text),
    ['use fs', 'type A = int', '', 'let a : !A -> !A = agent { model: "m" }', '(* note *)', '', '', '', ''].join('\n'),
  )
  t.equal(textFor('b', text)?.trim().split('\n').length, 7, 'with its annotations')
  const broken: [name: string, text: string][] = [
    ['d', text],
    ['a', text.replace('(* note *)', '(* b\nlet it be *)')],
    ['a', text.replace('"x"', '"""\nlet x\n"""')],
  ]
  for (const [name, one] of broken) t.equal(textFor(name, one), undefined, one)
})
