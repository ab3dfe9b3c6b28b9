// The tool channel of agents in any language: calls on descriptors 4 and 5, who answers them, and what may be done.

import { lines, makeShell } from './shell.js'

const SPEC = `
type N = { n: int }
type Words = { arguments?: [string] }
@tool true
let double : N -> N = map({ n: n * 2 })
let slow : Words -> string = tool { command: "./slow", sandbox: false }
let environment : Words -> string = tool { command: "./environment" }
let ask : string -> string = tool { process: parrot }
let parrot : !string -> !string = agent { command: ["./parrot"] }
`

// One call for each input: a tool's name and its input; the answer is the output.
const CALLER = `
n=0
call() {
  n=$((n + 1))
  pick "({ id: 'call $n', name: _[0], input: _[1] })" <<< "$1" >&4
  IFS= read -r answer <&5
  pick 'JSON.stringify(_.is_error ? JSON.parse(_.content).error : JSON.parse(_.content))' <<< "$answer"
}
`

const SCRIPTS: Readonly<Record<string, string>> = {
  caller: `${CALLER}while IFS= read -r line; do call "$line"; done`,
  // More than any pipe holds, which is not read before the call is answered.
  stuffed: `${CALLER}read -r line; { yes 1234567 | head -300000; } & call "$line" > answered; wait`,
  many: `for i in $(seq 1000); do echo "{\\"id\\":\\"$i\\",\\"name\\":\\"double\\",\\"input\\":{\\"n\\":$i}}"; done >&4 & head -1000 <&5 | pick 'JSON.parse(_.content).n' | sort -n | tail -1`,
  again: `ask='{"id":"1","name":"double","input":{"n":1}}'; echo "$ask" >&4; echo "\${ask/:1/:5}" >&4; head -2 <&5 | pick 'JSON.parse(_.content)'`,
  nonsense: `echo nonsense >&4; echo '{"id":"a","name":"double"}' >&4; head -1 <&5 | pick '[_.id, _.is_error]'; exec 4>&-; cat <&5; echo '"the end"'`,
  dies: `echo '{"id":"1","name":"slow","input":{}}' >&4; until [ -e slow.pid ]; do sleep 0.02; done; kill -9 $$`,
  // Answers are heard beside the input, for as long as there are any.
  listens: `pick 'JSON.parse(_.content)' <&5 & while IFS= read -r line; do echo "$line" >&4; done; wait`,
  slow: 'echo $$ > slow.pid; sleep 60',
  environment: 'env | sort',
  parrot: 'exec cat',
  // The environment and the command line of the plumb that runs it.
  spy: `read -r line; tr '\\0' '\\n' < /proc/$PPID/environ >&2; tr '\\0' '\\n' < /proc/$PPID/cmdline >&2; echo '"done"'`,
  control: `read -r said <&6; echo "{\\"heard\\":$said}" >&7; read -r line; echo "$line"; echo '{"kind":"usage"}' >&3`,
  // A dispatcher in another language.
  dispatcher: `exec pick '({ id: _.id, content: JSON.stringify({ ..._.input, by: "another" }), is_error: false })'`,
  quitter: 'read -r line',
}

const agent = (name: string, tools: string, more = '') => `agent { command: ["./${name}"], tools: [${tools}]${more} }\n`
const alone = (name: string, tools = 'double', more = '') => `${SPEC}let main : !json -> !json = ${agent(name, tools, more)}`

const { table } = makeShell({
  ...Object.fromEntries(Object.entries(SCRIPTS).map(([name, text]) => [name, `#!/bin/bash\n${text}\n`])),
  'caller.plumb': alone('caller', 'double, slow, environment, ask'),
  'granted.plumb': alone('caller', 'double, environment, ask', ', grant: ["model"]'),
  'nested.plumb': `${SPEC}let inner : !json -> !json = plumb(a, b) { a ; caller ; b }\nlet caller : !json -> !json = ${agent('caller', 'double, environment')}let main : !json -> !json = inner\n`,
  'spied.plumb': `${SPEC}let inner : !json -> !json = plumb(a, b) { a ; spy ; b }\nlet spy : !json -> !json = ${agent('spy', 'double', ', sandbox: false')}let main : !json -> !json = inner\n`,
  'stuffed.plumb': alone('stuffed', 'double', ', answers: "some", sandbox: { write: ["."] }'),
  'many.plumb': alone('many'),
  'again.plumb': alone('again', 'double', ', answers: "some"'),
  'nonsense.plumb': alone('nonsense', 'double', ', answers: "some"'),
  'listens.plumb': alone('listens'),
  'elsewhere.plumb': alone('listens', 'double', ', via: ["env"]'),
  'dies.plumb': alone('dies', 'slow'),
  'control.plumb': `let bot : (!string, !json) -> (!string, !json) = agent { command: ["./control"] }
let main : (!string, !json) -> (!string, !json, !json) = plumb(input, said, output, heard, reported) {
  spawn bot(input=input, ctrl_in=said, output=output, ctrl_out=heard, telemetry=reported)
}\n`,
  'policy.json': '[{"decision":"deny","tool":"environment","when":{"environment":"prod"}},{"decision":"allow"}]',
  'broken.json': '[{"decision":"maybe"}]',
})

const CALL = { double: ['double', { n: 4 }], environment: ['environment', {}] } as const
const REQUEST = { id: '1', name: 'double', input: { n: 4 } }
const ENVIRONMENT = lines(CALL.environment)

table('calls', {
  'of a tool in this process, and of one with a process of its own': {
    run: 'caller',
    in: lines(['double', { n: 4 }], ['ask', 'hello'], ['double', { n: 5 }]),
    out: lines({ n: 8 }, 'hello', { n: 10 }),
  },
  'that cannot be answered well are answered': {
    run: 'caller',
    in: lines(['nothing', 1], ['double', 'x'], ['double', { n: 1 }]),
    out: lines('unknown_tool', 'input_type_mismatch', { n: 2 }),
  },
  'fault 76: a thousand at once': { run: 'many', in: '1\n', out: '2000\n' },
  'fault 77: a repeated id gets the first answer again': { run: 'again', in: '1\n', out: lines({ n: 2 }, { n: 2 }) },
  'fault 64: are answered while the data is not read': {
    run: 'plumb stuffed.plumb | { until [ -s answered ]; do sleep 0.02; done; cat answered; wc -l; }',
    in: lines(['double', { n: 4 }]),
    out: '{"n":8}\n300000\n',
  },
  'of no request': {
    run: 'nonsense',
    in: '1\n',
    out: '["a",true]\n"the end"\n',
    errors: [
      { error: 'invalid_json', process: 'main', port: 'tool_req', line: 1 },
      { error: 'input_type_mismatch', process: 'main', port: 'tool_req', line: 2 },
    ],
  },
  'end with the agent that made them': {
    run: 'plumb dies.plumb; echo $?; until ! kill -0 $(cat slow.pid) 2>&-; do sleep 0.02; done',
    in: '1\n',
    out: '1\n',
    errors: [{ error: 'child_failed', signal: 'SIGKILL', seq: 1 }],
    status: 0,
  },
  'may be heard until there are no more': { run: 'listens', in: lines(REQUEST), out: lines({ n: 8 }) },
  'may be heard until there are no more, elsewhere': { run: 'elsewhere', in: lines(REQUEST), out: lines({ n: 8 }) },
  'get no key and nothing of ours in the environment (fault 92)': {
    run: 'OPENAI_API_KEY=sk-canary ANTHROPIC_API_KEY=sk-canary PLUMB_X=1 NODE_OPTIONS= plumb caller.plumb',
    in: ENVIRONMENT,
    out: (out) => out.includes('PATH=') && !/sk-canary|PLUMB_X|NODE_OPTIONS/.test(out),
  },
})

table('another dispatcher', {
  'by option': { run: 'plumb --tool-command ./dispatcher caller.plumb', in: lines(CALL.double), out: lines({ n: 4, by: 'another' }) },
  'by variable': { run: 'PLUMB_TOOL=./dispatcher plumb caller.plumb', in: lines(CALL.double), out: lines({ n: 4, by: 'another' }) },
  'of a nested plumb': {
    run: 'plumb --tool-command ./dispatcher nested.plumb',
    in: lines(CALL.double),
    out: lines({ n: 4, by: 'another' }),
  },
  'that ends before it answers': {
    run: 'plumb --tool-command ./quitter caller.plumb',
    in: lines(CALL.double, CALL.double),
    out: lines('child_failed', 'child_failed'),
  },
  'that is not there': {
    run: 'plumb --tool-command ./missing caller.plumb',
    in: lines(CALL.double),
    errors: [{ error: 'file_not_found', process: 'main' }],
    status: 2,
  },
})

const DENIED = lines('permission_denied')

table('what may be done', {
  'all that is declared': { run: 'caller', in: ENVIRONMENT, out: /PATH=/ },
  'only what an agent grants': { run: 'granted', in: ENVIRONMENT, out: DENIED },
  'only what the run grants': { run: 'plumb --grant fs.read,net --grant model caller.plumb', in: ENVIRONMENT, out: DENIED },
  'a run that grants more gives no more': { run: 'plumb --grant exec,model granted.plumb', in: ENVIRONMENT, out: DENIED },
  'nothing at all': {
    run: "plumb --grant '' caller.plumb",
    in: lines(CALL.double, CALL.environment),
    out: lines({ n: 8 }, 'permission_denied'),
  },
  'only what the policy allows, in a context': {
    run: 'plumb --policy policy.json --context environment=prod caller.plumb',
    in: ENVIRONMENT,
    out: DENIED,
  },
  'only what the policy allows, in another context': {
    run: 'plumb --policy policy.json --context environment=test caller.plumb',
    in: ENVIRONMENT,
    out: /PATH=/,
  },
  'in a nested plumb too': { run: 'plumb --grant net nested.plumb', in: ENVIRONMENT, out: DENIED },
  'in a nested plumb, in a context': {
    run: 'plumb --policy policy.json --context environment=prod nested.plumb',
    in: ENVIRONMENT,
    out: DENIED,
  },
  'is shown neither in text nor in the environment': {
    run: 'plumb --grant fs.read --context secret=of-mine --policy policy.json spied.plumb 2> seen; grep -c -e fs.read -e of-mine -e policy seen; pick _.text < seen | grep -e ^PATH= -e ^--binding$ | cut -c 1-5',
    in: '1\n',
    out: '"done"\n0\nPATH=\n--bin\n',
    status: 0,
  },
})

table('refused before anything runs', {
  'no effect': {
    run: 'plumb --grant fs.reed caller.plumb',
    errors: [{ error: 'usage', detail: /'fs.reed'.*did you mean 'fs.read'/ }],
    status: 2,
  },
  'no policy': { run: 'plumb --policy broken.json caller.plumb', errors: [{ error: 'config_invalid', path: 'broken.json' }], status: 2 },
  'a policy that is not there': { run: 'plumb --policy missing.json caller.plumb', errors: [{ error: 'file_not_found' }], status: 2 },
  'no context': { run: 'plumb --context x caller.plumb', errors: [{ error: 'usage', detail: /KEY=VALUE/ }], status: 2 },
  'no docroot': { run: 'plumb --docroot missing caller.plumb', errors: [{ error: 'file_not_found', detail: /--docroot/ }], status: 2 },
})

table('control and telemetry by hand', {
  'on real descriptors': {
    run: 'plumb control.plumb | sort',
    in: lines({ __port: 'said', msg: { stop: true } }, { __port: 'said', eof: true }, { __port: 'input', msg: 'x' }),
    out: lines(
      { __port: 'heard', msg: { heard: { stop: true } } },
      { __port: 'output', msg: 'x' },
      { __port: 'reported', msg: { kind: 'usage' } },
    ),
  },
})
