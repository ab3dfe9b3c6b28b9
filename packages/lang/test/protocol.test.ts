// Protocols: what their text may say, and that their automaton says at each step what the steps say.

import { type Automaton, allowed, mayEnd, mustComeBefore, step } from '@plumb/wire/protocol'
import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import { type ReferenceSteps, referenceOf, type Trees, textOf } from './protocol-reference.js'
import { compileText, lines, table } from './reports.js'

table('a protocol that cannot be followed is refused at its place', [
  ['a step behind the end', 'protocol P = end . call a', ["1:20-26 protocol_invalid nothing comes after 'end'"]],
  ['a step behind a choice', 'protocol P = { a: end } . end', ['1:27-30 protocol_invalid nothing comes after a choice | stands in it']],
  [
    'a step behind a name',
    'protocol Q = { end }\nprotocol P = Q . end',
    ['2:18-21 protocol_invalid nothing comes after the name | never returns'],
  ],
  ['no end', 'protocol P = call a', ["1:14-20 protocol_invalid without an end | write ' . end'"]],
  ['no end of a branch', 'protocol P = { a: call b, end }', ['1:19-25 protocol_invalid without an end']],
  ['it is itself', 'protocol P = loop', ["1:14-18 protocol_invalid 'loop' comes back to where it stands without a step"]],
  ['a lone loop at the top', 'protocol P = { a: end, loop }', ["1:24-28 protocol_invalid 'loop' comes back to where it stands"]],
  ['two that are each other', 'protocol P = Q\nprotocol Q = P', ["1:14-15 protocol_invalid 'Q' comes back"]],
  ['a label twice', 'protocol P = { a: end, a: loop }', ["1:24-25 protocol_invalid 'a' is twice in this choice"]],
  ['a label twice, by loop', 'protocol P = { a: end, b: { a: end, loop } }', ["1:37-41 protocol_invalid 'a' is twice in this choice"]],
  ['end twice', 'protocol P = { a: end, end, end }', ["1:29-32 protocol_invalid 'end' is twice"]],
  ['no way to the end', 'protocol P = { a: loop, b: call c . loop }', ["1:14-43 protocol_invalid no way leads from here to 'end'"]],
  [
    'no way from a part',
    'protocol Q = call x . loop\nprotocol P = { a: Q, end }',
    ["1:14-20 protocol_invalid no way leads from here to 'end'"],
  ],
  ['calls and messages', 'protocol P = call a . send int . end', ["1:23-31 protocol_invalid 'P' has both calls of tools and messages"]],
  [
    'send and recv in one choice',
    'protocol P = { a: send int . end, b: recv int . end }',
    ["1:14-54 protocol_invalid some branches of this choice begin with 'send', and others with 'recv'"],
  ],
  [
    'send and recv through a choice',
    'protocol P = { a: { x: end, y: send int . end }, b: recv int . end }',
    ['1:14-69 protocol_invalid some branches'],
  ],
  [
    'a message that may be a label',
    'protocol P = send json . { a: end, loop }',
    ['1:26-42 protocol_invalid are ambiguous: both may be {"choose":"a"}'],
  ],
  ['a word as a label', 'protocol P = { end: loop, end }', [`1:16-19 syntax_error 'end' is a word of protocols | in quotes: "end"`]],
  ['a point without space', 'protocol P = call a. end', ["1:20-21 syntax_error the '.' between steps stands in white space"]],
  ['no such type', 'protocol P = send T . end', ["1:19-20 unknown_type no type is named 'T'"]],
  [
    'no such protocol',
    'protocol Right = end\nprotocol P = { a: Rigth, end }',
    ["2:19-24 unknown_name no protocol is named 'Rigth' | did you mean 'Right'?"],
  ],
  [
    'a type is no protocol',
    'type T = int\nprotocol P = { a: T, end }',
    ["2:19-20 protocol_invalid 'T' is a type, and no protocol | send T"],
  ],
  ['a protocol is no type', 'protocol P = end\ntype T = [P]', ["2:11-12 protocol_invalid 'P' is a protocol, and no type of messages"]],
  ['two of one name', 'type P = int\nprotocol P = end', ["2:10-11 duplicate_name protocol 'P' is declared twice"]],
  ['a name of the language', 'protocol json = end', ["1:10-14 duplicate_name 'json' is a type of the language"]],
  ['a small letter', 'protocol p = end', ["1:10-11 odd_capital protocol 'p' starts with a small letter"]],
])

table('what is right', [
  [
    'the words are words only there',
    lines(
      'type recv = int',
      'let send : !int -> !int = id ; id',
      'let end : !recv -> !int = send ; map({ loop: value, call: 1 }).loop',
      'protocol P = { "send": end, "files:read": loop, tool: { "end": loop, end } }',
    ),
    ["1:6-10 odd_capital type 'recv'"],
  ],
  [
    'the same words far apart',
    'use fs\nprotocol P = send Fs.Path . recv Fs.Path\n  . { a: Q, end }\nprotocol Q = { b: P, end }',
    [],
    {
      'fs.plumb': 'type Path = string',
    },
  ],
  ['a label that is left out may be told apart', 'protocol P = send int . { a: end, loop }', []],
  ['an end of the other', 'protocol P = { more: recv int . loop, end }', []],
])

const automatonOf = (text: string, name = 'P'): Automaton => {
  const { program, diagnostics } = compileText(text)
  const automaton = program.entry.protocols.get(name)?.automaton
  if (!automaton) throw new Error(`${diagnostics[0]?.message} in\n${text}`)
  return automaton
}

t.test('the calls that come before another', async (t) => {
  const refund = automatonOf('protocol P = { lookup: loop, verify: { refund: end, lookup: loop, end }, end }')
  t.strictSame(mustComeBefore(refund, 'refund'), ['verify'])
  t.strictSame(mustComeBefore(refund, 'lookup'), [])
  const both = automatonOf('protocol P = call lookup . { verify: { refund: loop, end }, again: call verify . { refund: end }, end }')
  t.strictSame(mustComeBefore(both, 'refund'), ['lookup', 'verify'])
  t.strictSame(mustComeBefore(both, 'verify'), ['lookup'])
  t.strictSame(mustComeBefore(automatonOf('protocol P = call a . call a . call b . end'), 'b'), ['a'])
})

t.test('an automaton is JSON, and one state for each step', async (t) => {
  const files = automatonOf('protocol P = { read: send string . recv int . loop, close: end }')
  t.strictSame(JSON.parse(JSON.stringify(files)), files)
  t.strictSame(files.states, [
    {
      mayEnd: false,
      edges: [
        { kind: 'choose', label: 'read', to: 1 },
        { kind: 'choose', label: 'close', to: 2 },
      ],
    },
    { mayEnd: false, edges: [{ kind: 'send', label: 'string', to: 3, message: 0 }] },
    { mayEnd: true, edges: [] },
    { mayEnd: false, edges: [{ kind: 'recv', label: 'int', to: 0, message: 1 }] },
  ])
})

// --- against a walker over the tree of steps

const LABELS = ['a', 'b', 'c', 'd']
const NAMES = ['P', 'Q', 'R']

const arbitraryTrees: fc.Arbitrary<Trees> = fc.constantFrom<'call' | 'message'>('call', 'message').chain((use) => {
  const { steps } = fc.letrec<{ steps: ReferenceSteps; last: ReferenceSteps[number] }>((tie) => ({
    steps: fc.tuple(fc.array(oneStep(use), { maxLength: 2 }), tie('last')).map(([before, last]) => [...before, last]),
    last: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'steps' },
      { weight: 2, arbitrary: fc.constantFrom({ end: true } as const, { loop: true } as const) },
      fc.constantFrom(...NAMES).map((to) => ({ to })),
      {
        weight: 4,
        arbitrary: fc
          .tuple(
            fc.uniqueArray(fc.tuple(fc.constantFrom(...LABELS), tie('steps')), { maxLength: 3, selector: ([label]) => label }),
            fc.boolean(),
            fc.integer({ min: 0, max: 9 }),
          )
          .map(([labelled, ends, loops]) => ({ branches: labelled, ends: ends || labelled.length === 0, loops: loops < 2 })),
      },
    ),
  }))
  return fc.tuple(steps, steps, steps).map(([P, Q, R]) => ({ P, Q, R }))
})

const oneStep = (use: 'call' | 'message'): fc.Arbitrary<ReferenceSteps[number]> =>
  use === 'call'
    ? fc.constantFrom(...LABELS).map((label) => ({ call: label }))
    : fc.tuple(fc.constantFrom('send', 'recv'), fc.constantFrom('m', 'n')).map(([way, type]) => ({ call: `${way} "${type}"` }))

t.test('an automaton says at each step what the steps say', async (t) => {
  const counts = { right: 0, refused: 0, steps: 0, stopped: 0 }
  const property = fc.property(arbitraryTrees, fc.array(fc.nat(999), { minLength: 20, maxLength: 40 }), (trees, draws) => {
    const { program, diagnostics } = compileText(textOf(trees))
    for (const name of NAMES) {
      const automaton = program.entry.protocols.get(name)?.automaton
      const reference = referenceOf(trees, name)
      if (reference.isRight !== (automaton !== undefined)) {
        throw new Error(
          `${name} is ${reference.isRight ? 'right' : 'wrong'}: ${diagnostics.map((d) => d.message).join(' / ')}\n${textOf(trees)}`,
        )
      }
      if (!automaton) counts.refused++
      else walk(automaton, reference.start, draws, counts)
    }
  })
  await holds(t, property, { numRuns: runs(Number(process.env.PLUMB_PROTOCOLS ?? 2000)) })
  t.comment(JSON.stringify(counts))
  t.ok(counts.right > 0 && counts.refused > 0 && counts.stopped > 0)
})

/** Each draw tries a label; where it may not come both stay where they are. */
const walk = (
  automaton: Automaton,
  start: ReturnType<typeof referenceOf>['start'],
  draws: readonly number[],
  counts: { right: number; steps: number; stopped: number },
): void => {
  counts.right++
  let state = automaton.start
  let reference = start
  const tried = [...LABELS, 'send "m"', 'send "n"', 'recv "m"', 'recv "n"']
  for (const draw of draws) {
    const { next, mayEnd: ends } = reference()
    const edges = automaton.states[state]?.edges ?? []
    const named = new Map(edges.map(({ kind, label, to }) => [kind === 'send' || kind === 'recv' ? `${kind} ${label}` : label, to]))
    if (mayEnd(automaton, state) !== ends || [...named.keys()].join() !== [...next.keys()].join())
      throw new Error(`in ${state}: ${[...named.keys()]} but ${[...next.keys()]} by the steps`)
    if (allowed(automaton, state).length !== next.size) throw new Error('what is allowed')
    // Half of the draws are of what may come.
    const label = (draw % 2 === 0 ? [...next.keys()][(draw >> 1) % Math.max(1, next.size)] : tried[(draw >> 1) % tried.length]) ?? 'a'
    const to = named.get(label)
    const behind = next.get(label)
    if ((to === undefined) !== (behind === undefined)) throw new Error(`'${label}' in ${state}`)
    if (!label.includes(' ') && step(automaton, state, label) !== to) throw new Error(`step by '${label}'`)
    counts.steps++
    if (to === undefined || !behind) {
      counts.stopped++
      continue
    }
    state = to
    reference = behind
  }
}
