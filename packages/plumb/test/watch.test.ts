// What is left of a run beside its outputs: --record, stage replay, --rejects, budgets, --dry-run, and what --resume refuses.

import { lines, makeShell } from './shell.js'

const ELIZA = '{ provider: "eliza", model: "doctor" }'
const FREE = '{ provider: "eliza", model: "doctor", amnesiac: true }'

const FILES = {
  'chain.plumb': `let shout : !string -> !string = map(upper(value))
let mark : !string -> !string = map(value + "!") ; filter(length(value) > 2)
let main : !string -> !string = plumb(input, output) { input ; shout ; mark ; output }
`,
  'eliza.plumb': `let main : !string -> !string = agent ${ELIZA}\n`,
  'free.plumb': `let main : !string -> !string = agent ${FREE}\n`,
  'int.plumb': 'let main : !int -> !int = map(12 % n)\n',
  'nested.plumb': `let bot : !string -> !string = agent ${ELIZA}
let inner : !string -> !string = plumb(input, output) { input ; bot ; output }
let main : !string -> !string = plumb(input, output) { input ; inner ; output }
`,
  'tool.plumb': `let bot : !string -> !string = agent ${ELIZA}
@tool true
let ask : string -> string = tool { process: bot }
let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [ask] }
`,
  'program.plumb': 'let main : !string -> !string = agent { command: ["./agent.sh"], sandbox: { write: ["."] } }\n',
  'agent.sh': `#!/bin/bash
while read -r line; do
  echo '{"kind":"usage","input_tokens":10,"output_tokens":5,"model":"sh"}' >&3
  echo "$line" | tee -a asked
done
`,
  'dies.plumb': 'let main : !string -> !string = agent { command: ["./dies.sh"] }\n',
  'dies.sh': '#!/bin/bash\nread -r line; echo "$line"; read -r line; exit 3\n',
  'loop.plumb': `let bot : !string -> !string = agent ${FREE}
let main : !string -> !string = plumb(input, output) {
  let again : !string = channel
  input ; again ; bot ; filter(length(value) > 1000) ; again
  bot ; output
}
`,
  'control.plumb': `let bot : (!string, !json) -> !string = agent ${FREE}
let main : (!string, !json) -> !string = plumb(input, ctrl, output) { spawn bot(input=input, ctrl_in=ctrl, output=output) }
`,
  'counting.plumb': 'let main : !string -> !string = agent { provider: "eliza", model: "doctor", max_messages: 2 }\n',
  'all.plumb': `let today : { arguments?: [string] } -> string = tool { command: "echo Sunday" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [today] }
let far : !string -> !string = agent { provider: "eliza", model: "doctor", via: ["sh", "-c"] }
let program : !string -> !string = agent { command: ["./agent.sh"], sandbox: { write: ["."] } }
let inner : !string -> !string = plumb(input, output) { input ; bot ; output }
let main : !string -> !string = plumb(input, output) { input ; bot ; far ; program ; inner ; output }
`,
  'calls.jsonl': lines('I am sad', 'call ask "I am sad"', 'call ask "Men are all alike."', 'I am sad'),
  'mine/notes.txt': 'mine\n',
}

const { table } = makeShell(FILES)

const SAD = lines('I am 1 sad', 'I am 2 sad', 'I am 3 sad')

table('--record', {
  'every wire, numbered as the program goes': {
    run: 'plumb --record rec chain.plumb && ls rec && cat rec/02-shout-mark.jsonl rec/0?-mark*-mark.filter.jsonl && plumb --record rec2 chain.plumb < /dev/null && ls rec2 | cmp - <(ls rec)',
    in: lines('a', 'bc'),
    out: `"BC!"
01-input-shout.jsonl
02-shout-mark.jsonl
03-mark-output.jsonl
04-mark-mark.map.jsonl
05-mark.map-mark.filter.jsonl
06-mark.filter-mark.jsonl
answers.jsonl
events.jsonl
run.json
trace.json
"A"
"BC"
"A!"
"BC!"
`,
  },
  'only what has its type is on a wire': {
    run: 'plumb --record rec int.plumb; cat rec/01-input-*.jsonl',
    in: '5\n"x"\n{\n  7 \n',
    out: '2\n5\n5\n  7 \n',
    errors: [
      { error: 'input_type_mismatch', seq: 2 },
      { error: 'invalid_json', seq: 3 },
    ],
    status: 0,
  },
  'a stage runs on what it got': {
    run: 'plumb --record rec chain.plumb > out; plumb stage mark chain.plumb < rec/02-shout-mark.jsonl | cmp - out && cat out',
    in: lines('a', 'bc'),
    out: '"BC!"\n',
  },
  'an older record is replaced': {
    run: 'plumb --record rec nested.plumb > /dev/null && plumb --record rec chain.plumb && ls rec | head -n 1; ls -d rec/inner',
    in: lines('bc'),
    out: '01-input-shout.jsonl\n',
    errors: [/rec\/inner/],
    status: 2,
  },
  'a directory with something else in it is left alone': {
    run: 'plumb --record mine chain.plumb; echo $?; ls mine; mkdir -p rec/deep && touch rec/run.json rec/deep/x; plumb --record rec chain.plumb; ls -R rec | wc -l; plumb --record chain.plumb/x chain.plumb',
    out: '2\nnotes.txt\n6\n',
    errors: [
      { error: 'record_invalid', detail: /'mine' holds 'notes.txt'/ },
      { error: 'record_invalid', detail: /'deep\/x'/ },
      { error: 'file_not_found', detail: /chain.plumb\/x/ },
    ],
    status: 2,
  },
  'complete after a signal': {
    run: `mkfifo in out; plumb --record rec chain.plumb < in > out & pid=$!; exec 7> in 8< out
      for i in {1..2000}; do echo '"bc"'; done >&7 & for i in {1..2000}; do read -r -u 8; done
      kill -TERM $pid; wait $pid; echo $?; wc -l < rec/03-mark-output.jsonl; grep -o '"stopped_by": "SIGTERM"' rec/run.json`,
    out: '143\n2000\n"stopped_by": "SIGTERM"\n',
  },
  'a disk that is full is reported of once for each file, and the run goes on': {
    run: `ulimit -f 16; for i in {1..3000}; do echo '"bcd"'; done | plumb --record rec -e 'let main : !string -> !string = id' 2> err | wc -l; echo \${PIPESTATUS[1]}; grep -c write_failed err`,
    out: /^3000\n1\n[1-3]\n$/,
  },
  'what the models of a nested plumb answered stands in the record of the run': {
    run: 'plumb --record rec nested.plumb > /dev/null; find rec -name kept-answers; cat rec/kept-answers/*.jsonl | wc -l',
    in: SAD,
    out: /^rec\/kept-answers\n *3\n$/,
  },
  'no key is in it': {
    run: `export OPENAI_API_KEY=sk-CANARY-1234567890; plumb --record rec nested.plumb --context key=$OPENAI_API_KEY; grep -rc CANARY rec | grep -v ':0$'; ls rec/inner | tail -n 3`,
    in: SAD,
    out: /^"I AM SORRY.*"\nevents.jsonl\nrun.json\ntrace.json\n$/s,
  },
})

table('--rejects', {
  'with every kind of failure, byte by byte': {
    run: 'plumb --max-line 20 --rejects bad int.plumb 2> err; cat bad; wc -l < err',
    in: Buffer.concat([
      Buffer.from('5\n"x"\n{"a":  1 }\n0\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`"${'y'.repeat(200_000)}"\n7\n"${'z'.repeat(30)}"\n{"cut":`),
    ]),
    out: (out: string) => out === `2\n5\n"x"\n{"a":  1 }\n0\n"\ufffd"\n"${'y'.repeat(200_000)}"\n"${'z'.repeat(30)}"\n{"cut":\n7\n`,
    status: 0,
  },
  'lines of text, and nothing where nothing failed': {
    run: `plumb -R --rejects bad -e 'let main : !string -> !number = map(number(value))' 2> /dev/null; cat bad; plumb --rejects bad chain.plumb < /dev/null; wc -c < bad`,
    in: '1\nsay "no"\n2\n\n',
    out: '1\n2\nsay "no"\n\n0\n',
  },
  'those that a child did not answer': {
    run: 'plumb --rejects bad dies.plumb 2> /dev/null; sort bad',
    in: lines('a', 'b', 'c', 'd'),
    out: '"a"\n"b"\n"c"\n"d"\n',
    status: 0,
  },
  'joined with --seq': {
    run: 'plumb --seq --rejects bad int.plumb 2> /dev/null; cat bad',
    in: '5\n0\n7\n',
    out: '{"seq":1,"value":2}\n{"seq":3,"value":5}\n0\n',
    status: 0,
  },
  'not a file': {
    run: 'plumb --rejects mine/x/y chain.plumb',
    errors: [{ error: 'file_not_found', detail: /mine\/x\/y/ }],
    status: 2,
  },
})

const refusal = (detail: RegExp) => ({ error: 'record_invalid', detail })

table('what --resume refuses', {
  'another spec, other options, no record': {
    run: `plumb --record rec eliza.plumb < /dev/null; plumb --resume rec --same free.plumb; plumb --resume rec --same --model other eliza.plumb
      echo >> eliza.plumb; plumb --resume rec --same eliza.plumb; plumb --resume mine eliza.plumb; echo '{"format":2}' > rec/run.json; plumb --resume rec eliza.plumb`,
    errors: [
      refusal(/'eliza.plumb' was only in the recorded run; 'free.plumb' is only in this run/),
      refusal(/option handed_on was \[\] and is \["--model","other"\]/),
      refusal(/'eliza.plumb' has changed/),
      refusal(/'mine' is not a record of a run/),
      refusal(/run.json' is none that this version/),
    ],
    status: 2,
  },
  'what its record does not report exactly': {
    run: `sed -i 's/, amnesiac: true/, amnesiac: false/; s/model: "doctor"/&, via: ["sh", "-c"]/' loop.plumb control.plumb counting.plumb
      for spec in loop control counting program; do plumb --record rec $spec.plumb < /dev/null 2> warned; cut -c 1-27 warned; plumb --resume rec $spec.plumb; done`,
    out: '{"warning":"record_invalid"\n'.repeat(4),
    errors: [
      refusal(/'bot' is in a cycle, where messages may come in another order/),
      refusal(/port 'ctrl_in' of 'bot' is wired/),
      refusal(/'main' counts its messages/),
      refusal(/what the program of 'main' remembers .*'amnesiac: true'/),
    ],
    status: 2,
  },
  'but not a program that remembers nothing': {
    run: `sed -i 's/sh"\\], /sh"], amnesiac: true, /' program.plumb; plumb --record rec program.plumb > /dev/null
      plumb --resume rec program.plumb < <(printf '"a"\\n"b"\\n'); cat asked`,
    in: lines('a', 'b'),
    out: '"a"\n"b"\n"a"\n"b"\n',
    status: 0,
  },
})

table('--resume', {
  'a memory with tool calls in it, behind a line that was cut off': {
    run: `plumb --max-calls 3 --record rec tool.plumb > /dev/null 2>&1 < calls.jsonl; printf '{"process":"main","se' >> rec/answers.jsonl
      plumb --resume rec tool.plumb < calls.jsonl > out; plumb tool.plumb < calls.jsonl | cmp - out && cat rec/kept-answers/*.jsonl | wc -l; plumb --resume rec tool.plumb < calls.jsonl | cmp - out`,
    out: '10\n',
  },
})

table('--dry-run', {
  'each process can be pasted': {
    run: `plumb --dry-run all.plumb < /dev/null > lines && grep '^#' lines
      printf '"call today {}"\\n' > in
      paste() { sed -n "/^# $1:/,/^\\$/p" lines > part; bash part 2> /dev/null; }
      paste bot < in
      printf '{"__port":"input","msg":"I am sad"}\\n' > mux; paste far < mux | grep '"__port":"output","msg":{"seq":'
      paste program < in 3> /dev/null
      paste inner < in`,
    out: `# bot: agent; input from input, output to far
# far: agent elsewhere, spoken to in envelopes; input from bot, output to program
# program: program in an agent's place; input from far, output to inner
# inner: plumb; input from program, output to output
{"seq":1,"value":"Sunday\\n"}
{"seq":1,"done":true}
{"__port":"output","msg":{"seq":1,"value":"I AM SORRY TO HEAR YOU ARE SAD"}}
{"__port":"output","msg":{"seq":1,"done":true}}
"call today {}"
{"seq":1,"value":"Sunday\\n"}
{"seq":1,"done":true}
`,
  },
  'an inline spec, with what may be done': {
    run: `plumb --grant net --docroot . --dry-run -e 'let main : !string -> !string = agent ${ELIZA}' < /dev/null > line; grep -o -- '--docroot [^ ]* .*--grant net' line; bash line 2> /dev/null`,
    in: lines('I am 1 sad'),
    out: /^--docroot .* --grant net\n\{"seq":1,"value":"I AM SORRY/,
  },
  'nothing to start': { run: 'plumb --dry-run chain.plumb', out: '' },
})
