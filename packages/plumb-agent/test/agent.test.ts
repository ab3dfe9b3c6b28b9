// The executable, as it stands in a shell: lines, errors, control, telemetry and its end, over real pipes and descriptors.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

const folder = mkdtempSync(join(tmpdir(), 'plumb-agent-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const eliza = (keys = '', signature = '!string -> !string') =>
  `let bot : ${signature} = agent { provider: "eliza", model: "doctor"${keys} }\n`

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
  'tools.plumb': `@tool true\nlet f : int -> int = map(value)\n${eliza(', tools: [f]')}`,
  'several.plumb': `${eliza()}${eliza().replace('bot', 'critic')}`,
  'broken.plumb': eliza(', promt: "x", prompts: ["./none.md"]'),
  'resource.plumb': eliza(', prompts: ["tone.md", "system.md"]'),
  'script.plumb': eliza(', script: "./bad.script"'),
  'bad.script': '(HELLO',
  'res/tone.md': 'Be brief.\n',
  'alike.jsonl': '"Men are all alike."\n"They\'re always bugging us about something or other."\n',
}

mkdirSync(join(folder, 'res'))
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)

interface Case {
  /** A bash script; `say` writes a line to the agent that `talk` has started, `hear` reads one from it. */
  readonly run: string
  readonly out?: string | RegExp
  /** Error objects: code, and what the detail must hold. */
  readonly errors?: readonly (readonly [code: string, detail?: string | RegExp])[]
  readonly status?: number
}

const PRELUDE = `
talk () { rm -f in out; mkfifo in out; plumb-agent "$@" < in > out & pid=$!; exec 8>in 9<out; }
say () { printf '%s\\n' "$1" >&8; }
hear () { local l; IFS= read -r -t 8 l <&9 && printf '%s\\n' "$l"; }
end () { exec 8>&-; wait $pid; }
`

const env = {
  PATH: [join(__dirname, '../../bin'), process.env.PATH].join(':'),
  HOME: folder,
  PLUMB_RESOURCES: join(folder, 'res'),
  LANG: 'C.UTF-8',
}

const runTable = (title: string, cases: Readonly<Record<string, Case>>) =>
  t.test(title, async (t) => {
    for (const [name, { run, out = '', errors = [], status = 0 }] of Object.entries(cases)) {
      const result = spawnSync('bash', ['-c', `${PRELUDE}${run}`], { cwd: folder, env, encoding: 'utf8', timeout: 30_000 })
      if (typeof out === 'string') t.equal(result.stdout, out, `${name}: stdout`)
      else t.match(result.stdout, out, `${name}: stdout`)
      const told = result.stderr.split('\n').filter((line) => line !== '')
      t.strictSame(
        told.map((line) => (JSON.parse(line) as { error: string }).error),
        errors.map(([code]) => code),
        `${name}: errors ${result.stderr}`,
      )
      for (const [i, [, detail]] of errors.entries()) if (detail !== undefined) t.match(told[i], detail, `${name}: error ${i}`)
      t.equal(result.status, status, `${name}: status`)
    }
  })

const ALIKE = '"IN WHAT WAY"\n"CAN YOU THINK OF A SPECIFIC EXAMPLE"\n'

runTable('lines', {
  'one answer a line, in order': { run: 'plumb-agent bot.plumb < alike.jsonl', out: ALIKE },
  'no input, no output': { run: 'plumb-agent bot.plumb < /dev/null' },
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
  'a misfit says where; defaults are filled in': {
    run: `printf '%s\\n' '{"n":1}' '{"n":1.5}' '{"n":1,"x":2}' | plumb-agent number.plumb`,
    out: '"IN WHAT WAY"\n',
    errors: [
      ['input_type_mismatch', /"path":".n"/],
      ['input_type_mismatch', /unknown field/],
    ],
    status: 1,
  },
  'a line over the limit, and the next one': {
    run: `{ head -c 5000 /dev/zero | tr '\\0' a; echo; echo '"Men are all alike."'; } | plumb-agent --max-line 1000 bot.plumb`,
    out: '"IN WHAT WAY"\n',
    errors: [['line_too_long', /"line":1,"seq":1/]],
    status: 1,
  },
  'raw lines; an empty one is a message': {
    run: `printf 'Men are all alike.\\n\\n' | plumb-agent -Rr bot.plumb | wc -l | tr -d ' '`,
    out: '2\n',
  },
  'raw lines hold no envelopes': { run: `echo '{"__port":"nowhere","msg":1}' | plumb-agent -R bot.plumb | jq type`, out: '"string"\n' },
  'a failed input leaves no trace': {
    run: `printf '%s\\n' '"Men are all alike."' 5 '"They'"'"'re always bugging us about something or other."' | plumb-agent bot.plumb 2>/dev/null`,
    out: ALIKE,
    status: 1,
  },
  max_messages: { run: `(cat alike.jsonl; echo '"third"'; sleep 5) | plumb-agent two.plumb`, out: ALIKE },
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
      plumb-agent --mux any.plumb | tail -1 | jq -r '.msg.messages[0].content'`,
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
    run: `{ sed -n 1p alike.jsonl; echo '{"__port":"ctrl_in","msg":{"get_memory":true}}'; sed -n 2p alike.jsonl; } | plumb-agent bot.plumb | jq -c 'if type == "object" then .msg.messages else . end'`,
    out: `"IN WHAT WAY"\n[{"role":"user","content":"Men are all alike."},{"role":"assistant","content":"IN WHAT WAY"}]\n"CAN YOU THINK OF A SPECIFIC EXAMPLE"\n`,
  },
  'an object with more keys is data': { run: `echo '{"__port":"ctrl_in","msg":1,"a":2}' | plumb-agent any.plumb`, out: /^".*"\n$/ },
  'none at all': { run: `echo '{"__port":"nowhere","msg":1}' | plumb-agent --no-envelopes any.plumb`, out: /^".*"\n$/ },
  'data with a __port of its own leaves enveloped': {
    run: `plumb-agent port.plumb < <(echo '"x"'); echo '"x"' | plumb-agent --no-envelopes port.plumb`,
    out: /^\{"__port":"output","msg":(\{"__port":"[A-Z ]+","msg":0\})\}\n\1\n$/,
  },
  'executables compose': { run: `sed -n 1p alike.jsonl | plumb-agent port.plumb | plumb-agent any.plumb`, out: /^".*"\n$/ },
  '--mux takes nothing else': {
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
    run: `talk --mux bot.plumb; say '{"__port":"ctrl_in","msg":{"pause":true,"get_memory":true,"set_memory":[{"role":"user","content":["a"]}]}}'
      hear; hear; hear; say '{"__port":"ctrl_in","msg":{"resume":true,"get_memory":true}}'; hear; hear; end`,
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
  'what is wrong is answered, whole, and changes nothing': {
    run: `talk --mux bot.plumb
      for msg in '{"pause":true,"puase":true}' '{"set_memory":[{"role":"user"}]}' '{"stop":1,"set_temp":"x"}' '[]'; do
        say '{"__port":"ctrl_in","msg":'"$msg"'}'; hear | jq -c '.msg | [keys, .error, .detail]'; done
      say '{"__port":"input","msg":"Men are all alike."}'; hear; end`,
    out: new RegExp(
      [
        /did you mean 'pause'/,
        /message 0 has no 'content'/,
        /'stop' takes true, found 1; 'set_temp' takes a number or null/,
        /must be an object/,
        /\{"__port":"output","msg":"IN WHAT WAY"\}\n$/,
      ]
        .map(({ source }) => source)
        .join('[^]*'),
    ),
  },
  'pause holds what is there already; stop drops it': {
    run: `talk --mux bot.plumb; say '{"__port":"ctrl_in","msg":{"pause":true}}'; hear
      say '{"__port":"input","msg":"Men are all alike."}'; say '{"__port":"ctrl_in","msg":{"stop":true}}'; wait $pid`,
    out: '{"__port":"ctrl_out","msg":{"kind":"paused"}}\n',
  },
  'at the end of control nobody can resume, so what is held goes on': {
    run: `printf '%s\\n' '{"__port":"ctrl_in","msg":{"pause":true}}' '{"__port":"input","msg":"Men are all alike."}' | plumb-agent --mux bot.plumb | tail -1`,
    out: '{"__port":"output","msg":"IN WHAT WAY"}\n',
  },
  'a paused agent holds 16 MiB and then waits': {
    run: `talk --mux bot.plumb; say '{"__port":"ctrl_in","msg":{"pause":true}}'; hear >/dev/null
      timeout 3 node -e 'const l = JSON.stringify({ __port: "input", msg: "a".repeat(1e6) }) + "\\n"; let n = 0
        const go = () => process.stdout.write(l, (e) => { if (!e && ++n < 60) go() }); go(); setTimeout(() => { console.error(JSON.stringify({ error: n > 14 && n < 24 ? "held" : n })); process.exit() }, 1500)' >&8
      kill -KILL $pid; wait $pid 2>/dev/null; true`,
    errors: [['overflow', 'fd 6'], ['held']],
  },
  'fd 6 in, fd 7 out; bad lines are answered, its end ends it alone': {
    run: `printf '%s\\n' '{"get_memory":true}' '{"bad' '{"pause":true}' > ctl
      (sleep 1; cat alike.jsonl) | plumb-agent bot.plumb 6< ctl 7> rep; jq -c '[.kind, keys]' rep`,
    out: `${ALIKE}["memory",["kind","messages"]]\n["error",["category","detail","error","kind"]]\n["paused",["kind"]]\n`,
  },
  'nowhere to answer: an error is told on stderr': {
    run: `echo '{"set_temp":"hot"}' > ctl; (sleep 1; cat alike.jsonl) | plumb-agent bot.plumb 6< ctl`,
    out: ALIKE,
    errors: [['input_type_mismatch', /"port":"ctrl_in"/]],
    status: 1,
  },
})

runTable('telemetry', {
  'fd 3, kind first, settled at rest': {
    run: `(sed -n 1p alike.jsonl; sleep 1; echo 5) | plumb-agent --telemetry bot.plumb 3> tel 2>/dev/null
      jq -r 'keys_unsorted[0] + " " + .kind + " " + .agent + " " + (.time | type)' tel; jq -c 'select(.kind == "settled") | [.inputs, .controls, .outputs]' tel`,
    out: `"IN WHAT WAY"\n${['settled', 'usage', 'output', 'settled', 'error', 'settled'].map((kind) => `kind ${kind} bot string\n`).join('')}[0,0,0]\n[1,0,1]\n[2,0,1]\n`,
  },
  'in envelopes with --mux and no fd 3': {
    run: `printf '%s\\n' '{"__port":"input","msg":"Men are all alike."}' '{"__port":"ctrl_in","msg":{"set_temp":0}}' |
      plumb-agent --mux control.plumb | jq -c '[.__port, (.msg | if type == "object" then .kind, .controls else . end)]'`,
    out: '["telemetry","settled",0]\n["telemetry","usage",null]\n["output","IN WHAT WAY"]\n["telemetry","output",null]\n["telemetry","settled",1]\n',
  },
  'silent when nobody asked': { run: 'plumb-agent bot.plumb < alike.jsonl 3> tel; wc -c < tel | tr -d " "', out: `${ALIKE}0\n` },
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
    run: 'PLUMB_ERRORS=json plumb-agent broken.plumb 2>&1 | jq -r ".code // .error"',
    out: 'unknown_option\nfile_not_found\n',
    status: 0,
  },
  'no key in any message': {
    run: 'OPENAI_API_KEY=sk-canary-123456 plumb-agent --provider openai --model m open.plumb 2>&1 | grep -c canary',
    out: '0\n',
    status: 1,
  },
  'providers of later versions, tools': {
    run: 'OPENAI_API_KEY=sk-x plumb-agent --provider openai --model m open.plumb; plumb-agent tools.plumb',
    errors: [
      ['config_invalid', 'not served by this version'],
      ['config_invalid', "'tools'"],
    ],
    status: 2,
  },
  'eliza has one model, near names are told': {
    run: 'plumb-agent --provider eliza --model gpt open.plumb; plumb-agent --provider elzia --model doctor open.plumb',
    errors: [
      ['config_invalid', "only the model 'doctor'"],
      ['config_invalid', "did you mean 'eliza'"],
    ],
    status: 2,
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
  'a docroot that is no folder': { run: 'plumb-agent --docroot bot.plumb bot.plumb', errors: [['file_not_found', '--docroot']], status: 2 },
  'nothing is read from stdin before': {
    run: 'cat alike.jsonl | { plumb-agent none.plumb 2>/dev/null; cat; }',
    out: FILES['alike.jsonl'] ?? '',
  },
})

runTable('its end', {
  'the reader goes away': {
    run: `yes '"Men are all alike."' | plumb-agent bot.plumb | head -1; echo "\${PIPESTATUS[1]}"`,
    out: '"IN WHAT WAY"\n0\n',
  },
  'a full disk': { run: 'plumb-agent bot.plumb < alike.jsonl > /dev/full', errors: [['write_failed']], status: 1 },
  'a stdout that was never open': { run: 'plumb-agent bot.plumb < alike.jsonl >&-', errors: [['write_failed']], status: 1 },
  'stop, with stdin open': {
    run: `talk bot.plumb; say '"Men are all alike."'; hear; say '{"__port":"ctrl_in","msg":{"stop":true}}'; wait $pid`,
    out: '"IN WHAT WAY"\n',
  },
  'a signal, as its shell sees it': {
    run: `for s in TERM INT; do talk bot.plumb; say '"Men are all alike."'; hear; kill -$s $pid; wait $pid; echo $?; done`,
    out: '"IN WHAT WAY"\n143\n"IN WHAT WAY"\n130\n',
  },
  'a slow reader loses nothing': {
    run: `for i in {1..300}; do printf '"%02000d"\\n' $i; done | plumb-agent any.plumb | { sleep 1; wc -l | tr -d ' '; }`,
    out: '300\n',
  },
})
