// long
// Faults of what surrounds a run: specs, keys, clocks, and a machine that is busy or full (letter I of the fault table).

import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MACHINE, onSmallDisk } from './machine.js'
import { scene, sceneTable } from './scene.js'

const LARGEST_SPEC = 8 * 1024 * 1024
const EXECUTABLES = '"plumb" "plumb check" "plumb-agent" "plumb-mcp" "plumb-tool {} list"'

const ELIZA = 'agent { provider: "eliza", model: "doctor" }'
const AMNESIAC = 'agent { provider: "eliza", model: "doctor", amnesiac: true }'
const FILES = {
  'id.plumb': 'let main : !int -> !int = id\n',
  'bot.plumb': `let main : !string -> !string = ${ELIZA}\n`,
  'keeps.plumb': `let main : !string -> !string = ${AMNESIAC}\n`,
  'nested.plumb': `let bot : !string -> !string = ${AMNESIAC}
let inner : !string -> !string = plumb(input, output) { input ; bot ; output }
let main : !string -> !string = plumb(input, output) { input ; inner ; output }\n`,
  'a.plumb': 'use "b.plumb" as B\nlet main : !int -> !int = B.main\n',
  'b.plumb': 'use "a.plumb" as A\nlet main : !int -> !int = A.main\n',
  'directory.plumb/x': '',
  'tools.plumb': [
    'let show : unit -> string = tool { command: "env" }',
    'let hang : [string] -> string = tool { command: "sleep", timeout: 1 }',
    'let quick : [string] -> string = tool { command: "echo", timeout: 20 }\n',
  ].join('\n'),
}

// Each executable is given the same file; what they say is collected without repetitions.
const refusals = (file: string): string =>
  `export PLUMB_ERRORS=json; for program in ${EXECUTABLES}; do
    case $program in *'{}'*) program=\${program/'{}'/${file}} ;; *) program="$program ${file}" ;; esac
    $program < /dev/null 2>> said; echo $?; done | sort -u; pick '_.error ?? _.code' < said | sort -u; rm said`

sceneTable('specs that cannot be read', FILES, {
  'fault 117: a spec that is not there': { run: refusals('none.plumb'), out: '2\nfile_not_found\n' },
  'fault 117: a directory': { run: refusals('directory.plumb'), out: '2\nfile_not_found\n' },
  'fault 117: a FIFO without a writer': { run: `mkfifo fifo.plumb; ${refusals('fifo.plumb')}`, out: '2\nfile_not_found\n' },
  'fault 117: a device without end': { run: refusals('/dev/zero'), out: '2\nfile_not_found\n' },
  'fault 117: a link to nothing': { run: `ln -s nothing link.plumb; ${refusals('link.plumb')}`, out: '2\nfile_not_found\n' },
  'fault 117: a link to itself': {
    run: `ln -s loop.plumb loop.plumb; ${refusals('loop.plumb')}; plumb loop.plumb`,
    out: '2\nfile_not_found\n',
    errors: [{ error: 'file_not_found', detail: /ELOOP/ }],
    status: 2,
  },
  'fault 117: a spec over the limit': {
    run: `truncate -s ${LARGEST_SPEC + 1} big.plumb; ${refusals('big.plumb')}`,
    out: '2\nspec_invalid\n',
  },
  'fault 117: modules in a circle': { run: refusals('a.plumb'), out: '2\nmodule_cycle\n' },
  'fault 117: two agents, none chosen': {
    run: `printf 'let a : !string -> !string = ${ELIZA}\\nlet b : !string -> !string = ${ELIZA}\\n' > two.plumb; plumb-agent two.plumb < /dev/null; plumb two.plumb < /dev/null`,
    errors: [
      { error: 'spec_invalid', detail: /--agent/ },
      { error: 'main_missing', detail: /--binding/ },
    ],
    status: 2,
  },
  'a link to a spec': { run: 'ln -s id.plumb link.plumb; plumb link.plumb', in: '1\n', out: '1\n' },
})

// The child that runs the agent of the first text would find none of that name in the second.
const version = (name: string): string =>
  `let ${name} : !string -> !string = ${ELIZA}\nlet main : !string -> !string = map("${name}: " + value) ; ${name} ; map(value + " (${name})")\n`

scene(
  'fault 117: a spec that changes while it is read: one of the texts, whole',
  { one: version('one'), two: version('two') },
  async (t, { bash }) => {
    const { out, err } = await bash(`cp one it.plumb; touch going
    while [ -e going ]; do for each in two one; do cp $each new && mv new it.plumb; done; done &
    for _ in 1 2 3 4 5 6; do echo '"I feel sad"' | plumb it.plumb || echo failed; done; rm going; wait`)
    const answers = out.trimEnd().split('\n')
    t.equal(answers.length, 6, err)
    for (const answer of answers) t.match(answer, /^".* \((one|two)\)"$/)
  },
)

const KEY = '$ANTHROPIC_API_KEY'

sceneTable('keys and what others wrote', FILES, {
  'faults 120, 125: everything that is reported or kept of a run': {
    run: `export PIPELINE_DEBUG=1; printf '"it is %s"\\n' "${KEY}" > in
      sed 's/provider: "eliza", model: "doctor"/provider: "anthropic", model: "m", endpoint: "http:\\/\\/127.0.0.1:9", max_retries: 0, transport_retries: 0/' bot.plumb > api.plumb
      plumb --record rec --trace trace.json --summary --telemetry api.plumb < in 2> err 3> telemetry; echo $?
      plumb-agent --telemetry api.plumb < in 2>> err 3>> telemetry; echo $?
      grep -c '[*][*][*]' err | pick '_ > 0'; grep -l "${KEY}" err telemetry trace.json rec/run.json rec/events.jsonl; rm -r in rec`,
    out: '1\n1\ntrue\n',
  },
  'faults 92, 120: a tool sees no key': {
    run: `plumb-tool --grant exec tools.plumb call -r show null | grep -c "${KEY}"`,
    out: '0\n',
    status: 1,
  },
  'fault 121: names with line ends and escapes': {
    run: `bad=$'x\\n\\e[2J'; plumb "$bad"; plumb --binding "$bad" id.plumb; plumb-tool call "$bad"; plumb-mux -- "./$bad"; plumb-mcp "$bad"
      plumb "--$bad"; printf '"\\\\n\\\\u001b[2J"\\n' | plumb id.plumb`,
    errors: [
      { error: 'file_not_found' },
      { error: 'main_missing' },
      { error: 'unknown_tool' },
      { error: 'file_not_found' },
      { error: 'file_not_found' },
      { error: 'unknown_option' },
      { error: 'input_type_mismatch' },
    ].map((reported) => ({ ...reported, detail: /^\P{Cc}*$/u })),
  },
})

// What is compiled to code: literals of types, of expressions and of defaults.
const WICKED = [
  '`\u0024{process.exit(7)}`',
  "');process.exit(7);('",
  '"+process.exit(7)+"',
  '*/process.exit(7)/*',
  '\\',
  '\u2028',
  '</script>',
  '\0',
]
const wicked = (text: string): string => JSON.stringify(text).replaceAll('$', '\\u0024')

scene('the words of a spec are data in the code that is made of it', {}, async (t, { bash, work }) => {
  for (const [index, text] of WICKED.entries()) {
    const literal = wicked(text)
    writeFileSync(
      join(work, `${index}.plumb`),
      `type T = { k: ${literal} | "x", d: string = ${literal} }\nlet main : !T -> !{ k: string, d: string } = filter(k = ${literal}) ; map({ k: k + ${literal}, d: d })\n`,
    )
    writeFileSync(join(work, `${index}.jsonl`), `${JSON.stringify({ k: text })}\n`)
  }
  const { out } = await bash(`for i in {0..${WICKED.length - 1}}; do plumb $i.plumb < $i.jsonl; done`)
  t.strictSame(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    WICKED.map((text) => ({ k: text + text, d: text })),
  )
})

// A `node` before the real one on the PATH, in which the day changes with every look at the clock. Seeded.
const SEED = Number(process.env.PLUMB_SEED ?? randomInt(2 ** 31))
const JUMPING_CLOCK = `let state = ${SEED}
const RealDate = Date
const jumping = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return RealDate.now() + Math.round((state / 2 ** 31 - 1) * 86400000)
}
globalThis.Date = class Date extends RealDate {
  constructor(...given) { given.length === 0 ? super(jumping()) : super(...given) }
  static now() { return jumping() }
}
`

scene('fault 122: a clock that jumps days to and fro', FILES, async (t, { bash, work }) => {
  t.comment(`seed ${SEED}`)
  writeFileSync(join(work, 'clock.cjs'), JUMPING_CLOCK)
  const { out, err, status } = await bash(
    `mkdir jumpy; printf '#!/bin/sh\\nexec ${process.execPath} --require %s/clock.cjs "$@"\\n' "$PWD" > jumpy/node; chmod +x jumpy/node; export PATH=$PWD/jumpy:$PATH
    node -p 'Math.abs(Date.now() - Date.now()) > 1000'
    plumb-tool --grant exec tools.plumb call quick '["done"]'; plumb-tool --grant exec tools.plumb call hang '["600"]' 2>&1 | pick _.error
    printf '"I feel sad"\\n"I feel glad"\\n' | plumb --deadline 50 --progress --summary --trace trace.json bot.plumb 2> /dev/null | wc -l`,
  )
  t.equal(out, 'true\n"done\\n"\ntimeout\n2\n', err)
  t.equal(status, 0)
})

scene('fault 123: more work than the processors can do', FILES, async (t, { bash }) => {
  const { out, err } = await bash(`hogs=; for _ in 1 2 3 4; do (while :; do :; done) & hogs="$hogs $!"; done
    seq 300 | nice -n 19 plumb -e 'let main : !int -> !int = map(value * 2) ; filter(value > 0)' | sort -n | tail -1
    yes '"I feel sad"' | head -20 | nice -n 19 plumb bot.plumb | wc -l; kill $hogs; wait`)
  t.equal(out, '600\n20\n', err)
})

const talk = (around: string): string =>
  `printf '"I feel sad"\\n%.0s' {1..50} | PIPELINE_DEBUG=1 ${around} | wc -l; echo "\${PIPESTATUS[1]}"`

sceneTable(
  'no room for what is reported about a run',
  FILES,
  {
    'fault 124: the debug log': { run: talk('plumb bot.plumb 2> /dev/full'), out: '50\n0\n' },
    'fault 124: telemetry': { run: talk('plumb-agent --telemetry bot.plumb 3> /dev/full 2> /dev/null'), out: '50\n0\n' },
    'fault 124: a trace, which was asked for': {
      run: talk('plumb --trace /dev/full bot.plumb 2> err').concat('; grep -c write_failed err'),
      out: '50\n1\n1\n',
    },
  },
  { skip: MACHINE.fullDevice },
)

sceneTable(
  'a disk that fills',
  { ...FILES, 'disk/.keep': '' },
  {
    'a record of more than has room: what was answered is kept, the traces go, and nothing is asked again': {
      run: `for spec in keeps nested; do
for i in {1..300}; do echo '"I am sad today"'; done > in; export spec
${onSmallDisk('disk', '192k', 'plumb --record disk/rec $spec.plumb < in > out 2> log; echo $?; grep -c "trace.json. was emptied" log; rm -rf rec; cp -r disk/rec .')}
wc -l < out; plumb --resume rec $spec.plumb < in > again; echo $?; cmp out again; find rec -name answers.jsonl | xargs cat | grep -c input; done`,
      out: '1\n1\n300\n0\n300\n1\n2\n300\n0\n300\n',
    },
    'fault 124: the log and the trace on it': {
      run: onSmallDisk('disk', '16k', talk('plumb --trace disk/trace.json bot.plumb 2> disk/log')),
      out: '50\n1\n',
    },
  },
  { skip: MACHINE.mounts },
)
