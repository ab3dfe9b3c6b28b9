// long
// What a run keeps in memory while a reader, a child or a branch is slower than what comes.

import t from 'tap'
import { makeShell } from './shell.js'

const MAIN = 'let main : !int -> !int = '
const SLOW = '#!/bin/bash\nfor i in 1 2 3; do head -c 100000; sleep 0.1; done; exec cat\n'
const slow = 'agent { command: ["./slow"] }'

const { table } = makeShell({
  slow: SLOW,
  'id.plumb': `${MAIN}id\n`,
  'slow.plumb': `${MAIN}${slow}\n`,
  'branches.plumb': `let slow : !int -> !int = ${slow}\n${MAIN}plumb(input, output) {\n input ; slow ; output\n input ; id ; output\n}\n`,
})

// 100 MB, which would be added to the peak of 100 to 145 MB. The peak is polled: it cannot be read of a process that has ended.
const LINES = 2_000_000
const many = `yes 123456789012345678901234567890123456789012345678 | head -n ${LINES}`
const withPeak = (spec: string, reader: string) =>
  `mkfifo out; ${reader} < out | wc -l & r=$!; ${many} | plumb ${spec}.plumb > out & p=$!
  peak=0; while m=$(awk '/VmHWM/ { print $2 }' /proc/$p/status 2>/dev/null) && [ -n "$m" ]; do peak=$m; sleep 0.05; done; wait $p; status=$?; wait $r; echo $status $((peak > 0)) $((peak > 190000))`
const TITLE = 'faults 29, 62: nothing piles up, and nothing is lost'
if (process.platform !== 'linux') t.test(TITLE, { skip: 'peaks of memory are read from /proc' }, async () => {})
else {
  table(TITLE, {
    'a slow reader': { run: withPeak('id', '{ sleep 1; cat; }'), out: `${LINES}\n0 1 0\n` },
    'a slow child': { run: withPeak('slow', 'cat'), out: `${LINES}\n0 1 0\n` },
    'a slow branch': { run: withPeak('branches', 'cat'), out: `${2 * LINES}\n0 1 0\n` },
  })
}
