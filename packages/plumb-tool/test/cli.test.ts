// plumb-tool on a command line: what is asked for, what is said when it cannot be had, and how it ends.

import t from 'tap'
import { shell, table } from './tool-shell.js'

const SPEC = `use "./shapes.plumb" as Shapes
type A = { a: int }
type B = { b: int }
type C = { c: int }
@tool true
@version "1.2"
@description "Makes a B of an A"
let a_to_b : A -> B = map({ b: a })
@tool true
@description "Makes a C of a B"
let b_to_c : B -> C = map({ c: b })
@tool true
let whole : A -> C = a_to_b ; b_to_c
let inner : int -> int = map(value + 1)
@tool true
let square : int -> int = map(value * value)
@tool true
let shout : string -> string = map(upper(value))
@tool true
let gone : unit -> string = map("nothing")
let status : { arguments?: [string] } -> string = tool { command: "echo", description: "Repeats" }
let away : A -> B = tool { failing: "unavailable", retry: 2 }
let shaky : int -> int = tool { flaky: square, rate: 0.5, seed: 1 }
let spied : int -> int = tool { spy: square }
let asked : A -> A = tool { mock: { a: 1 }, approval: "ask" }
let nap : { arguments?: [string] } -> string = tool { command: "sleep" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [square, status], grant: ["model"] }
`
const FILES = {
  't.plumb': SPEC,
  'shapes.plumb': '@tool true\nlet side : { area: number } -> number = map(area)\nlet hidden : int -> int = id\n',
  'policy.json': '[{"decision":"deny","tool":"status"},{"decision":"allow","effect":"exec","when":{"user":"me"}}]',
  'broken.plumb': 'let a : int -> string = map(value)\nlet b : nothing -> int = id\n',
  'list.plumb': '@tool true\nlet f : int -> int = id\n',
  'bad.plumb': `let a : json -> json = tool { builtin: "reed_file" }
let b : { arguments?: [string] } -> string = tool { command: "./none.sh" }
let c : int -> int = tool { function: "./none.mjs#f" }
`,
}
const run = (words: string) => `plumb-tool t.plumb ${words}`
const usage = (detail: RegExp) => ({ errors: [{ error: 'usage', category: 'config', detail }], status: 2 })

t.test('list and schema', (t) =>
  table(
    t,
    {
      list: {
        run: run("list | pick '[_.name, _.type, _.version, _.effects, _.depends_on, _.source, _.spec]' | head -n 3"),
        out: `["a_to_b","A -> B","1.2",[],[],"inline","t.plumb"]
["b_to_c","B -> C",null,[],[],"inline","t.plumb"]
["whole","A -> C",null,[],["a_to_b","b_to_c"],"inline","t.plumb"]
`,
      },
      'what is internal is not listed, what a module exposes is': {
        run: run(
          "list | pick _.name | grep -E 'inner|Shapes'; plumb-tool t.plumb list | pick '_.name === \"status\" ? [_.effects, _.description, _.source] : undefined'",
        ),
        out: 'Shapes.side\n[["exec"],"Repeats","command"]\n',
      },
      'without a spec the built-ins': { run: 'plumb-tool list | pick _.spec | sort -u', out: '<builtins>\n' },
      'a spec on the command line': {
        run: "plumb-tool -e '@tool true let f : int -> int = id' list | pick '[_.name, _.spec]'",
        out: '["f","<eval>"]\n',
      },
      'a table on a terminal': {
        run: 'on-terminal plumb-tool list.plumb list',
        out: '\x1b[1mname  type        effects\x1b[0m\nf     int -> int  -\n',
      },
      'the same without colours': {
        run: 'NO_COLOR=1 on-terminal plumb-tool list.plumb list',
        out: 'name  type        effects\nf     int -> int  -\n',
      },
      schema: {
        run: run(
          "schema square | pick '[_.name, _.description, _.input_schema.properties.input.type, _.input_schema.required, _.output_schema.type]'",
        ),
        out: '["square","","integer",["input"],"integer"]\n',
      },
      'of what is not there': { run: run('schema sqare'), errors: [{ error: 'unknown_tool', detail: /did you mean 'square'/ }] },
      'what one agent may call': { run: run('--agent bot list | pick _.name'), out: 'square\nstatus\n' },
      'to /dev/full': { run: run('list > /dev/full'), errors: [{ error: 'write_failed' }] },
      'to a reader that has gone': { run: run('list | true; echo $PIPESTATUS'), out: '0\n' },
    },
    FILES,
  ),
)

t.test('call', (t) =>
  table(
    t,
    {
      'a value or, for a type that is not a record, an input': {
        run: ['-5', '7', '\'{"input":4}\'', "' 12 '"].map((input) => run(`call square ${input}`)).join('; '),
        out: '25\n49\n16\n144\n',
      },
      'on several lines': { run: run('call a_to_b \'{\n  "a": 1\n}\''), out: '{"b":1}\n' },
      'nothing, where that says enough': { run: `${run('call gone')}; ${run('call status')}`, out: '"nothing"\n"\\n"\n' },
      'nothing, where it does not': { run: run('call square'), ...usage(/'square' takes 'int'/) },
      'what is not JSON': { run: run('call shout hello'), errors: [{ error: 'invalid_json', detail: /-R/ }] },
      'raw in and out': { run: run('call -R -r shout \'well, "you"\''), out: 'WELL, "YOU"\n' },
      'a line a call, in order': {
        run: run('call square -'),
        in: '1\n\n"x"\n[\n3\n',
        out: '1\n9\n',
        errors: [
          { error: 'input_type_mismatch', line: 3, seq: 2 },
          { error: 'invalid_json', line: 4, seq: 3, detail: /jq -c/ },
        ],
      },
      'no lines, no calls': { run: run('call square - < /dev/null') },
      'raw lines': { run: run('call -Rr shout -'), in: 'one\n\ntwo "2"', out: 'ONE\n\nTWO "2"\n' },
      'all of it as one': { run: run('call -Rrs shout -'), in: 'one\n"two"\n', out: 'ONE\n"TWO"\n\n' },
      'one value on several lines': { run: run('call -s square'), in: '\n4\n', out: '16\n' },
      'too much at once': { run: run('call -s shout - --max-line 20'), in: `"${'x'.repeat(30)}"`, errors: [{ error: 'line_too_long' }] },
      'slurp and an input': { run: run('call -s square 4'), ...usage(/reads standard input/) },
      'a string for the one field that is needed': { run: 'plumb-tool call -R read_file t.plumb | pick _.total_lines', out: /^\d+\n$/ },
      'a patch as it is written': {
        run: `plumb-tool call -Rs apply_patch --check - | pick '[_.checked, _.files[0].path]'; test -e new; echo $?`,
        in: '*** Begin Patch\n*** Add File: new\n+x\n*** End Patch\n',
        out: '[true,"new"]\n1\n',
      },
      'trying what cannot be tried': { run: run('call --check square 4'), ...usage(/'square' cannot be tried/) },
      'a long line': {
        run: run('call shout - --max-line 20'),
        in: `"${'x'.repeat(30)}"\n"ok"\n`,
        out: '"OK"\n',
        errors: [{ error: 'line_too_long', line: 1 }],
      },
      'the wrapper': {
        run: run(
          "call --envelope away '{\"a\":1}' | pick '[_.tool, _.ok, _.attempts, _.input, _.error.category, _.depth, _.parent, [...new Set(_.stages.map((one) => one.stage))].sort()]'; echo $PIPESTATUS",
        ),
        out: '["away",false,2,{"a":1},"unavailable",0,null,["permission","retry","run","timeout","validate"]]\n1\n',
        errors: [{ error: 'overloaded' }],
        status: 0,
      },
      'the wrapper of each line': {
        run: run("call --envelope square - | pick '[_.input, _.result]'"),
        in: '2\n12\n',
        out: '[2,4]\n[12,144]\n',
      },
      'what is not there': { run: run('call sqare 1'), errors: [{ error: 'unknown_tool', category: 'not_found' }] },
      'what is internal': { run: run('call inner 1'), errors: [{ error: 'unknown_tool', detail: /@tool true/ }] },
      'an approval with no person there': {
        run: run('call asked \'{"a":1}\''),
        errors: [{ error: 'approval_required', category: 'denied' }],
      },
      'a grant is all that is allowed': {
        run: `${run('--grant fs.read call status')}; ${run('--grant fs.read --grant exec call status')}`,
        out: '"\\n"\n',
        errors: [{ error: 'permission_denied', effect: 'exec' }],
        status: 0,
      },
      'the private net is added to all the rest': { run: run('--grant net.private call status'), out: '"\\n"\n' },
      'an agent has its own grant': { run: run('--agent bot call status'), errors: [{ error: 'permission_denied' }] },
      'a policy': {
        run: `${run('--policy policy.json --context user=me call status')}; ${run('--policy policy.json --context user=me call nap \'{"arguments":["0"]}\'')}; ${run('--policy policy.json call nap \'{"arguments":["0"]}\'')}`,
        out: '""\n',
        errors: [{ error: 'permission_denied' }, { error: 'permission_denied' }],
      },
      'what a spy hears': { run: run('call spied 3'), out: '9\n', errors: [{ tool: 'square', input: 3, ok: true, result: 9 }], status: 0 },
      'to /dev/full': { run: run('call square 3 > /dev/full'), errors: [{ error: 'write_failed' }] },
      'a reader that goes away': {
        run: `yes 3 | head -c 2000000 | ${run('call square - | head -n 1')}; echo \${PIPESTATUS[@]}`,
        out: /^9\n\d+ 0 0 0\n$|^9\n/,
      },
    },
    FILES,
  ),
)

t.test('find', (t) =>
  table(
    t,
    {
      'by types': { run: run('find --from A --to B'), out: 'a_to_b\naway\n' },
      'a chain': { run: `plumb-tool -e '${SPEC.split('\n').slice(1, 11).join('\n')}' find --from A --to C`, out: 'a_to_b ; b_to_c\n' },
      'a chain as JSON': {
        run: `plumb-tool -e '${SPEC.split('\n').slice(1, 11).join('\n')}' find --from '{ a: int }' --to C --json`,
        out: '{"chain":"a_to_b ; b_to_c","tools":["a_to_b","b_to_c"],"type":"A -> C"}\n',
      },
      identity: { run: run('find --from C --to C'), out: 'id\n' },
      'one side': { run: run('find --to C'), out: 'b_to_c\nwhole\n' },
      'by words, the best first': { run: run('find b'), out: 'a_to_b\nb_to_c\naway\n' },
      'by words and types': { run: run('find makes --to C'), out: 'b_to_c\n' },
      nothing: { run: run('find --from C --to A'), errors: [{ error: 'unknown_tool', detail: /takes 'C' and gives 'A'/ }] },
      'no such type': { run: run('find --from Z'), errors: [{ error: 'unknown_type', detail: /--from/ }], status: 2 },
      'no type': { run: run("find --to '[int'"), errors: [{ error: 'syntax_error', detail: /--to/ }], status: 2 },
      'nothing asked': { run: run('find'), ...usage(/takes words/) },
    },
    FILES,
  ),
)

t.test('test', async (t) => {
  const good = await shell(run('test --seed 5'), FILES)
  t.equal(good.status, 0, good.err)
  t.match(good.out, /^TAP version 14\n# seed 5\nok 1 - id ; f = f \(\d+ ways, \d+ inputs\)\n/)
  t.match(good.out, /- status # SKIP has effects: exec\n/)
  t.match(good.out, /- shaky # SKIP 'shaky' fails by chance\n/)
  t.equal((await shell(run('test --seed 5'), FILES)).out, good.out, 'the seed repeats it')
  t.match((await shell(run('test'), FILES)).out, /# seed \d+\n/)
})

t.test('words, options and specs that are wrong', (t) =>
  table(
    t,
    {
      nothing: { run: 'plumb-tool', ...usage(/list, schema, call, serve, find, skill, test/) },
      'a spec alone': { run: 'plumb-tool t.plumb', ...usage(/plumb-tool t\.plumb list/) },
      'a misspelt command': { run: 'plumb-tool t.plumb lst', ...usage(/did you mean 'list'/) },
      'in place of the spec': { run: 'plumb-tool cal square 3', ...usage(/'cal'; did you mean 'call'/) },
      'a file called like a command': { run: 'cp list.plumb list; plumb-tool ./list list | pick _.name', out: 'f\n' },
      'a spec behind the command': {
        run: 'plumb-tool call t.plumb square 3',
        ...usage(/the spec comes first: plumb-tool t\.plumb call NAME \[JSON \| -\]/),
      },
      'a spec behind a command that takes nothing': { run: 'plumb-tool list t.plumb', ...usage(/comes first: plumb-tool t\.plumb list$/) },
      'a word too many': { run: run('list more'), ...usage(/'more' is one word too many/) },
      'a word too few': { run: run('call'), ...usage(/NAME/) },
      "another's option": { run: run('list --envelope'), ...usage(/--envelope is for call/) },
      'an unknown option': { run: run('list --jsn'), errors: [{ error: 'unknown_option', detail: /did you mean '--json'/ }], status: 2 },
      'a spec twice': { run: "plumb-tool -e 'let f : int -> int = id' t.plumb list", ...usage(/--eval/) },
      'no such file': { run: 'plumb-tool none.plumb list', errors: [{ error: 'file_not_found' }], status: 2 },
      'no directory, no agent': {
        run: run('--docroot none --agent bt list'),
        errors: [
          { error: 'unknown_name', detail: /did you mean 'bot'/ },
          { error: 'file_not_found', detail: /--docroot/ },
        ],
        status: 2,
      },
      'no effect, no policy': {
        run: `${run('--grant exce list')}; ${run('--policy none list')}; ${run('--context me list')}`,
        errors: [{ error: 'usage', detail: /'exec'/ }, { error: 'file_not_found' }, { error: 'usage', detail: /KEY=VALUE/ }],
        status: 2,
      },
      'errors of a spec are all reported': {
        run: 'PLUMB_ERRORS=json plumb-tool broken.plumb list',
        errors: [{ code: 'type_mismatch' }, { code: 'unknown_type' }],
        status: 2,
      },
      'of its tools too, before anything is run': {
        run: 'plumb-tool bad.plumb list',
        errors: [{ error: 'config_invalid', detail: /reed_file/ }, { error: 'file_not_found' }, { error: 'file_not_found' }],
        status: 2,
      },
      version: { run: 'plumb-tool --version', out: /^\d+\.\d+\.\d+\n$/ },
      'help anywhere': { run: run('call --help | head -n 1'), out: 'Usage: plumb-tool [options] [spec.plumb] COMMAND ...\n' },
      'help that cannot be written': { run: 'plumb-tool --help > /dev/full', errors: [{ error: 'write_failed' }] },
    },
    FILES,
  ),
)

t.test('a signal cancels the call', async (t) => {
  const script = `plumb-tool t.plumb call nap '{"arguments":["16.1803"]}' & pid=$!
until [ "$(running 'sleep 16.1803')" = 1 ]; do sleep 0.02; done
kill -INT $pid; wait $pid; echo $?
# The kernel may take a moment to end what was killed.
until [ "$(running 'sleep 16.1803')" = 0 ]; do sleep 0.02; done; echo gone`
  const { out } = await shell(`set -m; ${script}`, FILES)
  t.match(out, /130\ngone\n$/)
})
