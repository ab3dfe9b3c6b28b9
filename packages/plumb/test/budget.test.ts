// long
// What a run may spend: agents that share the budget, agents elsewhere that ask for it, and programs that only report what they have spent.

import { resolve } from 'node:path'
import t, { type Test } from 'tap'
import { bash, envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { type CountingModel, openCountingModel } from './fixtures/counting-model.js'
import { lines, makeShell } from './shell.js'

const BIN = ['plumb', 'plumb-agent'].map((name) => resolve(`packages/${name}/bin`)).join(':')

const TOOL = `
type N = { n: int }
@tool true
let double : N -> N = map({ n: n * 2 })
`
const agent = (url: string, more = '') =>
  `agent { provider: "openai", model: "m", endpoint: "${url}", stream: false, transport_retries: 0, tools: [double]${more} }`
const VIA = ', via: ["/bin/sh", "-c"], env: ["PATH", "OPENAI_API_KEY"]'

interface Spent {
  readonly out: string
  readonly err: string
  readonly status: number | null | undefined
  readonly faults: readonly { readonly [key: string]: unknown }[]
  readonly model: CountingModel
}

const spend = async (
  t: Test,
  main: (url: string) => string,
  script: string,
  input: string,
  set: Partial<CountingModel> = {},
): Promise<Spent> => {
  const model = Object.assign(await openCountingModel(), set)
  t.teardown(() => model.close())
  const directory = makeTestDirectory({ 'a.plumb': TOOL + main(model.url) })
  const env: NodeJS.ProcessEnv = { ...envIn(makeTestDirectory()), OPENAI_API_KEY: 'sk-CANARY' }
  const { out, err, status } = await bash(script, { directory, env: { ...env, PATH: `${BIN}:${env.PATH}` } }, input)
  const faults = err.split('\n').flatMap((line) => (line.startsWith('{"error"') || line.startsWith('{"warning"') ? [JSON.parse(line)] : []))
  return { out, err, status, faults, model }
}

t.test('an agent elsewhere asks for each call, and makes as many as there are', async (t) => {
  const one = await spend(t, (url) => `let main : !string -> !string = ${agent(url, VIA)}`, 'plumb --max-calls 3 a.plumb', lines('a'), {
    calls: 'double',
  })
  t.equal(one.model.asked.length, 3)
  t.match(one, { status: 1, out: '', faults: [{ error: 'budget_spent', seq: 1, unanswered: 1, calls: 3 }] })

  const tokens = await spend(
    t,
    (url) => `let main : !string -> !string = ${agent(url, VIA)}`,
    'plumb --max-total-tokens 30 a.plumb',
    lines('a'),
    { calls: 'double' },
  )
  t.equal(tokens.model.asked.length, 2, '15 tokens each')
  t.match(tokens, { status: 1, faults: [{ error: 'budget_spent', seq: 1, tokens: 30 }] })

  const enough = await spend(
    t,
    (url) => `let main : !string -> !string = ${agent(url, VIA)}`,
    'plumb --max-calls 3 a.plumb',
    lines('a', 'b', 'c'),
  )
  t.match(enough, { status: 0, out: lines('a (1)', 'b (3)', 'c (5)'), err: '' })
})

t.test('several of them, one here and one in a nested plumb share what there is', async (t) => {
  const main = (url: string) => `
    let far : !string -> !string = ${agent(url, `${VIA}, amnesiac: true, concurrency: 4`)}
    let other : !string -> !string = ${agent(url, `${VIA}, amnesiac: true, concurrency: 4`)}
    let near : !string -> !string = ${agent(url, ', amnesiac: true, concurrency: 4')}
    let inner : !string -> !string = plumb(input, output) { input ; other ; output }
    let main : !string -> !string = plumb(input, output) { input ; (far * inner * near) ; map("x") ; output }`
  const looping = await spend(t, main, 'plumb --max-calls 10 a.plumb', lines('a', 'b', 'c'), { calls: 'double' })
  t.equal(looping.model.asked.length, 10)
  t.match(looping, { status: 1, faults: [{ error: 'budget_spent', calls: 10, seqs: [[1, 3]] }] })
})

t.test('at the deadline an agent elsewhere is ended too', async (t) => {
  const late = await spend(t, (url) => `let main : !string -> !string = ${agent(url, VIA)}`, 'plumb --deadline 1 a.plumb', lines('a'), {
    calls: 'double',
  })
  t.match(late, { status: 1, faults: [{ error: 'budget_spent', seq: 1, detail: /--deadline/ }] })
})

t.test('usage that is not a count never widens a budget', async (t) => {
  const main = (url: string) => `let main : !string -> !string = ${agent(url, ', amnesiac: true, max_tokens: 100')}`
  for (const usage of [
    { prompt_tokens: -100, completion_tokens: 5 },
    { prompt_tokens: 1e308, completion_tokens: 5 },
    { prompt_tokens: 1.5, completion_tokens: 1 },
    { prompt_tokens: '3', completion_tokens: 'NaN' },
    {},
    null,
  ]) {
    const ran = await spend(t, main, 'plumb --max-total-tokens 12 --summary=json a.plumb', lines('a', 'b', 'c'), { usage })
    t.equal(ran.model.asked.length, 1, JSON.stringify(usage))
    t.match(ran.err, /"warning":"usage_unknown"/)
    t.equal(ran.err.split('usage_unknown').length, 2, 'once')
    t.notMatch(ran.err, /Infinity|null,"output|tokens":null/)
    t.match(ran, { status: 1, out: lines('a (1)') })
  }
  const free = await spend(t, main, 'plumb a.plumb', lines('a'), { usage: null })
  t.match(free, { status: 0, err: '' }, 'without a budget it does not matter')
})

const ELIZA = '{ provider: "eliza", model: "doctor" }'
const USAGE = `'{"kind":"usage","input_tokens":10,"output_tokens":5,"model":"sh"}'`
const LOOP = `while :; do echo ${USAGE} >&3; echo call >> calls; sleep 0.05; done`
const OPEN = 'sandbox: { write: ["."] }'
const program = (name: string, more = '') => `let main : !string -> !string = agent { command: ["./${name}"], ${OPEN}${more} }\n`

const { shell, table } = makeShell({
  'eliza.plumb': `let main : !string -> !string = agent ${ELIZA}\n`,
  'nested.plumb': `let bot : !string -> !string = agent ${ELIZA}
let inner : !string -> !string = plumb(input, output) { input ; bot ; output }
let main : !string -> !string = plumb(input, output) { input ; inner ; output }
`,
  'asking.plumb': `let bot : !string -> !string = agent ${ELIZA}
@tool true
let ask : string -> string = tool { process: bot }
let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [ask] }
`,
  'program.plumb': program('agent.sh'),
  'agent.sh': `#!/bin/bash\nwhile read -r line; do echo ${USAGE} >&3; echo "$line" | tee -a asked; done\n`,
  'loop.plumb': program('loop'),
  'far.plumb': 'let main : !string -> !string = agent { command: ["./loop"], via: ["/bin/sh", "-c"] }\n',
  loop: `#!/bin/bash\nwhile read -r line; do [[ $line = *loop* ]] && { ${LOOP}; }; echo ${USAGE} >&3; echo "$line"; done\n`,
  'deaf.plumb': program('deaf'),
  deaf: `#!/bin/bash\ntrap '' TERM\nwhile read -r line; do ${LOOP}; done\n`,
  // Its number as a process would be another one in a sandbox.
  'parent.plumb': program('parent').replace(OPEN, 'sandbox: false'),
  parent: `#!/bin/bash\nread -r line; (trap '' TERM; echo $BASHPID > pid; ${LOOP}) & wait\n`,
  'controlled.plumb': `let bot : (!string, !json) -> (!string, !json) = agent { command: ["./controlled"], ${OPEN} }
let main : (!string, !json) -> (!string, !json) = plumb(input, said, output, heard) { spawn bot(input=input, ctrl_in=said, output=output, ctrl_out=heard) }\n`,
  controlled: `#!/bin/bash\nread -r line; while ! read -r -t 0.05 said <&6; do echo ${USAGE} >&3; done; echo "$said" > said; sleep 20\n`,
  'unheard.plumb': `let bot : (!string, !json) -> (!string, !json) = agent { command: ["./loop"], ${OPEN} }
let main : (!string, !json) -> (!string, !json) = plumb(input, said, output, heard) { spawn bot(input=input, ctrl_in=said, output=output, ctrl_out=heard) }\n`,
  'inner.plumb': `${program('loop').replace('main', 'far')}let inner : !string -> !string = plumb(input, output) { input ; far ; output }\nlet main : !string -> !string = inner\n`,
  'tool.plumb': `let far : !string -> !string = agent { command: ["./loop"], ${OPEN} }
@tool true
let ask : string -> string = tool { process: far, timeout: 20 }
let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [ask] }\n`,
  'silent.plumb': program('silent'),
  silent: '#!/bin/bash\nwhile read -r line; do echo call >> calls; echo "$line"; done\n',
  'absurd.plumb': program('absurd'),
  absurd: `#!/bin/bash\nwhile read -r line; do echo "{\\"kind\\":\\"usage\\",\\"input_tokens\\":$(cat tokens),\\"output_tokens\\":5,\\"model\\":\\"sh\\"}" >&3; echo "$line"; done\n`,
})

const SAD = lines('I am 1 sad', 'I am 2 sad', 'I am 3 sad')

table('budgets', {
  'calls of all agents together, also of nested plumbs and of tools': {
    run: `plumb --max-calls 2 nested.plumb; plumb --max-calls 3 asking.plumb < <(printf '"call ask \\\\"hi\\\\""\\n"I am sad"\\n')`,
    in: SAD,
    out: (out: string) => out.split('\n').length === 4,
    errors: [
      { error: 'budget_spent', calls: 2, unanswered: 1, seq: 3, detail: /--max-calls/ },
      { error: 'budget_spent', calls: 3, seq: 2 },
    ],
  },
  'enough is not an error': { run: 'plumb --max-calls 3 eliza.plumb | wc -l', in: SAD, out: '3\n' },
  tokens: {
    run: 'plumb --max-total-tokens 10 eliza.plumb | wc -l',
    in: SAD,
    out: '1\n',
    errors: [{ error: 'budget_spent', calls: 1, unanswered: 2, seqs: [[2, 3]], detail: /--max-total-tokens is 10/ }],
    status: 0,
  },
  'a program is counted by what it reports, and gets no more than is in flight': {
    run: `for i in {1..100}; do echo '"a"'; done | plumb --max-calls 5 program.plumb 2> err | wc -l; cut -c1-35 err`,
    out: (out: string) =>
      Number.parseInt(out, 10) >= 5 && Number.parseInt(out, 10) <= 13 && out.endsWith('{"error":"budget_spent","category":\n'),
  },
  time: {
    run: 'mkfifo in; plumb --deadline 2 eliza.plumb < in & exec 7> in; cat >&7; wait $!; echo $?',
    in: SAD,
    out: (out: string) => out.split('\n').length === 5 && out.endsWith('\n1\n'),
    errors: [{ error: 'budget_spent', unanswered: 0, detail: /2 seconds of --deadline/ }],
    status: 0,
  },
  'what they take': {
    run: 'plumb --max-calls 0 eliza.plumb; plumb --deadline soon eliza.plumb; plumb --record a --resume b eliza.plumb',
    errors: [{ error: 'usage' }, { error: 'usage', detail: /number of seconds/ }, { error: 'usage', detail: /--record/ }],
    status: 2,
  },
})

const spent = (more: object) => ({ error: 'budget_spent', ...more })
const AT_MOST = (most: number) => `c=$(wc -l < calls); [ $c -le ${most} ] && echo few || echo $c`

table('a program that reports what it spends is ended when it goes on', {
  'in the middle of a message, and what went before it is delivered': {
    run: `plumb --max-calls 4 loop.plumb; ${AT_MOST(6)}`,
    in: lines('a', 'b', 'loop', 'c'),
    out: `${lines('a', 'b')}few\n`,
    errors: [spent({ calls: 4, unanswered: 2, seq: 3, seqs: [[3, 4]] })],
    status: 0,
  },
  'by tokens': {
    run: `plumb --max-total-tokens 30 loop.plumb; ${AT_MOST(5)}`,
    in: lines('loop'),
    out: 'few\n',
    errors: [spent({ seq: 1 })],
    status: 0,
  },
  'behind via': {
    run: `plumb --max-calls 3 far.plumb; ${AT_MOST(6)}`,
    in: lines('loop'),
    out: 'few\n',
    errors: [spent({ seq: 1 })],
    status: 0,
  },
  'in a nested plumb': {
    run: `plumb --max-calls 3 inner.plumb; ${AT_MOST(6)}`,
    in: lines('loop'),
    out: 'few\n',
    errors: [spent({ seq: 1 })],
    status: 0,
  },
  'that is deaf to TERM': { run: 'plumb --max-calls 3 deaf.plumb', in: lines('a'), errors: [spent({ seq: 1 })] },
  'with a process of its own that is deaf': {
    run: 'plumb --max-calls 3 parent.plumb; echo $?; until ! kill -0 $(cat pid) 2>&-; do sleep 0.02; done',
    in: lines('a'),
    out: '1\n',
    errors: [spent({ seq: 1 })],
    status: 0,
  },
  'after a cancel, where it has a control channel': {
    run: `{ cat; until [ -e said ]; do sleep 0.02; done; } | plumb --max-calls 3 controlled.plumb; echo $?; cat said`,
    in: lines({ __port: 'input', msg: 'a' }),
    out: '1\n{"cancel":true}\n',
    errors: [spent({ seq: 1 })],
    status: 0,
  },
  'also where it never reads the cancel': {
    run: 'plumb --max-calls 3 unheard.plumb',
    in: lines({ __port: 'input', msg: 'loop' }),
    errors: [spent({ seq: 1 })],
  },
  'at the deadline': { run: 'plumb --deadline 1 deaf.plumb', in: lines('a'), errors: [spent({ seq: 1, detail: /--deadline/ })] },
  'in a tool': {
    run: `plumb --max-calls 5 tool.plumb; ${AT_MOST(8)}`,
    in: lines('call ask "loop"'),
    out: 'few\n',
    errors: [spent({ seq: 1 })],
    status: 0,
  },
})

table('a program that does not report', {
  'has each message counted, and that is said': {
    run: 'plumb --max-calls 5 silent.plumb; wc -l < calls',
    in: lines(...Array.from({ length: 10 }, (_, i) => `m${i}`)),
    out: `${lines('m0', 'm1', 'm2', 'm3', 'm4')}5\n`,
    errors: [{ warning: 'usage_unknown', process: 'main' }, spent({ calls: 5, seq: 6 })],
    status: 0,
  },
  'has its bytes counted as tokens': {
    run: 'plumb --max-total-tokens 12 silent.plumb | head -n 3 | wc -l; [ $(wc -l < calls) -lt 10 ]',
    in: lines(...Array.from({ length: 30 }, (_, i) => `m${i}`)),
    errors: [{ warning: 'usage_unknown' }, spent({ detail: /--max-total-tokens is 12/ })],
    out: /^[123]\n$/,
    status: 0,
  },
  'is not warned of without a budget': { run: 'silent', in: lines('a'), out: lines('a') },
})

t.test('usage of a program that is not a count', async (t) => {
  for (const tokens of ['-100', '1e300', '1.5', '"NaN"', 'null', '99999999999']) {
    const { out, err, status } = await shell(
      `echo '${tokens}' > tokens; plumb --max-total-tokens 12 --summary=json absurd.plumb`,
      lines('a'),
    )
    t.equal(status, 0, `${tokens}: ${err}`)
    t.equal(out, lines('a'))
    t.equal(err.split('usage_unknown').length, 2, err)
    t.notMatch(err, /Infinity|tokens":null/)
    const next = await shell(
      `echo '${tokens}' > tokens; (echo '"a"'; until [ -s out ]; do sleep 0.02; done; echo '"b"') | plumb --max-total-tokens 12 absurd.plumb > out`,
    )
    t.match(next.err, /budget_spent/, tokens)
  }
})
