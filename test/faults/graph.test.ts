// long
// Pipelines as graphs (plumb-faults(7), Graphs): loops that are full, branches that stand still, barriers with a dry side, channels that nobody reads.

import { scene, sceneTable, until } from './scene.js'

const child = (name: string, type: string, ...command: readonly string[]): string =>
  `let ${name} : !${type} -> !${type} = agent { command: ${JSON.stringify(command)} }\n`
const MESSAGE = 'type M = { n: int, pad: string }\n'

const FILES = {
  // Each message goes round three times, and comes back as two but for the first time.
  'ring.plumb': `${MESSAGE}${child('a', 'M', 'cat')}let b : !M -> !M = map({ n: n - 1, pad })\n${child('c', 'M', 'faulty')}let main : !M -> !int = plumb(input, output) {
 input ; a ; b ; c
 c ; filter(n > 0) ; a
 c ; filter(n > 0) ; id ; a
 c ; filter(n <= 0).n ; output\n}\n`,
  'grows.plumb': `${MESSAGE}${child('a', 'M', 'cat')}let main : !M -> !M = plumb(input, output) {\n input ; a\n a ; a\n a ; id ; a\n a ; filter(n < 0) ; output\n}\n`,
  'loop.plumb': `${child('a', 'int', 'cat')}let main : !int -> !int = plumb(input, output) {
 input ; a
 a ; filter(value > 0) ; map(value - 1) ; a
 a ; filter(value <= 0) ; output\n}\n`,
  'dry.plumb': 'let main : !int -> !(int, int) = plumb(input, output) { input ; (id * filter(value % 3 > 0)) ; barrier ; output }\n',
  stands: '#!/bin/bash\necho $$ > pid; exec cat\n',
  'branch.plumb': `let stands : !string -> !string = agent { command: ["./stands"], sandbox: false }\nlet main : !string -> !string = plumb(input, output) {\n input ; stands ; output\n input ; id ; output\n}\n`,
}

sceneTable('loops and barriers', FILES, {
  'fault 58: a ring with more in it than all its pipes hold': {
    run: `node -e 'for (let i = 0; i < 300; i++) console.log(JSON.stringify({ n: 3, pad: "x".repeat(3000) }))' | plumb ring.plumb | sort | uniq -c | tr -s ' '`,
    out: ` ${300 * 4} 0\n`,
  },
  'fault 58: a ring that makes more than it takes ends, and names itself': {
    run: `node -e 'console.log(JSON.stringify({ n: 3, pad: "x".repeat(30000) }))' | plumb --max-in-flight 200 grows.plumb`,
    errors: [{ error: 'overflow', category: 'internal', cycle: ['a', 'id'] }],
  },
  'fault 61: a barrier with a side that drops some joins the others': {
    run: 'seq 6 | plumb dry.plumb',
    out: '[1,1]\n[2,2]\n[4,4]\n[5,5]\n',
  },
})

scene(
  'faults 59, 60: a loop in which all wait for input waits while some may come, and ends when none can',
  FILES,
  async (t, { start }) => {
    const loop = start(['plumb', '--telemetry', 'loop.plumb'], ['pipe', 'pipe', 'pipe', 'pipe'])
    for (const round of [1, 2, 3]) {
      loop.write('5\n0\n')
      t.ok(await until(() => loop.reported().split('\n').length === 2 * round + 1), 'it gives what it has')
      t.ok(await loop.reports(new RegExp(`"kind":"settled","inputs":${2 * round},`), 3), 'and is quiet')
    }
    loop.child.stdin?.end()
    t.match(await loop.ended, { status: 0 })
    t.equal(loop.reported(2), '')
  },
)

const LINES = 200_000

scene('fault 62: a branch that stands still holds the others up, and nothing piles up', FILES, async (t, { bash }) => {
  const { out, err } = await bash(`mkfifo in out; wc -l < out & reader=$!; plumb branch.plumb < in > out & p=$!; exec 8> in
    echo '"first"' >&8; until [ -s pid ]; do sleep 0.02; done; kill -STOP $(cat pid)
    yes '"0123456789012345678901234567890123456789"' | head -n ${LINES - 1} >&8 & feeder=$!; exec 8>&-
    now=-1 before=; until [ "$now" = "$before" ]; do before=$now; sleep 0.3; now=$(grep rchar /proc/$p/io); done
    kill -0 $feeder && awk '/VmHWM/ && $2 > 160000' /proc/$p/status
    kill -CONT $(cat pid); wait $p; echo $?; wait $reader`)
  t.equal(err, '')
  t.strictSame(out.split('\n').sort(), ['', '0', `${2 * LINES}`])
})
