// Tests in specs: what is right becomes a plan, and what is wrong is reported with the part of it that is.

import t from 'tap'
import { testsOf } from '../src/compile.js'
import { hasErrors } from '../src/diagnostic/diagnostic.js'
import { compileText, reports } from './reports.js'

const SPEC = `type Row = { n: int, tags: [string] }
let wipe : { arguments?: [string] } -> string = tool { command: "rm" }
let bot : !string -> !Row = agent { provider: "anthropic", model: "m", tools: [wipe] }
let two : (!int, !int) -> (!int, !int) = plumb(a, b, c, d) { a ; c b ; d }
let score : !{ given: Row, out: int } -> !{ score: number, why: string } = map({ score: 1, why: "" })
let server = { url: "http://localhost" }
let main : !Row -> !int = map(n)
`.replace('a ; c b ; d', 'a ; c\n  b ; d')

const at = (text: string, part: string): string => {
  const lines = (SPEC + text).split('\n')
  const line = SPEC.split('\n').length
  const column = (lines[line - 1] as string).lastIndexOf(part) + 1
  return `${line}:${column}-${column + part.length}`
}

const refuses = (name: string, text: string, part: string, rest: string): void =>
  void t.test(name, async (t) => reports(t, name, SPEC + text, [`${at(text, part)} ${rest}`]))

const ROW = '{ n: 1, tags: [] }'

refuses(
  'an unknown key',
  `test "t" of main { given: [], expected: [1] }`,
  'expected',
  "unknown_option a test has no key 'expected' | did you mean 'expect'",
)
refuses('an unknown binding', `test "t" of mian { given: [] }`, 'mian', "unknown_name no binding is named 'mian' | main")
refuses('a config value', `test "t" of server { given: [] }`, 'server', 'not_a_process there is nothing to run')
refuses(
  'a message of another type',
  `test "t" of main { given: [{ n: "1", tags: [] }] }`,
  'n: "1"',
  'type_mismatch this message does not fit Row: at .n',
)
refuses('an item of it', `test "t" of main { given: [{ n: 1, tags: ["a", 2] }] }`, '2', 'type_mismatch at .tags[1]')
refuses('an output of another type', `test "t" of main { given: [${ROW}], expect: ["1"] }`, '"1"', 'type_mismatch expected int')
refuses(
  'one message without a list',
  `test "t" of main { given: ${ROW}, expect: [1] }`,
  ROW,
  "config_invalid 'given' takes a list of messages | around a single one",
)
refuses(
  'messages where there are two ports',
  `test "t" of two { given: [1] }`,
  '[1]',
  "config_invalid 'given' takes messages by port here: { a: [ … ], b: [ … ] }",
)
refuses('an unknown port', `test "t" of two { given: { x: [1] } }`, 'x', "undeclared_port 'two' has no port 'x' | a, b")
refuses('two sources', `test "t" of main { given: [], random: 5 }`, '5', "config_invalid 'given' or 'random', not both")
refuses(
  'a condition that is not a bool',
  `test "t" of main { given: [], holds: out + 1 }`,
  'out + 1',
  "type_mismatch a test needs a bool here, this is 'int'",
)
refuses('a field that is not there', `test "t" of main { given: [], holds: given.m = 1 }`, 'm', 'unknown_field')
refuses(
  'a judge of other outputs',
  `test "t" of bot { given: ["a"], judge: score, at_least: 0.5 }`,
  'score',
  "config_invalid 'score' takes '{ given: Row, out: int }', and a judge of this gets '{ given: string, out: Row }'",
)
refuses(
  'a judge that gives no score',
  `test "t" of main { given: [], judge: main, at_least: 0.5 }`,
  'main',
  "config_invalid 'main' takes 'Row', and a judge of this gets",
)
refuses('a judge and no share', `test "t" of main { given: [], judge: score }`, 'score', "config_invalid 'judge' needs 'at_least' too")
refuses('a row without a file', `test "t" of main { given: [], holds: row = 1 }`, 'row', 'unknown_field')
refuses(
  'an answer of another type',
  `test "t" of bot { given: ["a"], models: { bot: [{ n: 1 }] } }`,
  '{ n: 1 }',
  'type_mismatch this answer of the model',
)
refuses('an unknown agent', `test "t" of bot { given: ["a"], models: { bto: [] } }`, 'bto', "unknown_name 'bto' | bot")
refuses(
  'a tool among models',
  `test "t" of bot { given: [], models: { wipe: "x" } }`,
  'wipe',
  "config_invalid 'wipe' is not an agent | name it in 'tools'",
)
refuses(
  'a tool that the agent has not',
  `test "t" of bot { given: [], models: { bot: [{ call: "wip", input: {} }] } }`,
  '"wip"',
  "unknown_name the agent has no tool 'wip' | did you mean 'wipe'",
)
refuses(
  'a double of another type',
  `test "t" of wipe { given: [{}], tools: { wipe: input -> 3 } }`,
  '3',
  "type_mismatch this gives 'int', and 'string' is asked for",
)
refuses(
  'a condition of a double',
  `test "t" of wipe { given: [], tools: { wipe: { when: input.argument = "a", result: "b" } } }`,
  'argument',
  'unknown_field',
)
refuses(
  'calls of nothing that is asked',
  `test "t" of main { given: [], calls: { main: 1 } }`,
  'main: 1'.slice(0, 4),
  "config_invalid 'main' is not an agent or a tool",
)
refuses(
  'a share over one',
  `test "t" of main { data: "x", holds: out > 0, at_least: 90 }`,
  '90',
  "config_invalid 'at_least' takes a number from 0 to 1",
)
refuses(
  'an order that is not asked for',
  `test "t" of main { given: [], expect_any_order: true }`,
  'true',
  "config_invalid 'expect_any_order' needs 'expect' too",
)
refuses('a computed message', `test "t" of main { given: [server] }`, 'server', 'config_invalid a message in a test is written as JSON')
refuses('no name', 'test main { given: [] }', 'test', 'syntax_error a test has a name in quotes')

t.test('a test whose errors name the mismatch may give what does not fit', async (t) => {
  const { diagnostics } = compileText(`${SPEC}test "t" of main { given: [{ n: "1" }], errors: ["input_type_mismatch"] }`)
  t.notOk(hasErrors(diagnostics))
})

t.test('messages keep their digits, and a message may look like a special form', async (t) => {
  const text = `${SPEC}let any : !json -> !json = agent { provider: "eliza" }
test "t" of any {
  given: [12345678901234567890.50, { when: "now", answer: 1 }]
  models: { any: [{ answer: { error: "x" } }, { error: "timeout" }, { when: input = 1, answer: 2 }, { when: "it" }] }
}`
  const { diagnostics, program } = compileText(text)
  t.notOk(hasErrors(diagnostics), JSON.stringify(diagnostics.map(({ message }) => message)))
  const [plan] = testsOf(program)
  t.strictSame(plan?.given?.get('input')?.messages, ['12345678901234567890.50', '{"when":"now","answer":1}'])
  const [script] = [...(plan?.models.values() ?? [])]
  t.match(script?.answers, [
    { kind: 'value', json: '{"error":"x"}' },
    { kind: 'error', code: 'timeout' },
    { kind: 'value', json: '2', when: {} },
    { kind: 'value', json: '{"when":"it"}' },
  ])
})

t.test('what has a test is used', async (t) => {
  reports(t, 'tested', `${SPEC}let spare : int -> int = map(value)\ntest "t" of spare { given: [1], expect: [1] }`, [
    "2:5-9 unused_binding 'wipe' is never used",
    "3:5-8 unused_binding 'bot' is never used",
    "4:5-8 unused_binding 'two' is never used",
    "6:5-10 unused_binding 'score' is never used",
    "7:5-11 unused_binding 'server' is never used",
  ])
  reports(t, 'judging', `${SPEC}test "t" of main { given: [${ROW}], judge: score, at_least: 0.5 }`, [
    "2:5-9 unused_binding 'wipe' is never used",
    "3:5-8 unused_binding 'bot' is never used",
    "4:5-8 unused_binding 'two' is never used",
    "7:5-11 unused_binding 'server' is never used",
  ])
})
