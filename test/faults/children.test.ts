// long
// Children that die, stall, flood, lie or cannot be started, and what becomes of the run (faults 42 to 57); more of them stand beside plumb,
// plumb-tool and wire.

import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import t from 'tap'
import { badErrorLines } from './leftovers.js'
import { MACHINE, withFewFds, withFewProcesses } from './machine.js'
import { openScene, sceneTable } from './scene.js'

const agent = (name: string, command: string) => `let ${name} : !int -> !int = agent { command: ${command} }\n`
const main = (command: string) => agent('main', command)

/** Bytes of a flood; PLUMB_FLOOD=1000000000 for the whole of it. */
const FLOOD = Number(process.env.PLUMB_FLOOD ?? 40_000_000)
/** Of those that are looked at line by line, for which a test has a minute. */
const LINES_FLOOD = Math.min(FLOOD, 160_000_000)

const FILES = {
  'cat.plumb': main('["cat"]'),
  'four.plumb': `${['a', 'b', 'c', 'd'].map((name) => agent(name, '["cat"]')).join('')}let main : !int -> !int = a ; b ; c ; d\n`,
  'hungry.plumb': main('["node", "--max-old-space-size=20", "./hungry.js"]'),
  'hungry.js': 'const kept = []\nfor (;;) kept.push(new Array(100_000).fill({}))\n',
  'leaves.plumb': main('["faulty", "1:answer", "1:leave"]'),
  'daemon.plumb': main('["./daemon"], sandbox: false'),
  daemon: '#!/bin/bash\nsetsid sleep 300 &\necho $! > pid\nexec cat\n',
  'deaf.plumb': main('["faulty", "start:deaf", "end:stall"]'),
  'again.plumb': main('["faulty", "start:note=starts", "start:exit=1"], sandbox: { write: ["."] }'),
  'prompt.plumb': `let main : !string -> !string = agent { provider: "eliza", model: "doctor", prompt: "${'long '.repeat(40_000)}" }\n`,
  // Asks for what is kept: one in seven, and an error for each of the others.
  'pairs.plumb': `let said : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true, concurrency: 8 }
let main : !int -> !(int, string) = plumb(input, output) { input ; (id * (map("I am " + text(value)) ; said)) ; barrier ; output }
`,
  'long.plumb': main(`["echo", "${'x'.repeat(200_000)}"]`),
  'endless.plumb': main('["./endless"], answers: "some"'),
  endless: `#!/bin/bash\nhead -c ${FLOOD} /dev/zero | tr '\\0' 7\necho\ncat\n`,
  'lines.plumb': main('["./lines"], answers: "some"'),
  lines: `#!/bin/bash\nyes 123456789012345678901234567890123456789 | head -c ${LINES_FLOOD}\nyes words | head -c ${FLOOD} >&2\n`,
  'words.plumb': main('["faulty", "1:say=no JSON", "1:none", "2:answer=true", "3:tear=[1,2]"]'),
  'ring.plumb': `let twice : !int -> !int = agent { command: ["faulty", "1:twice"] }
let main : !int -> !int = plumb(input, output) {
  let again : !int = channel
  input ; again ; twice ; filter(value > 5) ; map(value - 5) ; again
  twice ; output
}
`,
  'liar.plumb': `let main : !int -> !int = agent { command: ["cat"], via: ["./liar"] }\n`,
  liar: `#!/bin/bash
read -r line
echo '{"__port":"nowhere","msg":1}'
echo '{"__port":1}'
echo "$line" | sed 's/input/output/'
cat > /dev/null
`,
  'tools.plumb': `let bomb : { arguments?: [string] } -> string = tool { command: "./bomb", timeout: 3 }
let flood : { arguments?: [string] } -> string = tool { command: "./lines" }
let fine : { arguments?: [string] } -> string = tool { command: "echo fine" }
`,
  bomb: '#!/bin/bash\nfor i in {1..500}; do sleep 300 & done\nwait\n',
}

sceneTable('children', FILES, {
  'errors fill the pipe of an agent while answers go on: none is taken for the answer to another input': {
    run: `seq 7 7 3000 | plumb --cache kept pairs.plumb | wc -l
      for i in 1 2 3; do seq 3000 | plumb --cache kept --cache-only pairs.plumb 2> errors | node -e '
        const pairs = require("fs").readFileSync(0, "utf8").trim().split("\\n").map(JSON.parse)
        console.log(pairs.length, pairs.filter(([n, said]) => !said.includes(n) && /[0-9]/.test(said)).length)'
      wc -l < errors; done`,
    out: `428\n${'428 0\n2572\n'.repeat(3)}`,
  },
  'fault 42: a directory that has been removed is no worse a place than another': {
    run: 'spec=$(cat cat.plumb); mkdir gone; cd gone; rmdir ../gone; plumb -e "$spec" 2> /dev/null',
    in: '1\n',
    out: '1\n',
  },
  'fault 45: memory is used up': {
    run: 'plumb hungry.plumb 2> err; echo $?; grep child_failed err | pick "_.signal + _.seq"',
    in: '1\n',
    out: '1\nSIGABRT1\n',
  },
  'fault 47: one that is left behind with stdout is not waited for': { run: 'plumb leaves.plumb', in: '1\n', out: '1\n' },
  'fault 48: one in a session of its own is not waited for; it lives on, as is documented': {
    run: 'plumb daemon.plumb; echo $?; kill $(cat pid)',
    in: '1\n',
    out: '1\n0\n',
  },
  'fault 46: one that ignores all but KILL is killed': {
    run: 'plumb deaf.plumb < <(echo 1; until [ -e over ]; do sleep 0.02; done) > out & until [ -s out ]; do sleep 0.02; done; kill -TERM $!; kill -TERM $!; wait $!; echo $?; touch over',
    out: '143\n',
  },
  'fault 52: a prompt longer than a command line may be': { run: 'plumb prompt.plumb', in: '"I am sad"\n', out: /SORRY/ },
  'fault 52: a word longer than a command line may be': {
    run: 'plumb long.plumb',
    in: '1\n',
    errors: [{ error: 'config_invalid', category: 'config', process: 'main', detail: /too long for the system/ }],
    status: 2,
  },
  'fault 54: what is not a message, or the message of another program': {
    run: 'plumb words.plumb',
    in: '1\n2\n3\n',
    errors: [
      { error: 'invalid_json', process: 'main', port: 'output', seq: 1 },
      { error: 'output_type_mismatch', process: 'main', seq: 2 },
      { error: 'truncated_line', process: 'main', seq: 3 },
    ],
  },
  'fault 54: a port that is not there': {
    run: 'plumb liar.plumb',
    in: '1\n',
    out: '1\n',
    errors: [{ error: 'unknown_port' }, { error: 'bad_envelope' }],
  },
  'fault 54: two answers for one, in a loop': {
    run: 'plumb ring.plumb',
    in: '7\n1\n',
    out: /^7\n7\n/,
    errors: [{ error: 'child_failed', process: 'twice', detail: /wrote a line that answers nothing/ }],
  },
  'fault 55: one that ends at once is started once': {
    run: 'plumb again.plumb; echo $?; wc -l < starts',
    in: '1\n2\n3\n',
    out: '1\n1\n',
    errors: [{ error: 'child_failed', status: 1, unanswered: 3 }],
    status: 0,
  },
})

/** Prints the status of a plumb, whether its peak of memory could be read, and whether that was more than 250 MB. */
const withPeak = (command: string) =>
  `${command} < <(echo 1) & p=$!; peak=0; while m=$(awk '/VmHWM/ { print $2 }' /proc/$p/status 2>/dev/null) && [ -n "$m" ]; do peak=$m; sleep 0.05; done; wait $p; echo $? $((peak > 0)) $((peak > 250000))`

sceneTable('floods', FILES, {
  'fault 53: a line that does not end': {
    run: `${withPeak('plumb --max-line 1000000 endless.plumb > out')}; cat out`,
    out: '1 1 0\n1\n',
    errors: [{ error: 'line_too_long', process: 'main', line: 1 }],
    status: 0,
  },
  'fault 53: many lines, on stdout and on stderr': {
    run: `${withPeak('plumb lines.plumb > out 2> err')}; wc -l < out; tail -1 err | pick _.text; [ $(wc -c < err) -lt 10000000 ]; echo $?`,
    out: `0 1 0\n${LINES_FLOOD / 40}\n[more was written on stderr; it is left out]\n0\n`,
  },
  'fault 53: a command that a model calls': {
    run: `plumb-tool tools.plumb call flood '{}' | grep -o '.truncated: [0-9]* more bytes.'`,
    out: /^\[truncated: 7999\d{4} more bytes\]\n$/,
  },
})

/** From none to enough, or some of them that the environment does not forbid. */
const counts = (all: readonly number[], some: readonly number[]): readonly number[] => (process.env.PLUMB_NTH === 'all' ? all : some)
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** What a run of four children may come to where there is too little room for them; what Node says for want of it is not ours. */
const judge = (ran: { out: string; err: string; status: number | null | undefined }): string[] => {
  // What watches over a child may be refused its last step, when all is over.
  const said = ran.err.split('\n').filter((line) => line !== '' && !/Cannot fork/.test(line))
  if (ran.status === 0) return ran.out === '1\n' && said.length === 0 ? [] : [`0, and ${ran.out}${ran.err}`]
  const isRefused = ran.status === 1 && ran.out === '' && /"error":"child_failed"/.test(ran.err)
  return isRefused ? badErrorLines(ran.err) : [`${ran.status}: ${ran.err}`]
}

t.test('fault 50: descriptors for k of four children', async (t) => {
  for (const count of counts(range(16, 60), [19, 26, 33, 40, 46])) {
    const scene = openScene(FILES)
    const canStart = withFewFds(count, 'plumb --version > /dev/null 2>&1')
    const { status } = await scene.bash(canStart)
    if (status !== 0) continue
    t.strictSame(judge(await scene.bash(withFewFds(count, 'plumb four.plumb'), '1\n')), [], `${count} descriptors`)
    t.strictSame(await scene.leftovers(), [], `${count} descriptors: nothing is left`)
  }
})

// No other process has that one.
let freeUid = 60_000 + (process.pid % 5000)

const openToAll = ({ directory, work }: { directory: string; work: string }): void => {
  for (const path of [directory, work]) chmodSync(path, 0o755)
  spawnSync('chmod', ['1777', `${directory}/tmp`, `${directory}/home`, work])
}

t.test('fault 51: processes for k of four children', { skip: MACHINE.users }, async (t) => {
  for (const count of counts(range(8, 40), [13, 15, 17])) {
    const scene = openScene(FILES)
    openToAll(scene)
    const uid = freeUid++
    const { status } = await scene.bash(withFewProcesses(count, uid, 'plumb --version > /dev/null 2>&1'))
    if (status !== 0) continue
    t.strictSame(judge(await scene.bash(withFewProcesses(count, uid, 'plumb four.plumb'), '1\n')), [], `${count} processes`)
    t.strictSame(await scene.leftovers(), [], `${count} processes: nothing is left`)
  }
})

t.test('fault 49: a command that starts as many processes as it can is one error, and is ended', { skip: MACHINE.users }, async (t) => {
  const scene = openScene(FILES)
  openToAll(scene)
  const bomb = JSON.stringify({ id: 'bomb', name: 'bomb', input: {} })
  const served = withFewProcesses(60, freeUid++, 'exec plumb-tool tools.plumb serve')
  const ran = await scene.bash(`mkfifo in; : > out; exec 7<>in; ${served} < in > out 7>&- &
    answered () { until [ "$(wc -l < out)" -gt $1 ] || ! kill -0 $!; do sleep 0.05; done; }
    echo '${bomb}' >&7; answered 0
    # The system may still count some that have been killed.
    for n in {1..99}; do echo '{"id":"fine'$n'","name":"fine","input":{}}' >&7; answered $n; tail -n 1 out | grep -q ':false}$' && break; done
    exec 7>&-; wait $!; echo $?; cat out`)
  if (/EACCES|ermission denied/.test(ran.err)) return t.pass('nothing', { skip: 'nobody may not run what is in this directory' })
  t.match(
    ran.out,
    /^0\n\{"id":"bomb",.*"is_error":true\}\n(\{"id":"fine\d+",[^\n]*"is_error":true\}\n)*\{"id":"fine\d+","content":"\\"fine\\\\n\\"","is_error":false\}\n$/,
  )
  return t.strictSame(await scene.leftovers(), [])
})
