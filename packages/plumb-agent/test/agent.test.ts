// The executable, as it stands in a shell: lines, errors, control, telemetry and its end, over real pipes and descriptors.

import { readFileSync } from 'node:fs'
import { scaledSeconds } from '../../wire/test/patience.js'
import { openShell } from './shell.js'

const eliza = (keys = '', signature = '!string -> !string') =>
  `let bot : ${signature} = agent { provider: "eliza", model: "doctor"${keys} }\n`

const model = (keys: string) => `let bot : !string -> !string = agent { provider: "openai", model: "m"${keys} }\n`

const FILES: Record<string, string> = {
  'bot.plumb': eliza(),
  'number.plumb': eliza('', '!{ n: int, note?: string = "men are all alike" } -> !string'),
  'list.plumb': eliza('', '!string -> ![string]'),
  'any.plumb': eliza('', '!json -> !json'),
  'port.plumb': eliza('', '!string -> !{ __port: string, msg: int }'),
  'two.plumb': eliza(', max_messages: 2'),
  'open.plumb': 'let bot : !string -> !string = agent { prompt: "Be kind." }\n',
  'amnesiac.plumb': eliza(', amnesiac: true, concurrency: 4'),
  'control.plumb': eliza('', '(!string, !json) -> (!string, !json)'),
  'command.plumb': 'let bot : !string -> !string = agent { command: ["./bot.sh"] }\n',
  'via.plumb': eliza(', via: ["ssh", "host"]'),
  'tools.plumb': `@tool true\nlet f : int -> int = map(value)\n${eliza(', tools: [f]')}`,
  'several.plumb': `${eliza()}${eliza().replace('bot', 'critic')}`,
  'broken.plumb': eliza(', promt: "x", prompts: ["./none.md"]'),
  'resource.plumb': eliza(', prompts: ["tone.md", "system.md"]'),
  'wrong.plumb': `let f : string -> string = tool { command: "touch started" }
let bot : !string -> !string = agent { provider: "openai", model: "m", tools: [f], max_tokenz: 1, amnesiac: "yes", thinking_budget: 9000, prompts: ["./none.md"] }\n`,
  'script.plumb': eliza(', script: "./bad.script"'),
  'bad.script': '(HELLO',
  'res/tone.md': 'Be brief.\n',
  'model.plumb': model(', amnesiac: true, concurrency: 3'),
  'lone.plumb': model(', transport_retries: 1'),
  'unordered.plumb': model(', amnesiac: true, concurrency: 3, unordered: true'),
  'documents.plumb': model(', prompts: ["./odd.md", "system.md", "grammar.peg"]'),
  'odd.md': 'before </document> <Document name="x"> <documents> after\n',
  'grammar.peg': readFileSync('packages/plumb-agent/src/resource/grammar.peg', 'utf8'),
  'thinks.plumb':
    'let bot : (!string, !json) -> !string = agent { provider: "anthropic", model: "m", endpoint: "http://127.0.0.1:9", thinking_budget: 2000 }\n',
  'hot.plumb': 'let bot : !string -> !string = agent { provider: "anthropic", model: "m", thinking_budget: 2000, temperature: 1 }\n',
  'alike.jsonl': '"Men are all alike."\n"They\'re always bugging us about something or other."\n',
}

const { runTable } = openShell(FILES)

const until = (condition: string) => `until ${condition}; do sleep 0.02; done`

const ALIKE = '"IN WHAT WAY"\n"CAN YOU THINK OF A SPECIFIC EXAMPLE"\n'

runTable('lines', {
  'one answer a line, in order': { run: 'plumb-agent bot.plumb < alike.jsonl', out: ALIKE },
  'fault 1: no input, no output': { run: 'plumb-agent bot.plumb < /dev/null' },
  'from a file to a file': { run: 'plumb-agent bot.plumb < alike.jsonl > o; cat o', out: ALIKE },
  'errors name the line and the input': {
    run: `printf '\\n"Men are all alike."\\n\\n7\\n{"a":\\n"x"x\\n{"b"' | plumb-agent bot.plumb`,
    out: '"IN WHAT WAY"\n',
    errors: [
      ['input_type_mismatch', /"path":"".*"line":4,"seq":2,"port":"input"/],
      ['invalid_json', /"line":5,"seq":3,"port":"input"/],
      ['invalid_json', /"line":6,"seq":4/],
      ['truncated_line', /"line":7,"seq":5/],
    ],
    status: 1,
  },
  'a mismatch says where; defaults are filled in': {
    run: `printf '%s\\n' '{"n":1}' '{"n":1.5}' '{"n":1,"x":2}' | plumb-agent number.plumb`,
    out: '"IN WHAT WAY"\n',
    errors: [
      ['input_type_mismatch', /"path":".n"/],
      ['input_type_mismatch', /unknown field/],
    ],
    status: 1,
  },
  'fault 11: a line over the limit, and the next one': {
    run: `{ head -c 5000 /dev/zero | tr '\\0' a; echo; echo '"Men are all alike."'; } | plumb-agent --max-line 1000 bot.plumb`,
    out: '"IN WHAT WAY"\n',
    errors: [['line_too_long', /"line":1,"seq":1/]],
    status: 1,
  },
  'raw lines; an empty one is a message': {
    run: `printf 'Men are all alike.\\n\\n' | plumb-agent -Rr bot.plumb | wc -l | tr -d ' '`,
    out: '2\n',
  },
  'raw lines hold no envelopes': {
    run: `echo '{"__port":"nowhere","msg":1}' | plumb-agent -R bot.plumb | pick 'typeof _'`,
    out: 'string\n',
  },
  'a failed input leaves no trace': {
    run: `printf '%s\\n' '"Men are all alike."' 5 '"They'"'"'re always bugging us about something or other."' | plumb-agent bot.plumb 2>/dev/null`,
    out: ALIKE,
    status: 1,
  },
  'fault 40: max_messages': { run: 'start two.plumb; cat alike.jsonl >&8; receive; receive; wait $pid', out: ALIKE },
  'amnesiac, several at once, in input order': {
    run: `for i in 1 2 3 4 5 6; do echo '"Men are all alike."'; done | plumb-agent amnesiac.plumb | sort | uniq -c | tr -s ' '`,
    out: ' 6 "IN WHAT WAY"\n',
  },
  'typed outputs': {
    run: `for spec in list any; do echo '"Men are all alike."' | plumb-agent $spec.plumb; done`,
    out: '["IN WHAT WAY"]\n"IN WHAT WAY"\n',
  },
  'json hears the words in a value': { run: `echo '{"a":["Men are all alike."],"b":1}' | plumb-agent any.plumb`, out: '"IN WHAT WAY"\n' },
  'digits of what is heard survive in the memory': {
    run: `printf '%s\\n' '{"__port":"input","msg":{"n":9007199254740993}}' '{"__port":"ctrl_in","msg":{"get_memory":true}}' |
      plumb-agent --mux any.plumb | tail -1 | pick '_.msg.messages[0].content'`,
    out: '{"n":9007199254740993}\n',
  },
})

runTable('envelopes', {
  'among plain lines': {
    run: `printf '%s\\n' '{"__port":"input","msg":"Men are all alike."}' '{"__port":"nowhere","msg":1}' '{"__port":"input","eof":true}' '"late"' |
      plumb-agent bot.plumb`,
    out: '"IN WHAT WAY"\n',
    errors: [['unknown_port', /"port":"nowhere","line":2/]],
    status: 1,
  },
  'control among plain lines is answered in envelopes, in its place': {
    run: `{ sed -n 1p alike.jsonl; echo '{"__port":"ctrl_in","msg":{"get_memory":true}}'; sed -n 2p alike.jsonl; } | plumb-agent bot.plumb | pick '_.msg?.messages ?? _'`,
    out: `IN WHAT WAY\n[{"role":"user","content":"Men are all alike."},{"role":"assistant","content":"IN WHAT WAY"}]\nCAN YOU THINK OF A SPECIFIC EXAMPLE\n`,
  },
  'an object with more keys is data': { run: `echo '{"__port":"ctrl_in","msg":1,"a":2}' | plumb-agent any.plumb`, out: /^".*"\n$/ },
  'none at all': { run: `echo '{"__port":"nowhere","msg":1}' | plumb-agent --no-envelopes any.plumb`, out: /^".*"\n$/ },
  'data with a __port of its own leaves enveloped': {
    run: `plumb-agent port.plumb < <(echo '"x"'); echo '"x"' | plumb-agent --no-envelopes port.plumb`,
    out: /^\{"__port":"output","msg":(\{"__port":"[A-Z ]+","msg":0\})\}\n\1\n$/,
  },
  'executables compose': { run: `sed -n 1p alike.jsonl | plumb-agent port.plumb | plumb-agent any.plumb`, out: /^".*"\n$/ },
  'fault 22: --mux takes nothing else': {
    run: `printf '%s\\n' '"plain"' '{"__port":"input","msg":"Men are all alike."}' '{"__port":"input"}' nonsense | plumb-agent --mux bot.plumb`,
    out: '{"__port":"output","msg":"IN WHAT WAY"}\n',
    errors: [
      ['bad_envelope', /"line":1/],
      ['bad_envelope', /"line":3/],
      ['invalid_json', /"line":4/],
    ],
    status: 1,
  },
})

runTable('control', {
  'several fields at once; memory in and out': {
    run: `start --mux bot.plumb; send '{"__port":"ctrl_in","msg":{"pause":true,"get_memory":true,"set_memory":[{"role":"user","content":["a"]}]}}'
      receive; receive; receive; send '{"__port":"ctrl_in","msg":{"resume":true,"get_memory":true}}'; receive; receive; end`,
    out: `${[
      '{"kind":"paused"}',
      '{"kind":"memory","messages":[]}',
      '{"kind":"memory_set","old_messages":0,"new_messages":1}',
      '{"kind":"resumed"}',
      '{"kind":"memory","messages":[{"role":"user","content":["a"]}]}',
    ]
      .map((msg) => `{"__port":"ctrl_out","msg":${msg}}`)
      .join('\n')}\n`,
  },
  'a memory set at the end of a pause is there before the data that waited': {
    run: `start --mux bot.plumb; send '{"__port":"ctrl_in","msg":{"pause":true}}'; receive >/dev/null; send '{"__port":"input","msg":"Bullies."}'
      send '{"__port":"ctrl_in","msg":{"set_memory":[{"role":"user","content":"x"}],"resume":true}}'; for i in 1 2 3; do receive | pick '_.msg.kind ?? _.msg'; done; send '{"__port":"ctrl_in","msg":{"get_memory":true}}'; receive | pick '_.msg.messages.slice(0, 2).map((one) => one.content)'; end`,
    out: 'memory_set\nresumed\nPLEASE GO ON\n["x","Bullies."]\n',
  },
  'a memory set only if it is still the one that was read, in whatever order of keys; a resume beside it is done either way': {
    run: `start --mux bot.plumb; ctrl () { send '{"__port":"ctrl_in","msg":'"$1"'}'; }; kinds () { receive | pick '_.msg.error ?? _.msg.kind'; }
      ctrl '{"pause":true,"set_memory":[{"role":"user","content":{"a":1,"b":[2.50]}}]}'; kinds; kinds
      ctrl '{"set_memory":[],"if_memory":[],"resume":true}'; kinds; kinds; ctrl '{"get_memory":true}'; receive | pick _.msg.messages
      ctrl '{"set_memory":[],"if_memory":[{"content":{"b":[2.5],"a":1},"role":"user"}],"resume":true}'; kinds; kinds
      ctrl '{"if_memory":[],"pause":true}'; receive | pick '[_.msg.error, _.msg.detail]'; end`,
    out: /^paused\nmemory_set\nmemory_changed\nresumed\n\[\{"role":"user","content":\{"a":1,"b":\[2\.5\]\}\}\]\nmemory_set\nresumed\n\["input_type_mismatch",".*'if_memory'.*"\]\n$/,
  },
  'a message that comes too late does not end the pause of those who have read since': {
    run: `start --mux bot.plumb; ctrl () { send '{"__port":"ctrl_in","msg":'"$1"'}'; }; kinds () { for i in $(seq $1); do receive | pick '_.msg.error ?? _.msg.kind ?? _.msg'; done; }
      new='"set_memory":[{"role":"user","content":"short"}]'; late='{'$new',"if_memory":[],"resume":true}'
      ctrl '{"pause":true,"get_memory":true}'; kinds 2; ctrl '{"resume":true}'; kinds 1; send '{"__port":"input","msg":"Bullies."}'; kinds 1
      ctrl '{"pause":true}'; kinds 1; ctrl "$late"; kinds 2
      ctrl '{"pause":true,"get_memory":true}'; kinds 1; read -r -t ${scaledSeconds(8)} now <&9; ctrl "$late"; kinds 1
      send '{"__port":"input","msg":"Men are all alike."}'; ctrl '{'$new',"if_memory":'"$(pick _.msg.messages <<<"$now")"',"resume":true}'; kinds 3; end`,
    out: `${['paused', 'memory', 'resumed', 'I AM NOT SURE I UNDERSTAND YOU FULLY', 'paused', 'memory_changed', 'resumed', 'paused', 'memory_changed', 'memory_set', 'resumed', 'IN WHAT WAY'].map((kind) => `${kind}\n`).join('')}`,
  },
  'what is wrong is answered, whole, and changes nothing': {
    run: `start --mux bot.plumb
      for msg in '{"pause":true,"puase":true}' '{"set_memory":[{"role":"user"}]}' '{"stop":1,"set_temp":"x"}' '[]'; do
        send '{"__port":"ctrl_in","msg":'"$msg"'}'; receive | pick '[_.msg.error, _.msg.detail]'; done
      send '{"__port":"input","msg":"Men are all alike."}'; receive; end`,
    out: new RegExp(
      [
        /did you mean 'pause'/,
        /message 0 has no 'content'/,
        /'stop' takes true, found 1; 'set_temp' takes a number from 0 to 2, or null/,
        /must be an object/,
        /\{"__port":"output","msg":"IN WHAT WAY"\}\n$/,
      ]
        .map(({ source }) => source)
        .join('[^]*'),
    ),
  },
  'pause holds what is there already; stop drops it': {
    run: `start --mux bot.plumb; send '{"__port":"ctrl_in","msg":{"pause":true}}'; receive
      send '{"__port":"input","msg":"Men are all alike."}'; send '{"__port":"ctrl_in","msg":{"stop":true}}'; wait $pid`,
    out: '{"__port":"ctrl_out","msg":{"kind":"paused"}}\n',
  },
  'at the end of control nothing can resume it, so what is held goes on': {
    run: `printf '%s\\n' '{"__port":"ctrl_in","msg":{"pause":true}}' '{"__port":"input","msg":"Men are all alike."}' | plumb-agent --mux bot.plumb | tail -1`,
    out: '{"__port":"output","msg":"IN WHAT WAY"}\n',
  },
  'a paused agent holds 16 MiB and then waits': {
    run: `start --mux bot.plumb; send '{"__port":"ctrl_in","msg":{"pause":true}}'; receive >/dev/null
      timeout ${scaledSeconds(40)} node -e 'const l = JSON.stringify({ __port: "input", msg: "a".repeat(1e6) }) + "\\n"; let n = 0, before = 0
        const go = () => process.stdout.write(l, (e) => { if (!e && ++n < 60) go() }); go()
        setInterval(() => { if (n > 14 && n === before) { console.error(JSON.stringify({ error: n < 24 ? "held" : n })); process.exit() }; before = n }, 300)' >&8
      kill -KILL $pid; wait $pid 2>/dev/null; true`,
    errors: [['overflow', 'fd 6'], ['held']],
  },
  'fd 6 in, fd 7 out; bad lines are answered, its end ends it alone': {
    run: `printf '%s\\n' '{"get_memory":true}' '{"bad' '{"pause":true}' > ctl
      : > rep; (${until('[ "$(wc -l < rep)" = 3 ]')}; cat alike.jsonl) | plumb-agent bot.plumb 6< ctl 7> rep; pick '[_.kind, Object.keys(_).sort()]' < rep`,
    out: `${ALIKE}["memory",["kind","messages"]]\n["error",["category","detail","error","kind"]]\n["paused",["kind"]]\n`,
  },
  'nowhere to answer: an error is reported on stderr': {
    run: `echo '{"set_temp":"hot"}' > ctl; (${until('[ -s err ]')}; cat alike.jsonl) | plumb-agent bot.plumb 6< ctl 2> err; status=$?; cat err >&2; exit $status`,
    out: ALIKE,
    errors: [['input_type_mismatch', /"port":"ctrl_in"/]],
    status: 1,
  },
})

runTable('telemetry', {
  'fd 3, kind first, settled at rest': {
    run: `: > tel; (sed -n 1p alike.jsonl; ${until('[ "$(grep -c settled tel)" = 2 ]')}; echo 5) | plumb-agent --telemetry bot.plumb 3> tel 2>/dev/null
      pick '[Object.keys(_)[0], _.kind, _.agent, typeof _.time].join(" ")' < tel; pick '_.kind === "settled" ? [_.inputs, _.controls, _.outputs] : undefined' < tel`,
    out: `"IN WHAT WAY"\n${['settled', 'usage', 'output', 'settled', 'error', 'settled'].map((kind) => `kind ${kind} bot string\n`).join('')}[0,0,0]\n[1,0,1]\n[2,0,1]\n`,
  },
  'each line about an input with its number, the last with the time it took': {
    run: `plumb-agent --telemetry bot.plumb < alike.jsonl 3> tel >/dev/null
      pick '_.kind === "settled" ? undefined : [_.kind, _.seq, _.ms >= 0, Object.keys(_).slice(-2)]' < tel`,
    out: '["usage",1,true,["agent","time"]]\n["output",1,true,["agent","time"]]\n["usage",2,true,["agent","time"]]\n["output",2,true,["agent","time"]]\n',
  },
  'in envelopes with --mux and no fd 3': {
    run: `printf '%s\\n' '{"__port":"input","msg":"Men are all alike."}' '{"__port":"ctrl_in","msg":{"set_temp":0}}' |
      plumb-agent --mux control.plumb | pick '[_.__port, ...(_.msg.kind ? [_.msg.kind, _.msg.controls] : [_.msg])]'`,
    out: '["telemetry","settled",0]\n["telemetry","usage",null]\n["telemetry","output",null]\n["output","IN WHAT WAY"]\n["telemetry","settled",1]\n',
  },
  // On a busy machine an answer is held for another: held_ms.
  'for a parent that has the text of answers from the outputs': {
    run: `plumb-agent --telemetry --brief --numbered bot.plumb < alike.jsonl | pick '_.telemetry?.kind === "output" ? Object.keys(_.telemetry).filter((name) => name !== "held_ms") : _.value'`,
    out: `${['IN WHAT WAY', 'CAN YOU THINK OF A SPECIFIC EXAMPLE'].map((text) => `["kind","seq","ms","agent","time"]\n${text}\n`).join('')}`,
  },
  'a reader that goes away while its pipe is full': {
    run: `mkfifo slow; { read -r l; sleep 0.5; } < slow & yes '"I am here"' | head -1500 | plumb-agent --telemetry --fds 3 bot.plumb 3> slow | wc -l | tr -d ' '; rm slow`,
    out: '1500\n',
  },
  'an agent that a tool has started says in which call, and how deep': {
    run: `export PLUMB_DEPTH=2 PLUMB_PARENT=call_7; plumb-agent --telemetry bot.plumb < alike.jsonl 3> tel; pick '[_.parent, _.depth].join(" ")' < tel | sort -u
      spec='let bot : !string -> !string = agent { command: ["sh", "-c", "cat > /dev/null; echo \\"\\\\\\"$PLUMB_PARENT $PLUMB_DEPTH\\\\\\"\\""] } let ask : string -> string = tool { process: bot }'
      echo '{"id":"c1","name":"ask","input":"x"}' | PLUMB_DEPTH= plumb-tool -e "$spec" serve | pick _.content`,
    out: `${ALIKE}call_7 2\n"c1 1"\n`,
  },
  'silent where it was not asked for': { run: 'plumb-agent bot.plumb < alike.jsonl 3> tel; wc -c < tel | tr -d " "', out: `${ALIKE}0\n` },
})

runTable('configuration', {
  'neither provider nor model': {
    run: 'plumb-agent open.plumb',
    errors: [
      ['missing_option', 'PLUMB_MODEL'],
      ['missing_option', 'PLUMB_PROVIDER'],
    ],
    status: 2,
  },
  'all at once: key, model, fds': {
    run: 'plumb-agent --provider openai --fds 9 open.plumb',
    errors: [['missing_option', 'model'], ['missing_key', 'OPENAI_API_KEY'], ['fd_invalid']],
    status: 2,
  },
  'the compiler and the configuration together': {
    run: 'PLUMB_ERRORS=json plumb-agent broken.plumb 2>&1 | pick "_.code ?? _.error"',
    out: 'unknown_option\nfile_not_found\n',
    status: 0,
  },
  'no key in any message': {
    run: 'OPENAI_API_KEY=sk-canary-123456 plumb-agent --provider openai --model m open.plumb 2>&1 | grep -c canary',
    out: '0\n',
    status: 1,
  },
  'what plumb starts': {
    run: 'for spec in command via; do plumb-agent $spec.plumb; done',
    errors: [
      ['config_invalid', /'command'.*plumb stage bot/],
      ['config_invalid', /'via'.*plumb stage bot/],
    ],
    status: 2,
  },
  'a misspelt provider is one error': {
    run: `sed 's/provider/provder/; s/model/modle/' bot.plumb > x; PLUMB_ERRORS=json plumb-agent x 2>&1 | pick '_.code ?? _.error'`,
    out: 'unknown_option\nunknown_option\n',
  },
  'grants, policies and contexts that are none': {
    run: `printf '[{"decision":"maybe"}]' > policy; plumb-agent --grant fs.raed --policy policy --context x bot.plumb; plumb-agent --policy none bot.plumb`,
    errors: [
      ['usage', "did you mean 'fs.read'"],
      ['usage', 'KEY=VALUE'],
      ['config_invalid', /--policy names 'policy'.*decision/],
      ['file_not_found', "--policy names 'none'"],
    ],
    status: 2,
  },
  'a program in place of plumb-tool that is none': {
    run: 'plumb-agent --tool-command ./none tools.plumb; PLUMB_TOOL=none plumb-agent tools.plumb; plumb-agent --tool-command ./none bot.plumb < /dev/null',
    errors: [
      ['file_not_found', '--tool-command'],
      ['file_not_found', 'PLUMB_TOOL'],
    ],
  },
  'eliza has one model, near names are reported': {
    run: 'plumb-agent --provider eliza --model gpt open.plumb; plumb-agent --provider elzia --model doctor open.plumb',
    errors: [
      ['config_invalid', "only the model 'doctor'"],
      ['config_invalid', "did you mean 'eliza'"],
    ],
    status: 2,
  },
  'fault 118: a bare name is never looked up in the working directory or beside the spec': {
    run: `mkdir -p one; echo planted > tone.md; echo first > one/tone.md
      for path in '' :: none :one; do PLUMB_RESOURCES=$path plumb-agent resource.plumb < /dev/null && echo "$path"; done; rm -r one tone.md`,
    out: ':one\n',
    errors: [
      ['file_not_found', /'tone.md'.*not in PLUMB_RESOURCES, nor installed/],
      ['file_not_found', /'tone.md'/],
      ['file_not_found', /'tone.md'/],
    ],
  },
  'the first of a name is meant, also where it cannot be read': {
    run: `mkdir -p first/tone.md; PLUMB_RESOURCES=first:res plumb-agent resource.plumb < /dev/null`,
    errors: [['file_not_found', /'tone.md'.*it is a directory/]],
    status: 2,
  },
  'fault 119: unknown, of a wrong type, too much and missing, all at once, before anything is started': {
    run: `PLUMB_ERRORS=json plumb-agent wrong.plumb < alike.jsonl 2>&1 | pick '_.code ?? _.error'; ls started 2>&1 | grep -c started`,
    out: 'unknown_option\nconfig_invalid\nconfig_invalid\nfile_not_found\nmissing_key\n1\n',
  },
  'fault 121: what others wrote stays within its line': {
    run: `printf '{"n":"a\\\\n\\\\u001b[2J"}\\n' | plumb-agent number.plumb
      plumb-agent --agent $'x\\n\\e[2J' bot.plumb; plumb-agent $'none\\n\\e[2J'; PLUMB_PROVIDER=$'e\\n\\e[2J' plumb-agent --model m open.plumb
      printf '"\\\\n\\\\u001b[2J"\\n' | PIPELINE_DEBUG=1 plumb-agent --telemetry --fds 3 bot.plumb 2> log 3> tel
      cat log tel | pick 'typeof _' | sort -u && grep -c $'\\e' log tel`,
    out: '"I AM NOT SURE I UNDERSTAND YOU FULLY"\nobject\nlog:0\ntel:0\n',
    errors: [
      ['input_type_mismatch', /u001b\[2J/],
      ['unknown_name', /'x\\\\n\\\\u001b\[2J'/],
      ['file_not_found', /'none\\\\n\\\\u001b\[2J'/],
      ['config_invalid', /'e\\\\n\\\\u001b\[2J'/],
    ],
    status: 1,
  },
  'prompts are found by name and beside the spec': { run: 'plumb-agent resource.plumb < alike.jsonl', out: ALIKE },
  'a script that is none': { run: 'plumb-agent script.plumb', errors: [['config_invalid', 'bad.script']], status: 2 },
  'several agents': {
    run: 'plumb-agent several.plumb; plumb-agent --agent crtic several.plumb; plumb-agent --agent critic several.plumb < /dev/null',
    errors: [
      ['spec_invalid', "'bot', 'critic'"],
      ['unknown_name', "did you mean 'critic'"],
    ],
  },
  'no such spec, no spec, no such option': {
    run: 'plumb-agent none.plumb; plumb-agent; plumb-agent --telemtry bot.plumb; plumb-agent --mux -R bot.plumb; plumb-agent a b; plumb-agent --max-line x a',
    errors: [
      ['file_not_found', 'none.plumb'],
      ['usage'],
      ['unknown_option', "did you mean '--telemetry'"],
      ['usage', '--mux'],
      ['usage'],
      ['usage'],
    ],
    status: 2,
  },
  'a docroot that is not a directory': {
    run: 'plumb-agent --docroot bot.plumb bot.plumb',
    errors: [['file_not_found', '--docroot']],
    status: 2,
  },
  'nothing is read from stdin before': {
    run: 'cat alike.jsonl | { plumb-agent none.plumb 2>/dev/null; cat; }',
    out: FILES['alike.jsonl'] ?? '',
  },
})

// Answers with what was said in capitals, after what FIRST gives, if it gives something.
const rules = (first: string) => `ask <<'END'
const after = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value))
const first = ${first}
export default async (said, number, body) => (await first(said, number, body)) ?? { content: said.toUpperCase() }
END
`
const SHOW = `pick '_.error && [_.error, _.seq, _.seqs ?? null]'`
const asked = `grep -c . requests`

runTable('what a provider refuses', {
  'a key that is withdrawn in the middle: what is done is delivered, the rest is one error, and nothing more is sent': {
    run: `${rules('(said, number) => (Number(said) > 4 ? { status: 401 } : after(number === 2 ? 60 : 5))')}
      seq 12 | plumb-agent -R model.plumb 2> err | tr '\\n' ' '; echo "\${PIPESTATUS[1]}"; ${SHOW} < err; [ "$(${asked})" -le 7 ] && echo few`,
    out: '"1" "2" "3" "4" 1\n["unauthorized",5,[5,6,7,8,9,10,11,12]]\nfew\n',
  },
  'an account, a model and a quota too, at once; a speed is waited for': {
    run: `for answer in '{ status: 402 }' '{ status: 404 }' '{ status: 429, error: { type: "insufficient_quota" } }'; do
      cat > rules.mjs <<< "export default () => ($answer)"; rm -f endpoint requests; model & srv=$!
      ${until('[ -s endpoint ]')}; export PLUMB_ENDPOINT=$(cat endpoint); seq 3 | plumb-agent -R lone.plumb 2> err; kill $srv
      ${SHOW} < err; ${asked}; done
      ${rules("(said, number) => (number === 1 ? { status: 429, headers: { 'retry-after': '0' } } : undefined)").replace('ask', 'rm -f endpoint requests; ask')}
      seq 3 | plumb-agent -R lone.plumb | tr '\\n' ' '`,
    out: '["provider_refused",1,[1,2,3]]\n1\n["provider_refused",1,[1,2,3]]\n1\n["rate_limited",1,[1,2,3]]\n1\n"1" "2" "3" ',
  },
  '403 may be for one input: two different ones in a row end it': {
    run: `${rules('(said) => (/[257-9]/.test(said) ? { status: 403 } : undefined)')}
      seq 9 | plumb-agent -R lone.plumb 2> err | tr '\\n' ' '; ${SHOW} < err; ${asked}`,
    out: '"1" "3" "4" "6" ["unauthorized",2,null]\n["unauthorized",5,null]\n["unauthorized",7,null]\n["unauthorized",8,[8,9]]\n8\n',
  },
  'another model is asked again': {
    run: `${rules("(said, number, { model }) => (model === 'm' ? { status: 404 } : undefined)")}
      start lone.plumb 2> err; send '"a"'; send '"b"'; ${until('[ -s err ]')}; send '{"__port":"ctrl_in","msg":{"set_model":"n"}}'; send '"c"'; receive
      send '{"__port":"ctrl_in","msg":{"set_model":null}}'; send '"d"'; end; echo $?; ${SHOW} < err; ${asked}`,
    out: '"C"\n1\n["provider_refused",1,[1,2]]\n["provider_refused",4,null]\n3\n',
  },
  "the server's own words are reported, without the key, nor a part of it": {
    run: `${rules("() => ({ status: 401, error: { message: 'Incorrect API key provided: sk-oai-***nary, or sk-oai-canary. See https://x.example' } })")}
      echo '"a"' | OPENAI_API_KEY=sk-oai-canary plumb-agent lone.plumb 2>&1 | pick _.detail | sed 's/:[0-9]* / /'`,
    out: "127.0.0.1 did not accept the key in OPENAI_API_KEY (401): api_error: Incorrect API key provided: *** or *** See https://x.example; nothing more is sent until control says 'set_model'\n",
  },
  'a server on this machine needs no key, and is given none; one that wants it says so': {
    run: `${rules("(said) => (said === 'b' ? { status: 401, error: { message: 'who are you' } } : undefined)")}
      printf '"a"\\n"b"\\n' | plumb-agent lone.plumb 2> err; pick _.detail < err; pick '_.headers.authorization ?? "none"' < requests`,
    out: /^"A"\n127\.0\.0\.1:\d+ wants a key: export OPENAI_API_KEY \(401\): api_error: who are you;.*\nnone\nnone\n$/,
  },
  '--fail-fast: no more than those that are being asked, and what was taken is reported of': {
    run: `${rules("(said) => (said === '3' ? { status: 400 } : after(said === '2' ? 40 : 5))")}
      seq 45 | sed 's/.*/"&"/' | plumb-agent --fail-fast model.plumb 2> err | tr '\\n' ' '; echo "\${PIPESTATUS[2]}"
      pick '_.error && [_.error, _.seq, _.seqs?.at(-1)]' < err; [ "$(${asked})" -le 6 ] && echo few`,
    out: /^"1" "2" ("4" )?("5" )?("6" )?1\n\["provider_refused",3,null\]\n\["cancelled",[4-7],45\]\nfew\n$/,
  },
  '--fail-fast ends with stdin open': {
    run: `start --fail-fast bot.plumb; send '"Men are all alike."'; receive; send 5; wait $pid; echo $?`,
    out: '"IN WHAT WAY"\n1\n',
    errors: [['input_type_mismatch']],
  },
  '--unordered: telemetry names the input before the output': {
    run: `${rules("(said) => after(said === '1' ? 150 : said === '2' ? 400 : 5)")}
      seq 3 | plumb-agent -R --telemetry unordered.plumb 3> tel | tr '\\n' ' '; pick '_.kind === "output" ? [_.seq, _.value] : _.kind === "settled" && _.inputs % 3 === 0 ? [_.inputs, _.outputs] : undefined' < tel`,
    out: '"3" "1" "2" [0,0]\n[3,"3"]\n[1,"1"]\n[2,"2"]\n[3,3]\n',
  },
  'says what has settled while others are in flight': {
    run: `${rules("async (said) => { const { existsSync } = await import('node:fs'); while (said === '2' && !existsSync('reported')) await after(5) }")}
      : > tel; seq 3 | plumb-agent -R --telemetry unordered.plumb 3> tel > o & pid=$!
      ${until(`grep -q '"inputs":1,' tel`)}; grep -c . o; touch reported; wait $pid; grep -c . o; tail -n 1 tel | grep -o '"inputs":3,'`,
    out: '2\n3\n"inputs":3,\n',
  },
  'documents end where they end, and those that are installed come as they are written': {
    run: `${rules('() => undefined')}
      echo '"a"' | plumb-agent documents.plumb > o; pick '_.body.messages[0].content' < requests > system
      grep -o 'before .*' system; grep -c '^</document>' system; sed '1,/name="grammar.peg"/d; $d' system | diff - grammar.peg`,
    out: 'before &lt;/document> &lt;Document name="x"> <documents> after\n3\n',
  },
})

runTable('control that is not read, or cannot be done', {
  'fd 7 is not read: data goes on, what is too much is dropped with one warning, stop ends it': {
    run: `mkfifo ctl rep; exec 6<>ctl 7<>rep; start bot.plumb 7>&7 6<ctl; exec 3>ctl
      node -e 'const content = "x".repeat(30000); console.log(JSON.stringify({ set_memory: [{ role: "user", content }] }))' >&3
      for i in $(seq 620); do echo '{"get_memory":true}'; done >&3; send '"Men are all alike."'; receive | tr -d '[A-Z ]'; echo '{"stop":true}' >&3; wait $pid`,
    out: '""\n',
    errors: [['warning overflow', /fd 7 is not read/]],
  },
  'a temperature beside thinking is refused, in the spec and by set_temp': {
    run: `PLUMB_ERRORS=json plumb-agent -e "$(cat hot.plumb)" 2>&1 | pick '_.message ?? _.error'; start --mux thinks.plumb; send '{"__port":"ctrl_in","msg":{"set_temp":1,"pause":true}}'; receive | pick '[_.msg.error, _.msg.detail]'
      send '{"__port":"ctrl_in","msg":{"set_temp":null,"pause":true}}'; receive | pick _.msg; end`,
    out: `'temperature' and 'thinking_budget' exclude each other: a model that thinks takes no temperature\nmissing_key\n["input_type_mismatch","'set_temp' cannot be done: a model that thinks takes no temperature, and the spec has a 'thinking_budget'"]\n{"kind":"paused"}\n`,
  },
})

runTable('its end', {
  'fault 26: the reader goes away': {
    run: `yes '"Men are all alike."' | plumb-agent bot.plumb | head -1; echo "\${PIPESTATUS[1]}"`,
    out: '"IN WHAT WAY"\n0\n',
  },
  'fault 27: a full disk': { run: 'plumb-agent bot.plumb < alike.jsonl > /dev/full', errors: [['write_failed']], status: 1 },
  'a full disk, for help and version': {
    run: 'plumb-agent --help > /dev/full; plumb-agent --version >&-; plumb-agent --help | head -c 1',
    out: 'U',
    errors: [
      ['write_failed', 'no space'],
      ['write_failed', 'not open'],
    ],
  },
  'fault 27: a stdout that was never open': { run: 'plumb-agent bot.plumb < alike.jsonl >&-', errors: [['write_failed']], status: 1 },
  'stop, with stdin open': {
    run: `start bot.plumb; send '"Men are all alike."'; receive; send '{"__port":"ctrl_in","msg":{"stop":true}}'; wait $pid`,
    out: '"IN WHAT WAY"\n',
  },
  'fault 34: a signal, as its shell sees it': {
    run: `for s in TERM INT; do start bot.plumb; send '"Men are all alike."'; receive; kill -$s $pid; wait $pid; echo $?; done`,
    out: '"IN WHAT WAY"\n143\n"IN WHAT WAY"\n130\n',
  },
  'fault 29: a slow reader loses nothing': {
    run: `for i in {1..300}; do printf '"%02000d"\\n' $i; done | plumb-agent any.plumb | { sleep 0.5; wc -l | tr -d ' '; }`,
    out: '300\n',
  },
})
