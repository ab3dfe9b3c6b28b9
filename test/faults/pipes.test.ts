// long
// Where output goes, and how it ends (plumb-faults(7), Output and the end): readers that leave, stop or come late, disks that are full, signals, terminals that go.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runningIn } from './leftovers.js'
import { LIVING, LIVING_FILES } from './living.js'
import { MACHINE, quote, withInjection } from './machine.js'
import { scene, sceneTable, until } from './scene.js'

const ELIZA = 'agent { provider: "eliza", model: "doctor" }\n'
const child = (name: string, ...command: readonly string[]): string =>
  `let ${name} : !json -> !json = agent { command: ${JSON.stringify(command)} }\n`
const FILES = {
  'id.plumb': 'let main : !json -> !json = id\n',
  'cat.plumb': child('main', 'cat'),
  'bot.plumb': `let bot : !json -> !string = ${ELIZA}`,
  'tools.plumb':
    '@tool true\nlet one : json -> json = id\n@tool true\nlet slow : { arguments?: [string] } -> string = tool { command: "./slow", timeout: 1, effects: ["fs.write"] }\n',
  slow: '#!/bin/bash\necho > started; until [ -e go ]; do sleep 0.05; done; echo done; echo > finished\n',
}

/** Each reads lines of JSON, as many as there are, and answers each; none ends before its input. */
const ANSWERING: Readonly<Record<string, string>> = {
  plumb: 'plumb id.plumb',
  'plumb with a child': 'plumb cat.plumb',
  'plumb-agent': 'plumb-agent bot.plumb',
  'plumb-mux': `sed -u 's/.*/{"__port":"input","msg":&}/' | plumb-mux -- cat`,
  'plumb-tool serve': `sed -u 's/.*/{"id":"&","name":"one","input":&}/' | plumb-tool tools.plumb serve`,
  'plumb-tool call': 'plumb-tool tools.plumb call one -',
}

const INITIALIZE = `printf 'Content-Length: 58\\r\\n\\r\\n{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'`

/** Each says something by itself. */
const SAYING = [
  ...['plumb check id.plumb', 'plumb fmt - < id.plumb', 'plumb render --format dot id.plumb', 'plumb explain timeout', 'plumb --help'],
  ...['plumb deps id.plumb', 'plumb completion bash', 'echo 1 | plumb stage main id.plumb', `${INITIALIZE} | plumb lsp`],
  ...['plumb-agent --version', 'plumb-mux -- echo 1', 'plumb-chat --help', 'echo x | plumb-chat'],
  ...['list', 'schema one', 'call one 1', 'find one', 'test'].map((command) => `plumb-tool tools.plumb ${command}`),
  ...['plumb-mcp --help', 'plumb-mcp tools -- plumb-mcp tools.plumb', `plumb-mcp call one '{"input":1}' -- plumb-mcp tools.plumb`],
  ...Object.values(ANSWERING).map((run) => `echo 1 | { ${run}; }`),
]

const LATE = SAYING.filter((run) => / \| .*plumb|--help/.test(run))

const WRITE_FAILED = { error: 'write_failed', category: 'internal' }

sceneTable('what cannot be written', FILES, {
  'fault 26: a reader that leaves ends each of them without a word': {
    run: Object.values(ANSWERING)
      .map((run) => `seq 1 100000 | { ${run}; echo $? >> status; } | head -n 1 > out; [ -s out ] || echo nothing`)
      .concat('cat status')
      .join('\n'),
    out: '0\n'.repeat(Object.keys(ANSWERING).length),
  },
  'fault 27: a stdout that was never open is reported by each of them': {
    run: SAYING.map((run) => `{ ${run}; } >&- || echo $?`).join('\n'),
    out: '1\n'.repeat(SAYING.length),
    errors: SAYING.map(() => WRITE_FAILED),
    status: 0,
  },
})

sceneTable(
  'a disk that is full',
  FILES,
  {
    'fault 27: a full disk is reported by each of them': {
      run: SAYING.map((run) => `{ ${run}; } > /dev/full || echo $?`).join('\n'),
      out: '1\n'.repeat(SAYING.length),
      errors: SAYING.map(() => WRITE_FAILED),
      status: 0,
    },
    'fault 28: a stderr that is full or closed changes nothing': {
      run: `for to in '> /dev/full' '>&-'; do for run in 'plumb id.plumb' 'plumb cat.plumb' 'plumb-agent bot.plumb' 'plumb-tool tools.plumb call one -' 'plumb-mux -- cat'; do
          printf '%s\\n' 1 oops 2 | eval "$run 2$to" | wc -l; echo "$run \${PIPESTATUS[1]}"; done; done`,
      out: /^((2\n[^\n]* 1\n){4}0\n[^\n]* 1\n){2}$/,
    },
  },
  { skip: MACHINE.fullDevice },
)

const noticedLate = (run: string): string =>
  withInjection('write,writev:delay_exit=300000', `bash -c ${quote(`{ ${run}; } > /dev/full`)}`, '/dev/full')

sceneTable(
  'a disk that is full, which is noticed late',
  FILES,
  {
    'fault 27: it is reported all the same': {
      run: LATE.map((run) => `${noticedLate(run)} || echo $?`).join('\n'),
      out: '1\n'.repeat(LATE.length),
      errors: LATE.map(() => WRITE_FAILED),
      status: 0,
    },
  },
  { skip: MACHINE.fullDevice || MACHINE.traces },
)

const BIG = 3_000_000

sceneTable('a reader that comes late', FILES, {
  'fault 31: what was said last arrives whole from each of them': {
    run: `node -e 'console.log(JSON.stringify("x".repeat(${BIG})))' > big; big=$(wc -c < big)
      for run in 'plumb id.plumb < big' 'plumb cat.plumb < big' 'plumb-tool tools.plumb call one - < big' 'plumb-mux --unwrap -- plumb-mux -- cat < big'; do
        eval "$run" | { sleep 0.3; [ "$(wc -c)" = "$big" ] || echo "$run"; echo "\${PIPESTATUS[0]}" >&2; } 2> status; done
      echo '{"__port":"output","msg":'"$(cat big)"'}' > enveloped; plumb-mux -- cat big < /dev/null | { sleep 0.3; cmp - enveloped; }
      echo '{"id":"1","name":"one","input":'"$(cat big)"'}' | plumb-tool tools.plumb serve | { sleep 0.3; wc -c; }
      for i in $(seq 3000); do echo "let f$i : int -> int = map(value + $i)"; done > many.plumb
      plumb fmt - < many.plumb | { sleep 0.3; cmp - many.plumb; }`,
    out: new RegExp(`^${BIG + '{"id":"1","content":"\\"\\"","is_error":false}'.length + 1}\n$`),
  },
})

// Everything that is on its way is somewhere: nothing reads any more, for as long as this looks.
const STILL = `still () { local now=-1 before; until [ "$now" = "$before" ]; do before=$now; sleep 0.3; now=$(grep rchar /proc/$1/io); done; }`
const COUNT = 300_000

sceneTable('a reader that is stopped', FILES, {
  'faults 29, 30: nothing grows, nothing ends, and all arrives when it goes on': {
    run: `${STILL}
      for run in 'plumb id.plumb' 'plumb cat.plumb' 'plumb-mux -- cat'; do
        mkfifo out; wc -l < out & reader=$!; kill -STOP $reader
        yes '{"__port":"input","msg":"0123456789012345678901234567890123456789"}' | head -n ${COUNT} | eval "exec $run" > out & pid=$!
        still $pid; awk '/VmHWM/ && $2 > 160000' /proc/$pid/status
        kill -CONT $reader; wait $pid; status=$?; wait $reader; echo $status; rm out; done`,
    out: `${COUNT}\n0\n`.repeat(3),
  },
})

for (const [name, { command, line }] of Object.entries(LIVING)) {
  scene(`${name} and signals`, LIVING_FILES, async (t, { start }) => {
    const open = async () => {
      const started = start(command)
      started.write(line)
      t.ok(await started.reports(/\n/), 'it lives')
      return started
    }
    const one = await open()
    one.child.kill('SIGUSR1')
    one.child.kill('SIGPIPE')
    one.write(line)
    t.ok(await one.reports(/(.*\n){2}/), 'fault 37: PIPE and USR1 are nothing to it')
    t.equal(one.reported(2), '', 'fault 37: no debugger is opened')
    one.child.kill('SIGSTOP')
    one.write(line)
    one.child.kill('SIGCONT')
    t.ok(await one.reports(/(.*\n){3}/), 'fault 38: stopped, it goes on')
    one.child.stdin?.end()
    t.match(await one.ended, { status: 0, signal: null })
    t.equal(one.reported().split('\n').length, 4, 'fault 38: one answer each')
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const other = await open()
      other.child.kill(signal)
      t.match(await other.ended, { signal }, `faults 34, 36: with nothing in flight it ends by ${signal} at once`)
      t.equal(other.reported(2), '')
    }
  })
}

const step = (name: string, ...steps: readonly string[]): string => child(name, 'faulty', ...steps)

sceneTable(
  'how it ends',
  {
    ...FILES,
    'chain.plumb': `${['a', 'b', 'c'].map((name) => child(name, 'bash', '-c', `cat; echo ${name} >> order`).replace(' }', ', sandbox: { write: ["."] } }')).join('')}let main : !json -> !json = a ; b ; c\n`,
    'stalls.plumb': `${step('a')}${step('b', '3:stall')}let main : !json -> !json = a ; b\n`,
    'deaf.plumb': `${step('main', 'start:deaf', '1:leave', '3:stall')}`,
    'two.plumb':
      'let bot : !json -> !string = agent { provider: "eliza", model: "doctor", max_messages: 2 }\nlet main : !json -> !string = bot\n',
  },
  {
    'fault 33: at the end children are closed in the order in which messages go, and nothing is lost': {
      run: `seq 20000 | plumb chain.plumb | cmp - <(seq 20000); cat order`,
      out: 'a\nb\nc\n',
    },
    'fault 34: what cannot be finished in time is reported, each with its seq': {
      run: `mkfifo in; plumb stalls.plumb < in > out & pid=$!; exec 8> in; seq 5 >&8; until [ "$(wc -l < out)" = 2 ]; do sleep 0.02; done; kill $pid; wait $pid; echo $?; cat out`,
      out: '143\n1\n2\n',
      errors: [{ error: 'cancelled', process: 'b', seq: 3, seqs: [[3, 5]], unanswered: 3 }],
      status: 0,
    },
    'fault 35: a second signal ends it at once, however deaf its children are': {
      run: `mkfifo in; plumb deaf.plumb < in > out & pid=$!; exec 8> in; seq 3 >&8; until [ "$(wc -l < out)" = 2 ]; do sleep 0.02; done; kill $pid; kill -INT $pid; wait $pid; echo $?`,
      out: /^(143|130)\n$/,
      errors: [{ error: 'cancelled', process: 'main', seq: 3, unanswered: 1 }],
      status: 0,
    },
    'fault 40: after max_messages it ends, and what was read and not used is counted': {
      run: `seq 10 | plumb-agent two.plumb | wc -l; seq 10 | plumb --summary two.plumb 2> reported | wc -l; grep -c 'bot *10 *2 *2$' reported`,
      out: '2\n2\n1\n',
    },
  },
)

// Each has more to say than a pipe holds, and it is not read.
const UNREAD = ['plumb map.plumb', 'plumb-agent --telemetry --fds 3 bot.plumb 3> $t', 'plumb-tool tools.plumb call one -']

sceneTable('a signal, and a reader that never reads', LIVING_FILES, {
  'fault 34: it is not waited for for ever': {
    run: `${STILL}
      try () { local t=out.$1; mkfifo $t; exec 9<>$t; eval "exec $2" < in > $t & local pid=$!
        still $pid; kill $pid; wait $pid; echo $?; }
      seq 100000 > in; ${UNREAD.map((run, i) => `try ${i} '${run}' &`).join(' ')} wait`,
    out: '143\n'.repeat(UNREAD.length),
  },
})

scene('fault 36: a terminal that goes takes what runs there with it', LIVING_FILES, async (t, { start, directory }) => {
  for (const command of ['plumb map.plumb', 'plumb-agent bot.plumb', 'bash -c "trap \'\' HUP; plumb cat.plumb; plumb map.plumb"']) {
    const terminal = start(['on-terminal', 'bash', '-c', `echo ready; exec ${command}`])
    t.ok(await terminal.reports(/ready/), command)
    terminal.child.kill('SIGKILL')
    await terminal.ended
    t.ok(await until(() => runningIn(directory).length === 0), 'all of it')
  }
})

scene('fault 38: who was stopped does not take it for a time-out', FILES, async (t, { start, work }) => {
  const serve = start(['plumb-tool', 'tools.plumb', 'serve'])
  serve.write('{"id":"1","name":"slow","input":{}}\n')
  t.ok(await until(() => existsSync(join(work, 'started'))), 'it is called')
  serve.child.kill('SIGSTOP')
  writeFileSync(join(work, 'go'), '')
  t.ok(await until(() => existsSync(join(work, 'finished'))), 'it answers meanwhile')
  // More than its time-out.
  await new Promise((done) => setTimeout(done, 1500))
  serve.child.kill('SIGCONT')
  t.ok(await serve.reports(/\n/))
  t.match(JSON.parse(serve.reported()), { id: '1', content: '"done\\n"', is_error: false })
})

const EXACTLY = `seq 100000 > in; mkfifo out; cmp out in & `
const NOT_READY = 'fault 32: a stdout that is not ready gets everything'
scene(
  NOT_READY,
  { 'id.plumb': FILES['id.plumb'] },
  async (t, { bash, work }) => {
    for (const error of ['EAGAIN', 'EINTR']) {
      const { out, err, status } = await bash(
        `${EXACTLY}${withInjection(`write,writev:error=${error}:when=1..4+2`, 'plumb id.plumb < in > out', join(work, 'out'))}; echo $?; wait $!; echo $?; rm out`,
      )
      t.match({ out, err, status }, { out: '0\n0\n', err: '', status: 0 }, error)
    }
  },
  { skip: MACHINE.traces },
)
