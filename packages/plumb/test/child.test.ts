// Children of a run: how they end and are ended, what is said of it, and what waits for whom.

import { makeShell } from './shell.js'

const MAIN = 'let main : !int -> !int = '
/** They leave marks in the directory, and their numbers as processes, which are others in a sandbox. */
const LEAVES_MARKS = ['stuck', 'mute', 'busy']
const agent = (name: string, script: string) =>
  `let ${name} : !int -> !${['price', 'bill'].includes(script) ? 'number' : 'int'} = agent { command: ["./${script}"]${LEAVES_MARKS.includes(script) ? ', sandbox: false' : ''} }\n`
const numbered = (name: string, script: string) => agent(name, script).replace(' }\n', ', answers: "numbered" }\n')
const NUMBERED = ['reported', 'refuses', 'numbers', 'tardy', 'boasts', 'long', 'forges']
const alone = (script: string) => (NUMBERED.includes(script) ? numbered : agent)('main', script)

const SCRIPTS: Readonly<Record<string, string>> = {
  parrot: 'exec cat',
  one: 'read -r x; echo "$x"',
  three: 'read -r x; echo "$x"; exit 3',
  late: 'cat; exit 3',
  killed: 'read -r x; kill -9 $$',
  price: 'read -r x; echo 1299.50; read -r x; printf 12; kill -9 $$',
  bill: 'read -r x; echo 1299.50; read -r x; printf 12; exit 3',
  short: 'read -r x; echo 1; read -r x; printf 12',
  half: 'read -r x; echo "$x"; read -r x; printf "[7"; kill -9 $$',
  words: 'cat; echo oops >&2; exit 4',
  reported: `n=0; while read -r x; do n=$((n + 1)); if [ "$x" = 2 ]; then echo '{"seq":'$n',"error":{"error":"timeout","category":"unavailable","detail":"late"}}'
    else echo '{"seq":'$n',"value":'"$x"',"done":true}'; fi; done; exit 1`,
  // Behind the end of its input, or its end is an error too: more could have come.
  config: `cat; echo '{"error":"missing_option","category":"config","detail":"no model"}' >&2; exit 2`,
  flood: 'cat; yes flood | head -c 20000000 >&2',
  grandchild: 'sleep 60 & exec cat',
  deaf: 'read -r x; exec 0<&-; echo 7; echo 8',
  generator: 'while echo 1; do :; done',
  stuck:
    'trap "" TERM INT HUP; echo $$ > pid.$PPID; echo > started; while read -r x; do echo "$x"; done; while :; do sleep 60 & wait; done',
  mute: 'trap "" TERM; while read -r x; do echo > started; done; while :; do sleep 60 & wait; done',
  busy: 'while read -r x; do echo > started; until [ -e go ]; do sleep 0.02; done; echo "$x"; done',
  twice: 'while read -r x; do echo "$x"; echo "$x"; done',
  odd: 'while read -r x; do ((x % 2)) && echo "$x"; done; exit 0',
  refuses: `read -r a; read -r b; read -r c; for n in 3 1; do echo '{"seq":'$n',"error":{"error":"timeout","category":"unavailable","detail":"not now"}}'; done
    echo '{"seq":2,"value":'"$b"',"done":true}'; read -r d; echo '{"seq":4,"value":'"$d"',"done":true}'`,
  numbers: `n=0; while read -r x; do n=$((n + 1)); for ((i = 0; i < x % 3; i++)); do echo '{"seq":'$n',"value":'"$((x * 10 + i))"'}'; done; echo '{"seq":'$n',"done":true}'; done`,
  // The first and the last fail, when what stands between them was answered.
  tardy: `read -r a; read -r b; read -r c; echo '{"seq":2,"value":'"$b"',"done":true}'
    for n in 3 1; do echo '{"seq":'$n',"error":{"error":"timeout","category":"unavailable","detail":"late"}}'; done`,
  boasts: `read -r x; echo '{"seq":2,"value":'"$x"'}'`,
  long: `read -r x; echo '{"seq":1,"value":'"$x"',"done":true}'; head -c 17000000 /dev/zero | tr '\\0' a; echo`,
  forges: `read -r x; echo '{"seq":1,"error":{"error":"spec_invalid","category":"config","detail":"no such word"}}'; read -r x; echo '{"seq":2,"value":'"$x"',"done":true}'`,
  bytes: `read -r x; printf '"\\377"'`,
  greets: 'echo 99; while read -r x; do echo "$x"; done',
  // Its telemetry counts more than it has written.
  telemetry: `while read -r x; do echo '{"kind":"settled","inputs":9,"controls":0,"outputs":9}' >&3; echo "$x"; done`,
  environment: `while read -r x; do env | grep -o '^[A-Z_]*=' | sort >&2; (cd /dev/fd && echo [0-9]) >&2; echo "$x"; done`,
}

const { table } = makeShell({
  ...Object.fromEntries(
    Object.entries(SCRIPTS).flatMap(([name, text]) => [
      [name, `#!/bin/bash\n${text}\n`],
      [`${name}.plumb`, alone(name)],
    ]),
  ),
  'bytes.plumb': 'let main : !int -> !string = agent { command: ["./bytes"] }\n',
  plain: 'exit\n',
  'missing.plumb': `${MAIN}agent { command: ["no-such-program"] }\n`,
  'plain.plumb': alone('plain'),
  'second.plumb': `${agent('first', 'stuck')}${agent('second', 'missing')}${MAIN}first ; second\n`,
  'taker.plumb': `${agent('source', 'generator').replace(' }\n', ', answers: "some" }\n')}let two : !int -> !int = plumb(a, b) { a ; taker ; b }\n${agent('taker', 'one')}${MAIN}source ; two\n`,
  'nested.plumb': `let inner : !int -> !int = plumb(from, to) { from ; map(value + 1) ; to }\n${MAIN}inner ; filter(value > 0)\n`,
  'agents.plumb': `${agent('a', 'parrot')}${agent('b', 'parrot')}${MAIN}a ; b\n`,
  'deep.plumb': `let inner : !int -> !int = plumb(from, to) { from ; stuck ; to }\n${agent('stuck', 'stuck')}${MAIN}inner\n`,
  'pairs.plumb': `${agent('parrot', 'parrot')}let main : !int -> !(int, int) = plumb(input, output) {\n input ; (id * parrot) ; barrier ; output\n}\n`,
  'barrier.plumb': 'let main : !int -> !(int, int) = plumb(input, output) {\n input ; (id * filter(value < 0)) ; barrier ; output\n}\n',
  'uneven.plumb':
    'let twice : !int -> !int = (id * id) ; merge\nlet main : !int -> !(int, int) = plumb(input, output) {\n input ; (twice * filter(value != 2)) ; barrier ; output\n}\n',
  'apart.plumb': 'let main : (!int, !int) -> !(int, int) = plumb(left, right, output) {\n (left * right) ; barrier ; output\n}\n',
  ...Object.fromEntries(
    ['twice', 'odd', 'refuses', 'numbers'].map((name) => [
      `joins-${name}.plumb`,
      `${(NUMBERED.includes(name) ? numbered : agent)('c', name)}let main : !int -> !(int, int) = plumb(input, output) {\n input ; (id * c) ; barrier ; output\n}\n`,
    ]),
  ),
  'round.plumb': `type W = { id: int, n: int }
let a : !W -> !W = agent { command: ["./twice"] }
let down : !W -> !W = map({ ...value, n: n - 1 })
let main : !W -> !W = plumb(input, output) {
  input ; a ; down
  down ; filter(n > 0) ; a
  down ; filter(n = 0) ; output
}\n`,
  'some.plumb': `${agent('c', 'odd').replace(' }\n', ', answers: "some" }\n')}${MAIN}c\n`,
  'id.plumb': `${MAIN}id\n`,
  'tardy-each.plumb': `${numbered('c', 'tardy')}let main : ![int] -> ![int] = each(c + map(0 - value))\n`,
  'behind.plumb': `let inner : !int -> !int = plumb(from, to) { from ; filter(value > 1) ; copy ; merge ; to }\nlet check : !int -> !int = map(round(6 / (value - 3)))\n${MAIN}inner ; check\n`,
  'sides.plumb': `let inner : (!int, !int) -> (!int, !int) = plumb(a, b, c, d) { a ; c\n b ; map(value + 1) ; d }
let main : (!int, !int) -> (!int, !int) = plumb(a, b, c, d) {
  let up : !int = channel
  let down : !int = channel
  spawn inner(a=a, b=b, c=up, d=down)
  up ; map(round(6 / (value - 3))) ; c
  down ; map(round(6 / (value - 3))) ; d
}\n`,
})

const NO_ANSWER = { error: 'child_failed', category: 'internal' }

const until = (condition: string) => `until ${condition}; do sleep 0.02; done`

table('a child that ends', {
  'fault 43: answers one and goes': {
    run: 'one',
    in: '1\n\n2\n3\n',
    out: '1\n',
    errors: [{ ...NO_ANSWER, status: 0, unanswered: 2, seq: 2, seqs: [[2, 3]] }],
  },
  'with a status, and messages left': {
    run: 'three',
    in: '1\n2\n',
    out: '1\n',
    errors: [{ ...NO_ANSWER, process: 'main', status: 3, seq: 2 }],
  },
  'with a status, and all answered': { run: 'late', in: '1\n', out: '1\n', errors: [{ ...NO_ANSWER, status: 3, unanswered: undefined }] },
  'fault 45: killed': {
    run: 'killed',
    in: '1\n',
    errors: [{ ...NO_ANSWER, signal: 'SIGKILL', detail: /was ended by SIGKILL; 1 of the 1 messages/, seq: 1 }],
  },
  'fault 44: in the middle of a line': {
    run: 'half',
    in: '1\n2\n3\n',
    out: '1\n',
    errors: [{ ...NO_ANSWER, signal: 'SIGKILL', unanswered: 2, seqs: [[2, 3]] }],
  },
  'fault 44: in the middle of a number': {
    run: 'price',
    in: '1\n2\n',
    out: '1299.50\n',
    errors: [{ ...NO_ANSWER, signal: 'SIGKILL', unanswered: 1, seq: 2 }],
  },
  'in the middle of a number, with a status': {
    run: 'bill',
    in: '1\n2\n',
    out: '1299.50\n',
    errors: [{ ...NO_ANSWER, status: 3, unanswered: 1, seq: 2 }],
  },
  'well, behind a line without its end': {
    run: 'short',
    in: '1\n2\n',
    out: '1\n12\n',
  },
  'with words': {
    run: 'words',
    in: '1\n',
    out: '1\n',
    errors: [
      { source: 'main', text: 'oops' },
      { ...NO_ANSWER, status: 4, stderr: 'oops' },
    ],
  },
  'having said what was wrong': {
    run: 'plumb reported.plumb',
    in: 'x\n1\n2\n3\n',
    out: '1\n3\n',
    errors: [
      { error: 'invalid_json', seq: 1 },
      { error: 'timeout', source: 'main', seq: 3 },
    ],
  },
  'having said on stderr that it is configured badly, which is passed on': {
    run: 'config',
    errors: [
      { source: 'main', text: /missing_option/ },
      { ...NO_ANSWER, status: 2 },
    ],
  },
  'having answered some, as the spec says of it': { run: 'plumb some.plumb', in: '1\n2\n3\n', out: '1\n3\n' },
  'having answered an input that it was not sent: what it has in hand has no answer': {
    run: 'boasts',
    in: '1\n',
    errors: [
      { ...NO_ANSWER, process: 'main', detail: /it was not sent so many inputs/, seq: undefined },
      { ...NO_ANSWER, process: 'main', detail: /does not answer as it says/, seq: 1 },
    ],
  },
  'having written a line that is too long: its beginning is shown': {
    run: 'long',
    in: '1\n2\n',
    out: '1\n',
    errors: [
      { ...NO_ANSWER, process: 'main', detail: /is longer than/, text: /^a{79}/ },
      { ...NO_ANSWER, process: 'main', seq: 2 },
    ],
  },
  'well, behind a last line that is not UTF-8': {
    run: 'plumb bytes.plumb',
    in: '1\n',
    errors: [{ error: 'invalid_utf8', process: 'main', seq: 1 }],
  },
  'having failed with a code that says that a run never started: the input has failed': {
    run: 'forges',
    in: '1\n2\n',
    out: '2\n',
    errors: [{ ...NO_ANSWER, detail: /no such word/, seq: 1 }],
  },
  'having answered before it was asked': {
    // Whether an input reaches it before the run has ended is chance.
    run: `plumb greets.plumb < <(${until('grep -q 99 err')}; seq 2) 2> err; status=$?; grep -v '"seq":' err >&2; exit $status`,
    errors: [{ ...NO_ANSWER, process: 'main', text: '99', seq: undefined }],
  },
  'having answered twice in a loop: the other inputs have an outcome': {
    run: `plumb --seq round.plumb 2>&1 | pick '_.seq' | sort -u`,
    in: '{"id":1,"n":2}\n{"id":2,"n":1}\n',
    out: '1\n2\n',
  },
  'having told on descriptor 3 of more than it had written: that settles nothing': {
    run: 'plumb --seq telemetry.plumb',
    in: '1\n2\n',
    out: '{"seq":1,"value":1}\n{"seq":2,"value":2}\n',
  },
  'having closed its input': {
    run: `yes 1 | head -200000 | plumb deaf.plumb 2> >(grep -v '"dropped":' >&2)`,
    out: '7\n8\n',
    errors: [{ ...NO_ANSWER, status: 0 }],
  },
  'fault 47: with a grandchild that holds on to its output': { run: 'grandchild', in: '1\n', out: '1\n' },
  'fault 53: having filled stderr': {
    run: 'plumb flood.plumb 2> err; echo $?; tail -n 1 err',
    in: '1\n',
    out: /^1\n0\n\{"source":"main","text":"\[more was written.*\n$/,
  },
  'before the one that feeds it': {
    // Whether something reaches it between its end and the news of that is chance.
    run: `plumb taker.plumb 2> >(grep -v '"dropped":' | uniq >&2)`,
    out: '1\n',
    errors: [
      { ...NO_ANSWER, process: 'taker', source: 'two', seqs: undefined },
      { ...NO_ANSWER, process: 'two', status: 1 },
    ],
  },
})

const INPUT = (port: string, msg: number) => `${JSON.stringify({ __port: port, msg })}\n`
const FAILED = { error: 'evaluation_failed', category: 'invalid' }

table('behind a nested plumb', {
  'errors have the number of their input': {
    run: 'behind',
    in: '1\n2\n3\n4\n',
    out: '-6\n-6\n6\n6\n',
    errors: [
      { ...FAILED, process: 'check', seq: 3 },
      { ...FAILED, process: 'check', seq: 3 },
    ],
  },
  'with several outputs too': {
    run: 'sides',
    in: INPUT('a', 4) + INPUT('b', 2) + INPUT('a', 3),
    out: INPUT('c', 6),
    errors: [
      { ...FAILED, seq: 2 },
      { ...FAILED, seq: 3 },
    ],
  },
  'outputs have it where it is asked for': {
    run: 'plumb --seq behind.plumb',
    in: '2\n1\n4\n',
    out: '{"seq":1,"value":-6}\n{"seq":1,"value":-6}\n{"seq":3,"value":6}\n{"seq":3,"value":6}\n',
  },
  'two hundred thousand of them': {
    run: 'yes 5 | head -200000 | plumb --seq behind.plumb | tail -1',
    out: '{"seq":200000,"value":3}\n',
  },
})

/** Each process that has noted its id. */
const gone = until('! grep -qs "^State:.[^ZX]" /proc/$(cat pid.* 2>&-)/status')

table('a child that cannot start', {
  'fault 42: is not there': {
    run: 'missing',
    in: '1\n',
    errors: [{ error: 'file_not_found', category: 'config', process: 'main', detail: /'no-such-program' is not on PATH/ }],
    status: 2,
  },
  'fault 42: cannot be executed': { run: 'plain', in: '1\n', errors: [{ error: 'file_not_found', detail: /not executable/ }], status: 2 },
  'faults 42, 50: ends the others, and no input is read': {
    run: `{ plumb second.plumb; echo $?; cat; } 2> err; pick _.error < err; ${gone}`,
    in: '1\n2\n',
    out: '2\n1\n2\nfile_not_found\n',
  },
})

table('what a child gets', {
  'faults 57, 92: no keys, no descriptors of others': {
    run: `ANTHROPIC_API_KEY=sk-1 NODE_OPTIONS= PLUMB_X=1 plumb environment.plumb 2>&1 >&- 8</dev/null | pick _.text | tr '\\n' ' '`,
    in: '1\n',
    // A sandbox has a temporary directory of its own.
    out: /^HOME= LANG= PATH= PWD= PYTHONUNBUFFERED= (SHLVL= )?(TMPDIR= )?_= 0 1 2 3 /,
  },
})

table('signals', {
  'faults 33, 34: what is in flight is finished first': {
    run: `plumb busy.plumb < <(echo 1; ${until('[ -e done ]')}) & ${until('[ -e started ]')}; kill -TERM $!; echo > go; wait $!; echo $?; echo > done`,
    out: '1\n143\n',
  },
  'fault 35: a second one ends it at once, with all its children': {
    run: `plumb deep.plumb < <(echo 1; ${until('[ -e done ]')}) > out & ${until('[ -s out ]')}; kill -INT $!; sleep 0.1; kill -INT $!; wait $!; echo $?; echo > done; ${gone}`,
    out: '130\n',
  },
  'fault 34: what is not finished in time is reported': {
    run: `plumb mute.plumb < <(echo; echo 1; ${until('[ -e done ]')}) & ${until('[ -e started ]')}; kill -TERM $!; wait $!; echo $?; echo > done`,
    out: '143\n',
    errors: [{ error: 'cancelled', process: 'main', unanswered: 1, seq: 1 }],
    status: 0,
  },
  'fault 35: a second one does not wait for a reader': {
    run: `yes 1 | plumb id.plumb > >(read -r x; echo > started; ${until('[ -e done ]')}) & ${until('[ -e started ]')}; kill -TERM $!; kill -TERM $!; wait $!; echo $?; echo > done`,
    out: '143\n',
  },
  'fault 39: kill -9 leaves nothing': {
    run: `plumb deep.plumb < <(echo 1; ${until('[ -e done ]')}) > out & ${until('[ -s out ]')}; kill -9 $!; wait $! 2>&-; echo $?; echo > done; ${gone}`,
    out: '137\n',
  },
  'fault 37: USR1 opens no debugger': {
    run: `{ echo 1; ${until('[ -e go ]')}; echo 2; } | plumb id.plumb > out & ${until('[ -s out ]')}; kill -USR1 $!; echo > go; wait $!; cat out`,
    out: '1\n2\n',
  },
})

const quietly = (spec: string) => ({ run: `set -o pipefail; { yes 1; true; } | plumb ${spec}.plumb | head -1`, out: /^([12]|\[1,1\])\n$/ })
table('fault 26: a reader that goes away ends it quietly', {
  'in this process': quietly('id'),
  'a nested plumb': quietly('nested'),
  agents: quietly('agents'),
})

table('faults 27, 28: what cannot be written', {
  'a full disk': { run: 'plumb id.plumb > /dev/full', in: '1\n', errors: [{ error: 'write_failed', category: 'internal' }] },
  'a stdout that was never open': { run: 'plumb id.plumb >&-', in: '1\n', errors: [{ error: 'write_failed' }] },
  'a stdout that was never open, and nothing to write': { run: 'plumb id.plumb >&-', errors: [{ error: 'write_failed' }] },
  'stderr closed or full': {
    run: 'cat > x; plumb id.plumb < x 2>&-; echo $?; plumb id.plumb < x 2> /dev/full; echo $?',
    in: '1\nx\n2\n',
    out: '1\n2\n1\n1\n2\n1\n',
  },
})

table('a barrier', {
  'fault 61: reports which branch gave more, and the inputs': {
    run: 'uneven',
    in: '1\n2\n3\n',
    out: '[1,1]\n[3,3]\n',
    errors: [
      {
        error: 'unpaired',
        category: 'invalid',
        process: 'barrier',
        left: [2, 0],
        seqs: [
          [1, 1],
          [3, 3],
        ],
        detail: /2 of 'twice'/,
      },
    ],
  },
  'of a program that answers more than it said: reported at once, and no wrong pair': {
    run: 'plumb joins-twice.plumb',
    in: '1\n2\n',
    out: '[1,1]\n[2,1]\n',
    errors: [{ error: 'child_failed', process: 'c', detail: /it has answered all that it was sent/, seq: undefined }],
  },
  'of a program that answers fewer': {
    run: 'plumb joins-odd.plumb',
    in: '1\n2\n',
    out: '[1,1]\n',
    errors: [{ error: 'child_failed', process: 'c', detail: /1 of the 2 messages it was sent is not answered/, seq: 2 }],
  },
  'of a program that refuses several at once': {
    run: 'plumb joins-refuses.plumb',
    in: '1\n2\n3\n4\n',
    out: '[2,2]\n[4,4]\n',
    errors: [
      { error: 'timeout', source: 'c', seq: 3 },
      { error: 'timeout', source: 'c', seq: 1 },
    ],
  },
  'of a program that numbers its answers: the k-th with the k-th of one input': {
    run: 'plumb --seq joins-numbers.plumb',
    in: '1\n3\n5\n4\n',
    out: '{"seq":1,"value":[1,10]}\n{"seq":3,"value":[5,50]}\n{"seq":4,"value":[4,40]}\n',
    errors: [{ error: 'unpaired', left: [0, 1], seqs: [[3, 3]] }],
  },
  'of a program that tells of an element when later ones are answered: they keep their order': {
    run: 'plumb tardy-each.plumb',
    in: '[1,2,3]\n',
    out: '[-1,2,-3]\n',
  },
  'drops what waits for a partner that a filter has dropped, at once': { run: 'seq 100000 | plumb --max-in-flight 500 barrier.plumb' },
  'does not wait for ever where branches part nowhere': {
    run: `yes '{"__port":"left","msg":1}' | plumb --max-in-flight 500 apart.plumb`,
    errors: [{ error: 'overflow', process: 'barrier', detail: /more than 500 messages of branch 'left' wait in 'barrier'/ }],
  },
})
