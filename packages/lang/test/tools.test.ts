import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import type { BasePlan } from '../src/base/base-plan.js'
import { hasErrors } from '../src/diagnostic/diagnostic.js'
import { agentTools, bindingNamed, serverVariables, toolOf, toolsOf, toToolSchema } from '../src/index.js'
import type { Bound } from '../src/names/names.js'
import { printType } from '../src/types/print.js'
import type { Type } from '../src/types/type.js'
import { isWirable } from '../src/types/wirable.js'
import { compileText, reports } from './reports.js'

const lines = (...list: string[]): string => list.join('\n')

/** The plan as text, each part with the types that it stands between. */
const show = (plan: BasePlan): string => `${work(plan)}:${printType(plan.input)}->${printType(plan.output)}`

const work = (plan: BasePlan): string => {
  switch (plan.kind) {
    case 'map':
      return `map(${plan.expression.kind})`
    case 'sequence':
    case 'choice':
      return `${plan.kind}[${plan.items.map(show).join(' ')}]`
    case 'product':
      return `${plan.isOnParts ? 'parts' : 'whole'}[${plan.items.map(show).join(' ')}]`
    case 'each':
      return `each[${show(plan.body)} ${plan.parallel}${plan.skips ? ' skip' : ''}]`
    case 'trace':
      return `trace[${show(plan.body)} ${plan.max}${plan.until ? ' until' : ''}]`
    case 'named':
      return plan.bound.name
    default:
      return plan.kind
  }
}

const DECLARED = lines(
  'use m',
  'let inc : int -> int = map(value + 1)',
  'let read : { path: string } -> { text: string } = tool { builtin: "read_file" }',
)

t.test('chains as plans', async (t) => {
  const rows: readonly (readonly [signature: string, chain: string, plan: string])[] = [
    ['int -> int', 'id', 'id:int->int'],
    ['int -> unit', 'discard', 'discard:int->unit'],
    ['int -> (int, int)', 'copy', 'copy:int->(int, int)'],
    ['int -> int', 'inc ; inc ; inc', 'sequence[inc:int->int inc:int->int inc:int->int]:int->int'],
    ['int -> int', 'M.dec', 'dec:int->int'],
    [
      '{ path: string } -> string',
      'read.text',
      'sequence[read:{ path: string }->{ text: string } map(field):{ text: string }->string]:{ path: string }->string',
    ],
    ['int -> (int, int, int)', 'inc * (M.dec * id)', 'whole[inc:int->int dec:int->int id:int->int]:int->(int, int, int)'],
    ['(int, int) -> (int, int)', 'inc * M.dec', 'parts[inc:int->int dec:int->int]:(int, int)->(int, int)'],
    [
      '(int, int) -> ((int, int), (int, int))',
      'id * id',
      'whole[id:(int, int)->(int, int) id:(int, int)->(int, int)]:(int, int)->((int, int), (int, int))',
    ],
    ['int -> int | "none"', 'inc + map("none")', 'choice[inc:int->int map(literal):int->"none"]:int->int | "none"'],
    ['[int] -> [int]', 'each(inc)', 'each[inc:int->int 8]:[int]->[int]'],
    ['(int, int) -> [int]', 'each(inc, parallel: 2, on_error: "skip")', 'each[inc:int->int 2 skip]:(int, int)->[int]'],
    ['[[int]] -> [[int]]', 'each(each(M.dec))', 'each[each[dec:int->int 8]:[int]->[int] 8]:[[int]]->[[int]]'],
    ['[[int]] -> [int]', 'flatten', 'flatten:[[int]]->[int]'],
    ['json -> [json]', 'flatten', 'flatten:json->[json]'],
    ['([int], (int, bool)) -> [int | bool]', 'flatten', 'flatten:([int], (int, bool))->[int | bool]'],
    ['int -> int', 'trace(inc)', 'trace[inc:int->int 100]:int->int'],
    ['int -> int', 'trace(inc, max: 7, until: value > 9)', 'trace[inc:int->int 7 until]:int->int'],
    ['json -> int', 'inc', 'inc:json->int'],
  ]
  for (const [signature, chain, expected] of rows) {
    const { program, diagnostics } = compileText(`${DECLARED}\nlet f : ${signature} = ${chain}`, {
      'm.plumb': 'let dec : int -> int = map(value - 1)',
    })
    const bound = bindingNamed(program, 'f')
    const body = bound && !hasErrors(diagnostics) ? toolOf(bound).body : undefined
    t.equal(body?.kind === 'chain' ? show(body.chain) : 'no chain', expected, chain)
  }
})

t.test('tools of a program, and of an agent', async (t) => {
  const { program, diagnostics } = compileText(
    lines(
      'use m',
      'let twice : !int -> !int = map(value * 2)',
      'let server = { command: "docs" }',
      '@version "2.1"',
      '@tool',
      '@description "one more"',
      'let inc : int -> int = map(value + 1)',
      'let inner : int -> int = inc',
      'let lowered : int -> int = tool { process: twice, timeout: 5, description: "doubles" }',
      'let word : int -> (int, int) = tool { process: "copy" }',
      'let both : int -> int = tool { handoff: [inc, "M.dec"], on: ["unavailable"] }',
      'let docs : { text: string } -> json = tool { mcp: server, name: "search" }',
      'let bot : !string -> !string = agent { provider: "eliza", tools: [inc, M.say, "both"] }',
      'let main : !string -> !string = bot',
    ),
    { 'm.plumb': 'let dec : int -> int = map(value - 1)\nlet say : string -> string = tool { command: "say" }' },
  )
  t.notOk(hasErrors(diagnostics))
  t.strictSame(
    toolsOf(program).map((p) => [
      p.name,
      p.isExposed,
      p.body.kind === 'tool' ? p.body.source : 'chain',
      p.specPath,
      p.version,
      p.description,
    ]),
    [
      ['inc', true, 'chain', 'main.plumb', '2.1', 'one more'],
      ['inner', false, 'chain', 'main.plumb', undefined, undefined],
      ['lowered', true, 'process', 'main.plumb', undefined, 'doubles'],
      ['word', true, 'process', 'main.plumb', undefined, undefined],
      ['both', true, 'handoff', 'main.plumb', undefined, undefined],
      ['docs', true, 'mcp', 'main.plumb', undefined, undefined],
      ['M.dec', false, 'chain', 'm.plumb', undefined, undefined],
      ['M.say', true, 'command', 'm.plumb', undefined, undefined],
    ],
  )
  const bodies = new Map(toolsOf(program).map(({ name, body }) => [name, body.kind === 'tool' ? body : undefined]))
  const lowered = bodies.get('lowered')
  t.equal(lowered?.process?.kind === 'bound' && lowered.process.bound.name, 'twice')
  t.equal(lowered?.config.timeout, 5)
  t.strictSame(bodies.get('word')?.process, { kind: 'morphism', word: 'copy' })
  t.strictSame(
    bodies.get('both')?.parts.map((b) => b.name),
    ['inc', 'dec'],
  )
  t.strictSame(JSON.parse(JSON.stringify(bodies.get('docs')?.config.mcp)), { command: 'docs' })
  const bot = bindingNamed(program, 'bot')
  t.strictSame(bot && agentTools(bot).map((p) => p.name), ['inc', 'M.say', 'both'])
  const [inc, say] = toolsOf(program)
  t.strictSame(inc && toToolSchema(inc.input), {
    isWrapped: true,
    schema: { type: 'object', properties: { input: { type: 'integer' } }, required: ['input'], additionalProperties: false },
  })
  t.ok(say)
  const docs = bindingNamed(program, 'docs')?.inputs[0]
  t.strictSame(docs && toToolSchema(docs), {
    isWrapped: false,
    schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
  })
})

const LONG = 'let a : int -> int = map(value + 1)'
const HOSTS = 'true, false or a list of hosts, as in ["api.example.com", "*.example.org:8443"]'
const rows: readonly (readonly [name: string, text: string, expected: readonly string[]])[] = [
  [
    'a breaker, a sandbox and roots',
    lines(
      'let a : unit -> string = tool { command: "x", breaker: { failures: 0, reset: -1, rest: 2 }, sandbox: { net: 1, write: "x", memory: "lots" } }',
      'let b : unit -> string = tool { command: "x", breaker: { failures: 5, reset: 60 }, sandbox: { net: false, write: ["out"], memory: "256M" } }',
      'let c : { path: string } -> json = tool { builtin: "read_file", roots: { src: "lib", n: 1 } }',
    ),
    [
      "1:68-69 config_invalid 'failures' takes a whole number from 1",
      "1:78-80 config_invalid 'reset' takes a number from 0",
      "1:82-86 unknown_option a breaker has no key 'rest' | did you mean 'reset'?",
      `1:109-110 config_invalid 'net' takes true, false or a list of hosts, as in ["api.example.com", "*.example.org:8443"]`,
      "1:119-122 config_invalid 'write' takes a list of strings",
      '1:132-138 config_invalid \'memory\' takes a size, as in "256M"',
      "3:72-92 config_invalid 'roots' takes an object of directories: each a string, or { path, hard_links, untrusted, secret }",
    ],
  ],
  [
    'hosts of a sandbox',
    lines(
      'let a : unit -> string = tool { command: "x", sandbox: { net: ["a.example", "https://b.example"] } }',
      'let b : unit -> string = tool { command: "x", sandbox: { net: ["a.example:65536"] } }',
      'let c : unit -> string = tool { command: "x", sandbox: { net: [] } }',
      'let d : unit -> string = tool { command: "x", sandbox: { net: ["A.example:22", "*.b.example", "[::1]:8080"] } }',
    ),
    [
      `1:63-97 config_invalid 'net' takes ${HOSTS}; found "https://b.example": of a URL write the host alone, as in "api.example.com"`,
      `2:63-82 config_invalid 'net' takes ${HOSTS}; found "a.example:65536": it is not a host name, nor one with a port from 1 to 65535`,
      `3:63-65 config_invalid 'net' takes ${HOSTS}`,
    ],
  ],
  [
    'keys of another source, and keys that are needed',
    lines(
      LONG,
      'let b : int -> int = tool { flaky: a }',
      'let c : int -> int = tool { spy: a, rate: 0.5, on: ["denied"], by: "least-busy" }',
      'let d : int -> int = tool { pool: [a], record: "x", roots: {}, name: "n" }',
      'let e : int -> int = tool { pool: [] }',
      'let f : int -> int = tool { handoff: [a, b] }',
    ),
    [
      "2:27-39 config_invalid 'flaky' needs 'rate'",
      "3:37-41 config_invalid 'rate' is for tools with 'flaky'",
      "3:48-50 config_invalid 'on' is for tools with 'handoff'",
      "3:64-66 config_invalid 'by' is for tools with 'pool'",
      "4:40-46 config_invalid 'record' is for tools with 'spy'",
      "4:53-58 config_invalid 'roots' is for tools with 'builtin'",
      "4:64-68 config_invalid 'name' is for tools with 'mcp'",
      "5:35-37 config_invalid 'pool' takes a list of names, at least one",
    ],
  ],
  [
    'what a command takes',
    lines(
      'type Args = { arguments?: [string] }',
      'let a : Args -> string = tool { command: "x" }',
      'let b : { arguments: ["-l" | "-a"] } -> json = tool { command: "ls" }',
      'let c : [string] -> string = tool { command: "x" }',
      'let d : "status" | "log" -> string = tool { command: "git" }',
      'let e : unit -> string = tool { command: "x" }',
      'let f : {} -> string = tool { command: "x" }',
      'let g : json -> string = tool { command: "x" }',
      'let h : { args: [string] } -> string = tool { command: "x" }',
      'let i : int -> string = tool { command: "" }',
      'let j : int -> string = tool { command: "x" }',
    ),
    [
      "9:9-27 type_mismatch 'h' takes '{ args: [string] }', a command takes its arguments | '{ arguments?: [string] }'",
      "10:41-43 config_invalid 'command' takes a string that is not empty",
      "11:9-12 type_mismatch 'j' takes 'int'",
    ],
  ],
  [
    'servers',
    lines(
      'let both = { command: "node", url: "http://127.0.0.1:9/mcp", args: ["x"] }',
      'let neither = { prefix: "docs" }',
      'let keys = { url: "https://x.test/mcp", token_env: "OPENAI_API_KEY", client_secret_env: "ANTHROPIC_API_KEY", client_id_env: "MY_ID" }',
      'let odd = { command: "x", token: "t", env: { A: 1 }, tool: ["a"], prefix: "a:b", transport: "http", timeout: 0 }',
      'let wrong = { url: "x.test" }',
      'let two = { url: "wss://x.test", transport: "ws", token: "t", token_env: "T" }',
      'let fine = { command: "node", args: ["a"], env: { A: "b" }, tools: ["t"], strict: true, handshake_timeout: 5, timeout: 60, cache_ttl: 0, max_output: 5 }',
      'let a : !string -> !string = agent { mcp: [both, neither, keys, odd, wrong, two, fine, { }] }',
      'let b : !string -> !string = agent { mcp: [both, neither] }',
      'let c : json -> json = tool { mcp: neither, name: "x" }',
      'let d : json -> json = tool { mcp: "notes", name: "x" }',
    ),
    [
      "1:31-34 config_invalid 'command' and 'url' exclude each other",
      "2:15-33 config_invalid an MCP server has 'command' or 'url'",
      "3:52-68 config_invalid 'token_env' takes the name of an environment variable, and never that of a provider's key",
      "3:89-108 config_invalid 'client_secret_env'",
      "4:27-32 config_invalid 'token' is for servers with 'url'",
      "4:44-52 config_invalid 'env' takes an object of strings",
      "4:54-58 unknown_option an MCP server has no key 'tool' | did you mean 'tools'?",
      "4:75-80 config_invalid 'prefix' takes a string without ':'",
      "4:82-91 config_invalid 'transport' is for servers with 'url'",
      '4:93-99 config_invalid \'transport\' takes one of "sse", "ws"',
      "4:110-111 config_invalid 'timeout' takes a number over 0",
      "5:20-28 config_invalid 'url' takes the URL of a server",
      "6:63-72 config_invalid 'token' and 'token_env' exclude each other",
      "8:88-91 config_invalid an MCP server has 'command' or 'url'",
      "11:36-43 config_invalid 'mcp' takes a URL or a config value",
    ],
  ],
  [
    'effects, and circles through tools named as strings',
    lines(
      'let a : !string -> !string = agent { grant: ["exec", "fly"] }',
      'let b : int -> int = tool { spy: "c" }',
      'let c : int -> int = tool { pool: ["b"] }',
    ),
    ["1:45-60 config_invalid 'grant' takes a list of fs.read", "2:5-6 definition_cycle 'b' is made of itself: b -> c -> b"],
  ],
]

t.test('rules of tools and servers', async (t) => {
  for (const row of rows) reports(t, ...row)
})

// --- any chain of bare morphisms

const TYPES = ['int', 'string', 'json', '(int, int)', '((int, int), int)', '{ path: string }', 'int | string']
const { chain } = fc.letrec<{ chain: string; element: string }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'chain' },
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        'id',
        'copy',
        'discard',
        'inc',
        'map(value)',
        'map([value, 1])',
        'map(1)',
        'map("x")',
        'read',
        'read.text',
      ),
    },
    { weight: 1, arbitrary: tie('chain').map((inner) => `(${inner})`) },
    { weight: 1, arbitrary: tie('chain').map((inner) => `trace(${inner}, max: 3)`) },
  ),
  chain: fc
    .array(fc.tuple(tie('element'), fc.constantFrom(' ; ', ' ; ', ' * ', ' + ')), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map(([element, operator], i) => (i === 0 ? element : operator + element)).join('')),
}))

/** Whether each part takes what the one before it gives. */
const isWhole = (plan: BasePlan): boolean => {
  switch (plan.kind) {
    case 'sequence':
      return (
        plan.items.at(-1)?.output === plan.output &&
        plan.items.every((item, i) => isWhole(item) && takes(item, i === 0 ? plan.input : plan.items[i - 1]?.output))
      )
    case 'choice':
      return plan.items.every((item) => isWhole(item) && takes(item, plan.input) && isWirable(item.output, plan.output) === 'static')
    case 'product':
      return plan.items.every((item) => isWhole(item) && (plan.isOnParts || takes(item, plan.input)))
    case 'each':
      return isWhole(plan.body)
    case 'trace':
      return isWhole(plan.body) && isWirable(plan.output, plan.input) !== 'no'
    case 'named':
      return plan.output === plan.bound.outputs[0]
    default:
      return true
  }
}

// What goes round a trace may have a wider type than what enters it.
const takes = ({ kind, input }: BasePlan, type: Type | undefined): boolean =>
  input === type || (kind === 'trace' && type !== undefined && isWirable(type, input) === 'static')

t.test('the variables that servers want, however deep', async (t) => {
  const { program, diagnostics } = compileText(
    lines(
      'let a = { url: "https://a", token_env: "A_TOKEN" }',
      'let b = { url: "https://b", client_id_env: "B_ID", client_secret_env: "B_SECRET" }',
      'let one : json -> json = tool { mcp: a, name: "x" }',
      '@tool true let chain : json -> json = id ; one',
      'let pooled : json -> json = tool { pool: [chain] }',
      'let inner : !json -> !json = agent { provider: "eliza", model: "doctor", mcp: [b], tools: [asked] }',
      'let asked : json -> json = tool { process: inner }',
      'let outer : !json -> !json = agent { provider: "eliza", model: "doctor", tools: [asked, pooled] }',
      'let none : !json -> !json = agent { provider: "eliza", model: "doctor", mcp: [{ command: "x" }] }',
      'let main : !json -> !json = outer ; none',
    ),
  )
  t.notOk(hasErrors(diagnostics))
  const wanted = (name: string) => [...serverVariables(bindingNamed(program, name) as Bound)].sort()
  const cases: readonly [string, string[]][] = [
    ['one', ['A_TOKEN']],
    ['pooled', ['A_TOKEN']],
    ['inner', ['B_ID', 'B_SECRET']],
    ['asked', ['B_ID', 'B_SECRET']],
    ['outer', ['A_TOKEN', 'B_ID', 'B_SECRET']],
    ['main', ['A_TOKEN', 'B_ID', 'B_SECRET']],
    ['none', []],
  ]
  for (const [name, names] of cases) t.strictSame(wanted(name), names, name)
})

t.test('any bare chain without errors has a plan whose parts fit', async (t) => {
  let planned = 0
  fc.assert(
    fc.property(chain, fc.constantFrom(...TYPES), (text, input) => {
      const { program, diagnostics } = compileText(`${DECLARED}\nlet f : ${input} -> json = ${text}`, { 'm.plumb': '' })
      const bound = bindingNamed(program, 'f')
      if (hasErrors(diagnostics) || !bound) return true
      const { body } = toolOf(bound)
      planned++
      return body.kind === 'chain' && isWhole(body.chain)
    }),
    { numRuns: runs(1000) },
  )
  t.ok(planned > 0, `${planned} plans`)
})
