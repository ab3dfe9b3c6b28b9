// Agents, the programs in the place of one, and values of a configuration.

import t from 'tap'
import { bindingNamed } from '../src/compile.js'
import { agentsOf } from '../src/program/agent-plan.js'
import { compileText, lines, table } from './reports.js'

table('agents', [
  [
    'templates of prompts',
    'let a : !string -> !string = agent { provider: "eliza", prompt: $"{1 + 1} words, {{json}}" }\nlet b : !string -> !string = agent { provider: "eliza", prompt: $"a {name}", model: $"m {1}" }\nlet c : !string -> !string = agent { provider: "eliza", prompt: $"a {1 / 0}" }\nlet d = { x: [$"a"] }\nlet e : !string -> !string = agent { provider: "eliza", prompt: $"a {b c} d", model: 3 }',
    [
      "2:70-74 unknown_field nothing is named 'name' here | for each message comes as the input",
      "2:85-93 config_invalid a template is allowed in expressions, and as an agent's prompt",
      "3:65-77 config_invalid the prompt has no text: division by zero in '1 / 0'",
      '4:15-19 config_invalid a template is allowed in expressions',
      "5:72-73 syntax_error expected '}', found 'c'",
    ],
  ],
  [
    'every key',
    'let server = { command: "x" }\nlet t : string -> int = tool { command: "x" }\nlet a : !string -> !string = agent { provider: "openai", model: "m", prompt: "p", prompts: ["a.md"], description: "d", tools: [t], mcp: [server, { url: "https://x.test" }], max_retries: 0, max_tokens: 200, compose: true, max_tool_calls: 0, max_messages: 1, thinking_budget: 100, amnesiac: true, concurrency: 2, runtime_context: true, stream: false, parallel_tool_calls: false, transport_retries: 0, endpoint: "http://localhost", request: { a: [1, { b: null }] }, grant: ["net"], grant_minutes: 60, env: ["X"], via: ["ssh", "h"] }\nlet b : !string -> !string = agent { command: ["./x", "y"], answers: "each", temperature: 0.5 }\nlet c : !string -> !string = agent { provider: "eliza", model: "doctor", script: "s" }',
    [],
  ],
  [
    'every key with a wrong value',
    'let a : !string -> !string = agent { provider: "elisa", model: 3, prompt: [], prompts: "x", description: 1, tools: "x", mcp: {}, max_retries: -1, max_tokens: 0, max_tool_calls: 1.5, max_messages: 0, thinking_budget: "x", temperature: 3, amnesiac: 1, concurrency: 0, runtime_context: "yes", stream: null, parallel_tool_calls: 0, transport_retries: true, endpoint: 3, request: [], grant: "x", grant_minutes: 61, env: [1], command: [], via: "ssh", script: 3 }',
    [
      '1:48-55 config_invalid \'provider\' takes one of "anthropic", "openai", "eliza", "ollama", "lmstudio", "llamacpp", "vllm", "openrouter", "groq", "mistral", "deepseek", "xai", "gemini", "together", "fireworks", "azure", "bedrock", "vertex", "person"; did you mean "eliza"?',
      "1:64-65 config_invalid 'model' takes a string",
      "1:75-77 config_invalid 'prompt' takes a string",
      "1:88-91 config_invalid 'prompts' takes a list of strings",
      "1:106-107 config_invalid 'description'",
      "1:116-119 config_invalid 'tools' takes a list of names",
      "1:126-128 config_invalid 'mcp' takes a list of config values",
      "1:143-145 config_invalid 'max_retries' takes a whole number from 0",
      "1:159-160 config_invalid 'max_tokens' takes a whole number from 1",
      "1:178-181 config_invalid 'max_tool_calls'",
      "1:197-198 config_invalid 'max_messages'",
      "1:217-220 config_invalid 'thinking_budget'",
      "1:235-236 config_invalid 'temperature' takes a number from 0 to 2",
      "1:248-249 config_invalid 'amnesiac' takes true or false",
      "1:264-265 config_invalid 'concurrency'",
      "1:284-289 config_invalid 'runtime_context'",
      "1:299-303 config_invalid 'stream'",
      "1:326-327 config_invalid 'parallel_tool_calls'",
      "1:348-352 config_invalid 'transport_retries'",
      "1:364-365 config_invalid 'endpoint'",
      "1:376-378 config_invalid 'request' takes an object",
      "1:387-390 config_invalid 'grant'",
      "1:407-409 config_invalid 'grant_minutes' takes a number from 1 to 60",
      "1:416-419 config_invalid 'env'",
      "1:430-432 config_invalid 'command' takes a list of strings, the program first",
      "1:439-444 config_invalid 'via'",
      "1:454-455 config_invalid 'script'",
    ],
  ],
  [
    'unknown keys',
    'let b : !string -> !string = agent { provder: "eliza", max_retry: 3, foo: 1, MODEL: "x", __proto__: 1, constructor: 2, "a b": 3 }',
    [
      "1:38-45 unknown_option an agent has no key 'provder' | did you mean 'provider'?",
      "1:56-65 unknown_option | did you mean 'max_retries'?",
      '1:70-73 unknown_option | it takes provider, wire, model',
      "1:78-83 unknown_option | did you mean 'model'?",
      "1:90-99 unknown_option '__proto__'",
      "1:104-115 unknown_option 'constructor'",
      "1:120-125 unknown_option 'a b'",
    ],
  ],
  [
    'keys together',
    lines(
      'let a : !string -> !string = agent { thinking_budget: 8192, concurrency: 2 }',
      'let b : !string -> !string = agent { command: ["./x"], provider: "eliza", model: "doctor" }',
      'let c : !string -> !string = agent { script: "x", provider: "openai" }',
      'let d : !string -> !string = agent { max_tokens: "x", thinking_budget: 10000 }',
      'let e : !string -> !string = agent { concurrency: 2, amnesiac: "x" }',
      'let f : !string -> !string = agent { thinking_budget: 100, max_tokens: 100 }',
    ),
    [
      "1:55-59 config_invalid 'thinking_budget' must be less than 'max_tokens' (8192)",
      "1:74-75 config_invalid 'concurrency' over 1 needs 'amnesiac: true'",
      "2:66-73 config_invalid 'provider' and 'command' exclude each other",
      "2:82-90 config_invalid 'model' and 'command'",
      "3:46-49 config_invalid 'script' is for provider",
      "4:50-53 config_invalid 'max_tokens'",
      "5:64-67 config_invalid 'amnesiac'",
      '6:55-58 config_invalid (100)',
    ],
  ],
  [
    'ports',
    'let a : () -> !string = agent { provider: "eliza" }\nlet b : (!string, !json, !json) -> !string = agent { provider: "eliza" }\nlet c : !string -> (!string, !json, !json) = agent { provider: "eliza" }\nlet d : !string -> (!string, !int) = agent { provider: "eliza" }\nlet e : (!string, !int) -> !string = agent { provider: "eliza" }',
    [
      "1:9-22 spec_invalid agent 'a' has too few ports | '!A -> !B'",
      "2:9-43 spec_invalid agent 'b' has too many ports",
      '3:9-43 spec_invalid',
      "4:30-34 type_mismatch telemetry: '!json', not '!int'",
    ],
  ],
  [
    'tools that are none',
    lines(
      'let search : unit -> int = tool { command: "x" }',
      'let bare : int -> int = map(value + 1)',
      '@tool false',
      'let off : int -> int = id',
      'let proc : !int -> !int = id',
      'let cfg = { a: 1 }',
      'let a : !string -> !string = agent { tools: [search, bare, off, proc, cfg, nosuch, "bare", 3, "serch", [search]] }',
      'let b : !string -> !string = agent { tools: search }',
      'let c : !string -> !string = agent { tools: [seach, "x y"] }',
    ),
    [
      "7:54-58 not_a_tool 'bare' is not a tool | '@tool true'",
      '7:60-63 not_a_tool',
      "7:65-69 not_a_tool 'proc' is not a tool | tool { process: proc }",
      "7:71-74 not_a_tool 'cfg'",
      '7:76-82 unknown_name',
      "7:84-90 duplicate_name 'bare' is in 'tools' twice; the first one is here at main.plumb:7:54",
      "7:92-93 config_invalid 'tools' takes a list of names",
      "7:95-102 unknown_name | did you mean 'search'?",
      '7:104-112 config_invalid',
      '8:45-51 config_invalid',
      "9:46-51 unknown_name | did you mean 'search'?",
      '9:53-58 config_invalid',
    ],
  ],
  [
    'tools of modules',
    'use m\nlet a : !string -> !string = agent { tools: [M.t, M.f, M.x, t] }',
    ["2:51-54 not_a_tool 'M.f' is not a tool", "2:58-59 unknown_name 'M.x'", "2:61-62 unknown_name 't'"],
    { 'm.plumb': 'let f : !int -> !int = id\nlet t : int -> int = tool { process: f }' },
  ],
])

const SOME = 'let some : !string -> !string = agent { command: ["./some"], answers: "some" }'
const UP = 'let up : !string -> !string = agent { command: ["./up"] }'

table('how foreign programs answer', [
  [
    'each, where nothing is said: anywhere',
    lines(
      UP,
      'let twice : !string -> !string = up ; up',
      'let pair : !string -> !(string, string) = (twice * id) ; barrier',
      'let a : !string -> !(string, string) = up ; (id * filter(true)) ; barrier',
      'let main : !string -> !((string, string), string) = plumb(i, o) {',
      '  i ; (pair * (id ; up)) ; barrier ; o',
      '}',
      'let b : (!string, !string) -> !(string, string) = (up * id) ; barrier',
    ),
    ["4:5-6 unused_binding 'a'", "8:5-6 unused_binding 'b'"],
  ],
  [
    'as it says',
    lines(
      'let up : !string -> !string = agent { command: ["./up"], answers: "each" }',
      'let some : !string -> !string = agent { command: ["./some"], answers: "some" }',
      'let a : !string -> !string = agent { provider: "eliza", answers: "each" }',
      'let b : !string -> !string = agent { command: ["x"], answers: "none" }',
    ),
    ["3:66-72 config_invalid 'answers' is for an agent with 'command'", "4:63-69 config_invalid 'answers' takes one of"],
  ],
  [
    'only some',
    lines(
      'let up : !string -> !string = agent { command: ["./up"], answers: "each" }',
      'let some : !string -> !string = agent { command: ["./some"], answers: "some" }',
      'let c : !string -> !(string, string) = (up * some) ; barrier',
      'let d : !string -> !string = (up * some) ; merge',
    ),
    ["3:46-50 origin_needed 'some' answers only some of its inputs, and in a branch of a barrier | numbered"],
  ],
  [
    'only some, where it must be known which',
    lines(
      SOME,
      'let a : !string -> !string = some + id',
      'let b : ![string] -> ![string] = each(some)',
      'let c : !string -> !string = plumb(i, o) {',
      '  i ; some',
      '  some ; filter(length(value) < 3) ; some',
      '  some ; filter(length(value) > 2) ; o',
      '}',
      'let main : !string -> (!string, !Failure) = plumb(i, o, failed) {',
      '  i ; some ; o',
      '  some@error ; failed',
      '}',
      'let d : !string -> !(string, string) = some ; (id * id) ; barrier',
    ),
    [
      "2:5-6 unused_binding 'a'",
      "2:30-34 origin_needed 'some' answers only some of its inputs, and in a '+'",
      "3:5-6 unused_binding 'b'",
      "3:39-43 origin_needed 'some' answers only some of its inputs, and in an each",
      "4:5-6 unused_binding 'c'",
      "5:7-11 origin_needed 'some' answers only some of its inputs, and in a loop",
      "6:38-42 repeated_name 'some'",
      "10:7-11 origin_needed 'some' answers only some of its inputs, and where its port 'error' is wired",
      "13:5-6 unused_binding 'd'",
    ],
  ],
  [
    'only some, in nested plumbs that pass its answers on',
    lines(
      SOME,
      'let inner : !string -> !string = plumb(i, o) { i ; some ; o }',
      'let outer : !string -> !string = plumb(i, o) { i ; inner ; map(value) ; o }',
      'let aside : !string -> !string = plumb(i, o) { i ; (id * some) ; (o * discard) }',
      'let a : !string -> !string = outer + id',
      'let b : ![string] -> ![string] = each(id ; outer)',
      'let c : !string -> !string = aside + id',
      'let main : !string -> !(string, string) = plumb(i, o) { i ; (id * outer) ; barrier ; o }',
    ),
    [
      "4:5-10 unused_binding 'aside'",
      "5:5-6 unused_binding 'a'",
      "5:30-35 origin_needed 'outer' gives what 'some' answers, which answers only some of its inputs, and in a '+'",
      "6:5-6 unused_binding 'b'",
      "6:44-49 origin_needed 'outer' gives what 'some' answers, which answers only some of its inputs, and in an each",
      "7:5-6 unused_binding 'c'",
      "8:67-72 origin_needed 'outer' gives what 'some' answers, which answers only some of its inputs, and in a branch of a barrier",
    ],
  ],
])

table('config values', [
  [
    'nested, of each other, in any order',
    'let a = { x: b, y: [b, b], z: { w: c } }\nlet c = { k: b }\nlet b = { k: 1 }\nlet bot : !string -> !string = agent { request: a }',
    [],
  ],
  [
    'of modules',
    'use m\nlet bot : !string -> !string = agent { request: M.cfg, mcp: [M.srv] }',
    [],
    { 'm.plumb': 'let srv = { command: "x" }\nlet inner = { a: 1 }\nlet cfg = { b: inner }' },
  ],
  [
    'in circles',
    'let a = { r: b }\nlet b = { r: a }\nlet c = { r: [c] }\nlet bot : !string -> !string = agent { request: { x: [a, c] } }',
    ["1:5-6 definition_cycle 'a' is made of itself: a -> b -> a", '3:5-6 definition_cycle c -> c'],
  ],
  [
    'unknown, reported where they stand',
    'let bad = { r: nosuch, s: bed }\nlet one : !string -> !string = agent { request: bad }\nlet two : !string -> !string = agent { request: { q: bad } }',
    ['1:16-22 unknown_name', "1:27-30 unknown_name | did you mean 'bad'?"],
  ],
  [
    'what is not a value',
    'let f : !int -> !int = id\nlet a = { p: f, q: M.x }\nlet b : !string -> !string = agent { mcp: [f, nosuch] }',
    [
      "2:14-15 config_invalid 'f' is not a config value | literals and the names",
      '2:20-21 unknown_module',
      "3:44-45 config_invalid 'f' is not a config value",
      '3:47-53 unknown_name',
    ],
  ],
  [
    'the wrong value',
    'let v = { k: 1 }\nlet b : !string -> !string = agent { model: v }',
    ["2:45-46 config_invalid 'model' takes a string"],
  ],
  [
    'keys twice',
    'let dup = { a: 1, "a": 2, b: { c: 1, c: 2 } }',
    ["1:19-22 duplicate_name key 'a' is declared twice; the first one is here at main.plumb:1:13", "1:38-39 duplicate_name key 'c'"],
  ],
  ['keys of prototypes', 'let a = { __proto__: 1, constructor: 2, "toString": { __proto__: 3 } }', []],
  [
    'doubling',
    lines('let v0 = { a: "0123456789" }', ...Array.from({ length: 60 }, (_, i) => `let v${i + 1} = { l: v${i}, r: v${i} }`)),
    ['17:11-29 config_invalid this value is larger than 1,000,000 characters'],
  ],
  [
    'a long row',
    lines('let v0 = { a: 1 }', ...Array.from({ length: 1000 }, (_, i) => `let v${i + 1} = { l: v${i} }`)),
    ['201:12-23 config_invalid this value is nested more than 200 deep'],
  ],
])

t.test('what a program is, for those that run it', async (t) => {
  const { program, typeCount, bindingCount } = compileText(
    lines(
      'use m',
      'type T = int',
      'let inner = { DEEP: "true" }',
      'let server = { command: "x", env: inner }',
      'let find : string -> string = tool { command: "find" }',
      '@description "answers"',
      'let bot : (!T, !json) -> (!string, !json) = agent { provider: "eliza", tools: [find, "M.look"], mcp: [server], request: inner }',
    ),
    { 'm.plumb': 'let look : string -> string = tool { command: "look" }\nlet other : !string -> !string = agent { provider: "eliza" }' },
  )
  t.strictSame([typeCount, bindingCount], [1, 4])
  const [bot, other] = agentsOf(program)
  t.strictSame(
    [bot?.name, bot?.description, bot?.hasControl, bot?.hasTelemetry, other?.name, other?.specPath, other?.hasControl],
    ['bot', 'answers', true, true, 'M.other', 'm.plumb', false],
  )
  t.strictSame(JSON.parse(JSON.stringify(bot?.config)), {
    provider: 'eliza',
    tools: ['find', 'M.look'],
    mcp: [{ prefix: 'server', command: 'x', env: { DEEP: 'true' } }],
    request: { DEEP: 'true' },
  })
  t.equal(bindingNamed(program, 'M.look')?.name, 'look')
  t.equal(bindingNamed(program, 'M.gone'), undefined)
})
