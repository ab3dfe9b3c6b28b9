// long
// Calls that wait for a person (plumb(1), Calls that wait for a person): parked in the record of a run, decided later, and made once.

import { makeShell } from './shell.js'

const SEND = `let send : { to: string } -> string = tool { function: "send.mjs", approval: "ask", effects: ["fs.write"], sandbox: false }\n`
const BOT = (more = '') =>
  `${SEND}let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [send], grant: ["fs.write", "exec"]${more} }\n`
const main = (body: string) => `let main : !string -> !string = plumb(input, output) { ${body} }\n`

const FILES = {
  'send.mjs': `import { appendFileSync } from 'node:fs'
export default ({ to }) => { appendFileSync(process.env.PWD + '/sent.txt', to + '\\n'); return 'sent to ' + to }
`,
  'in.txt': 'hello\ncall send {"to":"ann"}\nhello\ncall send {"to":"bob"}\nhello\n',
  'remembers.plumb': BOT() + main('input ; bot ; output'),
  'forgets.plumb': BOT(', amnesiac: true') + main('input ; bot ; output'),
  'choice.plumb': BOT(', amnesiac: true') + main('input ; (bot + map("other")) ; output'),
  'port.plumb': `${BOT(', amnesiac: true')}let main : !string -> (!string, !string) = plumb(input, output, letters) {\n input ; bot ; output\n bot@error ; map(error) ; letters\n}\n`,
  'each.plumb': `${BOT(', amnesiac: true')}let all : ![string] -> ![string] = each(bot, on_error: "skip")\n${main('input ; map([value, "hello"]) ; all ; map(join(value, "|")) ; output')}`,
  'barrier.plumb': BOT(', amnesiac: true') + main('input ; (id * bot) ; barrier ; map(value[0] + "=" + value[1]) ; output'),
  'nested.plumb': `${BOT(', amnesiac: true')}let inner : !string -> !string = plumb(from, to) { from ; bot ; to }\n${main('input ; inner ; output')}`,
  'map.plumb': `${SEND}${main('input ; filter(value != "hello") ; map({ to: replace(value, "call send ", "") }) ; map(send) ; output')}`,
  'loop.plumb': `${SEND}let main : !string -> !string = plumb(input, output) {
  let todo : !string = channel
  input ; todo
  todo ; filter(value != "done") ; map({ to: value }) ; map(send) ; output
  todo ; filter(value = "again") ; map("done") ; todo
}
`,
  'pair.plumb': BOT(', amnesiac: true') + main('input ; bot ; output'),
  'big.plumb': `let pay : int -> string = tool { function: "pay.mjs", approval: "ask", sandbox: false }\nlet main : !int -> !string = map(pay)\n`,
  'pay.mjs': 'export default (n) => "paid"\n',
}

const { table } = makeShell({
  ...FILES,
  run: '#!/bin/bash\nspec=$1; shift\nplumb -Rr --grant fs.write,exec "$@" $spec.plumb < in.txt\n',
  // A person decides on all calls that wait.
  decide: '#!/bin/bash\nplumb approve rec $(plumb approvals rec | pick _.id) "$@"\n',
  made: '#!/bin/bash\n[ -e sent.txt ] && sort sent.txt\nexit 0\n',
})

const parked = (messages: number, calls: number, seqs: readonly (readonly number[])[]) => ({ error: 'parked', messages, calls, seqs })
const HELLO = 'HOW DO YOU DO. PLEASE STATE YOUR PROBLEM'
const text = (...said: readonly string[]): string => said.map((line) => `${line}\n`).join('')
const both = (spec: string): string => `./run ${spec} --record rec --park; ./decide; ./run ${spec} --resume rec; ./made`

/** What is wired around the agent, with what comes of a message that waits, and of one that does not. */
const around = (spec: string, hello: string, sent: (to: string) => string) => ({
  run: both(spec),
  out: text(hello, hello, hello, hello, sent('ann'), hello, sent('bob'), hello, 'ann', 'bob'),
  errors: [
    parked(2, 2, [
      [2, 2],
      [4, 4],
    ]),
  ],
  status: 0,
})
const output = (said: string) => `{"__port":"output","msg":"${said}"}`

table('what waits is lost nowhere, nothing takes its place, and all others go on', {
  'an agent without a memory': around('forgets', HELLO, (to) => `sent to ${to}`),
  'a fallback is not asked': around('choice', HELLO, (to) => `sent to ${to}`),
  'a port of errors does not hear of it': around('port', output(HELLO), (to) => output(`sent to ${to}`)),
  'a list waits with its element, also where others are skipped': around('each', `${HELLO}|${HELLO}`, (to) => `sent to ${to}|${HELLO}`),
  'a barrier waits for its partner': around('barrier', `hello=${HELLO}`, (to) => `call send {"to":"${to}"}=sent to ${to}`),
  'a nested plumb': around('nested', HELLO, (to) => `sent to ${to}`),
  'a map of a tool': {
    run: both('map'),
    out: text('sent to {"to":"ann"}', 'sent to {"to":"bob"}', '{"to":"ann"}', '{"to":"bob"}'),
    errors: [
      parked(2, 2, [
        [2, 2],
        [4, 4],
      ]),
    ],
    status: 0,
  },
  'a loop': {
    run: 'rm in.txt; echo hello > in.txt; ./run loop --record rec --park; ./decide; ./run loop --resume rec; ./made',
    out: text('sent to hello', 'hello'),
    errors: [parked(1, 1, [[1, 1]])],
    status: 0,
  },
  'an agent that remembers: what follows waits behind it': {
    run: './run remembers --record rec --park; ./decide; ./run remembers --resume rec; ./decide; ./run remembers --resume rec; ./made',
    out: text(HELLO, HELLO, 'sent to ann', HELLO, HELLO, 'sent to ann', HELLO, 'sent to bob', HELLO, 'ann', 'bob'),
    errors: [parked(4, 1, [[2, 5]]), parked(2, 1, [[4, 5]])],
    status: 0,
  },
  'calls of one answer that need no consent are made, once': {
    run: both('forgets').replaceAll('forgets', 'pair'),
    out: text(HELLO, HELLO, HELLO, HELLO, 'sent to ann', HELLO, 'sent to bob', HELLO, 'ann', 'bob'),
    errors: [
      parked(2, 2, [
        [2, 2],
        [4, 4],
      ]),
    ],
    status: 0,
  },
})

table('what a person says', {
  'yes, with another input': {
    run:
      './run forgets --record rec --park > reported 2>&1; set -- $(plumb approvals rec | pick _.id); ' +
      `plumb approve --edit '{"to":7}' rec $1; plumb approve --edit '{"to":"x"}' rec $1 $2; plumb approve --edit '{ "to":\n"eve" }' rec $1; ` +
      'plumb approve rec $2; ./run forgets --resume rec | grep sent; ./made',
    out: text('sent to eve', 'sent to bob', 'bob', 'eve'),
    errors: [{ error: 'input_type_mismatch' }, { error: 'usage', detail: /--edit is the input of one call/ }],
    status: 0,
  },
  'yes, with another input, to a map': {
    run:
      './run map --record rec --park > reported 2>&1; set -- $(plumb approvals rec | pick _.id); ' +
      `plumb approve --edit '{"to":"eve"}' rec $1; plumb approve rec $2; ./run map --resume rec; ./made`,
    out: text('sent to eve', 'sent to {"to":"bob"}', 'eve', '{"to":"bob"}'),
  },
  'no: the agent gets the answer, and why': {
    run: './run forgets --record rec --park > reported 2>&1; ./decide --deny --why "not on Fridays" && ./run forgets --resume rec | grep -c "not on Fridays"; ./made',
    out: text('2'),
  },
  'nothing: it goes on waiting, and is asked for once': {
    run: './run forgets --record rec --park > reported 2>&1; ./run forgets --resume rec 2> reported | wc -l; plumb approvals rec | pick _.tool; ./made',
    out: text('3', 'send', 'send'),
  },
  'to one of two': {
    run: `./run forgets --record rec --park > reported 2>&1; plumb approve rec $(plumb approvals rec | head -n 1 | pick _.id); ./run forgets --resume rec; ./made`,
    out: text(HELLO, 'sent to ann', HELLO, HELLO, 'ann'),
    errors: [parked(1, 1, [[4, 4]])],
    status: 0,
  },
  'of a call that the model makes otherwise now: it is a new question': {
    run: './run forgets --record rec --park > reported 2>&1; ./decide; sed -i s/ann/eve/ in.txt; ./run forgets --resume rec; ./made',
    out: text(HELLO, HELLO, 'sent to bob', HELLO, 'bob'),
    errors: [/warning|parked/],
    status: 0,
  },
  'all is listed, with what was said of it': {
    run: './run forgets --record rec --park > reported 2>&1; ./decide --why fine --until 2999-01-01; plumb approvals rec; plumb approvals --all rec | pick "[_.tool, _.input, _.process, _.state, _.said, _.until]"',
    out: text(
      '["send",{"to":"ann"},"bot","approved","fine","2999-01-01T00:00:00.000Z"]',
      '["send",{"to":"bob"},"bot","approved","fine","2999-01-01T00:00:00.000Z"]',
    ),
  },
  'to a run that was stopped before its first call: it parks what comes then': {
    run: 'cp in.txt all; head -n 1 all > in.txt; ./run forgets --record rec --park; plumb approvals rec; cp all in.txt; ./run forgets --resume rec 2> reported; plumb approvals rec | pick _.tool; ./made',
    out: text(HELLO, HELLO, HELLO, HELLO, 'send', 'send'),
  },
  'a number with all its digits': {
    run: 'echo 9007199254740993 | plumb --record rec --park --grant exec big.plumb > reported 2>&1; plumb approvals rec | grep -o "\\"input\\":[0-9]*"',
    out: text('"input":9007199254740993'),
  },
})

table('what cannot be decided', {
  'a call that is not there': {
    run: './run forgets --record rec --park > reported 2>&1; plumb approve rec abc; echo $?; plumb approvals rec | pick _.state',
    out: text('2', 'waits', 'waits'),
    errors: [{ error: 'usage', detail: /no call has the id 'abc'/ }],
    status: 0,
  },
  'one of several: then none of them': {
    run: './run forgets --record rec --park > reported 2>&1; ./decide abc; echo $?; plumb approvals rec | pick _.state',
    out: text('2', 'waits', 'waits'),
    errors: [{ error: 'usage' }],
    status: 0,
  },
  'one that was made': {
    run: `./run forgets --record rec --park > reported 2>&1; ./decide; ./run forgets --resume rec > reported; plumb approve --deny rec $(plumb approvals --all rec | head -n 1 | pick _.id)`,
    errors: [{ error: 'usage', detail: /is made/ }],
    status: 2,
  },
  'until a time that is over, or none': {
    run: './run forgets --record rec --park > reported 2>&1; ./decide --until 2001-01-01; ./decide --until tomorrow; ./decide --until 2999-01-01T10:00',
    errors: [{ detail: /is over/ }, { detail: /not 'tomorrow'/ }, { detail: /such as/ }],
    status: 2,
  },
  'a directory that is not a record, or of a run that parked nothing': {
    run: 'plumb approvals nowhere; mkdir empty; plumb approvals empty; plumb approve empty x',
    errors: [{ error: 'file_not_found' }, { error: 'record_invalid' }, { error: 'record_invalid' }],
    status: 2,
  },
  'parking without a record': { run: 'plumb --park forgets.plumb < in.txt', errors: [{ error: 'usage', detail: /--park/ }], status: 2 },
  'without --park a call that needs a person is refused, as ever': {
    run: './run forgets --record rec | grep -c "needs the consent"; [ -e rec/approvals.jsonl ]; echo $?',
    out: text('2', '1'),
  },
})
