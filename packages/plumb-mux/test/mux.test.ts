// The executable, as it stands in a shell: ports, order, what waits and what does not, errors, signals and its end.

import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { scaled, scaledSeconds } from '../../wire/test/patience.js'
import { processes, until } from '../../wire/test/processes.js'
import { runs } from '../../wire/test/property.js'

const directory = mkdtempSync(join(tmpdir(), 'plumb-mux-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))

const FILES: Record<string, string> = {
  // Each inward port comes out of an outward one.
  'echo.sh': 'cat <&5 >&4 &\ncat /dev/fd/6 >/dev/fd/7 &\ncat\nwait\n',
  'control.sh': 'cat <&6 >&7 &\ncat\n',
  // Reads its data only after the control message "go".
  'late.sh': 'while IFS= read -r c <&6; do echo "$c" >&7; if [ "$c" = \'"go"\' ]; then wc -l; fi; done\n',
  'writer.sh':
    'w () { for i in {1..2500}; do printf \'{"by":%d,"n":%d,"pad":"%s"}\\n\' "$1" "$i" "$pad"; done; }\n' +
    'pad=$(head -c 300 /dev/zero | tr "\\0" x)\nw 0 & w 1 & w 2 >&3 & w 3 >&3 & w 4 >&4 & w 5 >&4 & w 6 >&7 & w 7 >&7 &\nwait\n',
  'fds.sh': 'for n in 3 4 5 6 7 8 9; do if true 2>/dev/null >&$n; then echo $n; fi; done\n',
}
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), `#!/bin/bash\n${text}`, { mode: 0o755 })

const MUX = resolve('packages/plumb-mux/bin/plumb-mux')
const env = { PATH: [resolve('packages/plumb-mux/bin'), process.env.PATH].join(':'), HOME: directory, TMPDIR: directory, LANG: 'C.UTF-8' }

// `envelope PORT JSON …` writes envelopes; `start COMMAND…` runs it, `send` and `receive` are a line to it and from it, `end` closes its stdin and waits.
const PRELUDE = `
envelope () { printf '{"__port":"%s","msg":%s}\\n' "$@"; }
start () { mkfifo in out; "$@" <in >out & pid=$!; exec 8>in 9<out; rm in out; }
send () { envelope "$@" >&8; }
receive () { local l; IFS= read -r -t ${scaledSeconds(30)} l <&9 && printf '%s\\n' "$l"; }
end () { exec 8>&-; wait $pid; }
peak () { grep VmHWM /proc/$1/status | tr -dc 0-9; }
`

interface Ran {
  readonly out: string
  readonly errors: readonly Readonly<Record<string, unknown>>[]
  readonly status: number | null
}

const bash = (script: string): Promise<Ran> =>
  new Promise((done) => {
    const child = spawn('bash', ['-c', PRELUDE + script], { env, cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
    const text = ['', '']
    for (const [i, stream] of [child.stdout, child.stderr].entries()) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text[i] += chunk
      })
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), scaled(60_000))
    child.on('close', (status) => {
      clearTimeout(timer)
      const [out = '', err = ''] = text
      done({ out, errors: err.split('\n').flatMap(parse), status })
    })
  })

const parse = (line: string): Readonly<Record<string, unknown>>[] => {
  try {
    return line === '' ? [] : [JSON.parse(line)]
  } catch {
    return [{ text: line }]
  }
}

interface Case {
  readonly run: string
  readonly out?: string | RegExp
  /** Of each error object the code, and what its other fields must match. */
  readonly errors?: readonly (readonly [code: string, fields?: object])[]
}

const SAID = '{"__port":"ctrl_out","msg":2}\n{"__port":"output","msg":{"n":1.0}}\n'

const CASES: Record<string, Case> = {
  'each port has its descriptor, and messages keep their bytes': {
    run: `envelope input '{"b":1.0,"a":12345678901234567890}' ctrl_in '"\\u00e9"' tool_resp ' [ 1 , 2 ] ' | plumb-mux -- ./echo.sh | sort`,
    out: '{"__port":"ctrl_out","msg":"\\u00e9"}\n{"__port":"output","msg":{"b":1.0,"a":12345678901234567890}}\n{"__port":"tool_req","msg":[ 1 , 2 ]}\n',
  },
  'the command has these descriptors and no others': { run: 'plumb-mux -- ./fds.sh </dev/null | tr -dc "0-9\\n" ', out: '3\n4\n5\n6\n7\n' },
  '--fds says which': { run: 'plumb-mux --fds 3,6 -- ./fds.sh </dev/null | tr -dc "0-9\\n"', out: '3\n6\n' },
  'what another program wrote on its output is data': {
    run: `envelope input 1 | plumb-mux -- cat | plumb-mux -- cat`,
    out: '{"__port":"output","msg":1}\n',
  },
  'arguments are left alone': {
    run: 'plumb-mux echo --tee "a  b" </dev/null; true',
    errors: [['invalid_json', { port: 'output', line: 1 }]],
  },
  'a port that the command closes early is closed by an eof envelope': {
    run: `start plumb-mux -- bash -c 'echo 1; exec >&-; read x; echo "$x" >&7'; receive; receive; send input 2; receive; end`,
    out: '{"__port":"output","msg":1}\n{"__port":"output","eof":true}\n{"__port":"ctrl_out","msg":2}\n',
  },
  'it ends with the command, even if something still writes to it': {
    run: `start plumb-mux -- sh -c 'read x; echo 1'; send input 0; receive; wait $pid; echo $?`,
    out: '{"__port":"output","msg":1}\n0\n',
  },
  'what the command has left in the background still says what it has to': {
    run: `envelope input 1 ctrl_in 2 | plumb-mux -- bash -c '(sleep 0.2; cat) <&6 >&7 & cat'`,
    out: '{"__port":"output","msg":1}\n{"__port":"ctrl_out","msg":2}\n',
  },
  'fault 22: bad envelopes': {
    run: `printf '%s\\n' '{"__port":"nowhere","msg":1}' '{"__port":"imput","msg":1}' '{"__port":"telemetry","msg":1}' '{"__port":"input"}' '{"__port":7,"msg":1}' \\
      '{"__port":"input","msg":1,"x":2}' '[1]' nonsense '{"__port":"input","msg":{"__port":"input","msg":1}}' '{"msg":5,"__port":"input"}' \\
      '{"__port":"input","eof":true}' '{"__port":"input","msg":6}' | plumb-mux -- cat; echo $?`,
    out: '{"__port":"output","msg":{"__port":"input","msg":1}}\n{"__port":"output","msg":5}\n1\n',
    errors: [
      ['unknown_port', { line: 1, detail: /there is input, tool_resp, ctrl_in/ }],
      ['unknown_port', { line: 2, detail: /did you mean 'input'/ }],
      ['unknown_port', { line: 3, port: 'telemetry' }],
      ['bad_envelope', { line: 4 }],
      ['bad_envelope', { line: 5 }],
      ['bad_envelope', { line: 6 }],
      ['bad_envelope', { line: 7 }],
      ['invalid_json', { line: 8 }],
      ['bad_envelope', { line: 12, detail: /closed before/ }],
    ],
  },
  'what the command writes that is not JSON': {
    run: `plumb-mux -- printf '%b\\n' 1 oops '"\\0377"' 2 '{"a":' </dev/null; echo $?`,
    out: '{"__port":"output","msg":1}\n{"__port":"output","msg":2}\n1\n',
    errors: [
      ['invalid_json', { port: 'output', line: 2 }],
      ['invalid_utf8', { port: 'output', line: 3 }],
      ['invalid_json', { port: 'output', line: 5 }],
    ],
  },
  'long messages': {
    run: `{ envelope input '"12345678"'; envelope input '"123456789"'; envelope input '"'$(head -c 500 /dev/zero | tr '\\0' x)'"'; envelope input 1; } | plumb-mux --max-line 10 -- cat`,
    out: '{"__port":"output","msg":"12345678"}\n{"__port":"output","msg":1}\n',
    errors: [
      ['line_too_long', { line: 2, port: 'input' }],
      ['line_too_long', { line: 3 }],
    ],
  },
  'fault 24: descriptors that are closed outside': {
    run: `echo 1 | plumb-mux --unwrap -- plumb-mux -- bash -c 'cat; echo 2 >&3; echo 3 >&7' 3>&- 4>&- 5<&- 6<&- 7>&-; echo $?
      echo 1 | plumb-mux --unwrap -- plumb-mux -- bash -c 'echo 4 >&4; cat <&5; cat' 4>&- 5<&-; echo $?
      plumb-mux --unwrap --fds 4 -- cat </dev/null 4>&-; echo $?`,
    out: '1\n0\n1\n1\n2\n',
    errors: [
      ['unknown_port', { port: 'tool_req', detail: /4 and 5/ }],
      ['fd_invalid', { detail: /4 is not open/ }],
    ],
  },
  'exit status: that of the command': {
    run: `for n in 0 1 2 3; do plumb-mux -- sh -c "exit $n" </dev/null; echo $?; done
      plumb-mux --unwrap -- plumb-mux -- sh -c 'exit 5' </dev/null; echo $?; plumb-mux -- sh -c 'echo 1; kill -9 $$' </dev/null; echo $?`,
    out: '0\n1\n2\n3\n5\n{"__port":"output","msg":1}\n1\n',
    errors: [['child_failed', { detail: /SIGKILL/ }]],
  },
  'exit status 2: nothing was started': {
    run: `for a in '' '-- nope' '--fds 8 -- cat' '--unwarp -- cat' '--tee /no/where -- cat' '--replay nope' '--max-line x -- cat' '--tee x --replay x -- cat'; do
      plumb-mux $a </dev/null; echo $?; done`,
    out: '2\n'.repeat(8),
    errors: [
      ['usage', { detail: /after '--'/ }],
      ['file_not_found', { detail: /'nope' is not on PATH/ }],
      ['fd_invalid'],
      ['unknown_option', { detail: /'--unwrap'/ }],
      ['file_not_found', { detail: /--tee/ }],
      ['file_not_found', { detail: /--replay/ }],
      ['usage', { detail: /invalid: it takes/ }],
      ['usage', { detail: /write over/ }],
    ],
  },
  'faults 26, 27: a reader that goes away ends it quietly; a full disk does not': {
    run: `plumb-mux -- yes 1 </dev/null | head -n 1; echo \${PIPESTATUS[0]}; plumb-mux --unwrap -- plumb-mux -- yes 1 </dev/null | head -n 1; echo \${PIPESTATUS[0]}
      plumb-mux -- echo 1 </dev/null >/dev/full; echo $?; plumb-mux -- echo 1 </dev/null >&-; echo $?`,
    out: '{"__port":"output","msg":1}\n0\n1\n0\n1\n1\n',
    errors: [['write_failed'], ['write_failed']],
  },
  'signals are for the command; a second one is not': {
    run: `set -m; exec 2>/dev/null
      for s in TERM INT HUP; do start plumb-mux -- bash -c 'echo 1; sleep 50; sleep 50'; receive; kill -$s $pid; end; echo $?; done
      start plumb-mux -- bash -c 'trap "echo 2; exit 7" TERM; echo 1; while :; do sleep 0.05; done'; receive; kill $pid; receive; end; echo $?
      start plumb-mux -- bash -c 'trap "echo 2" TERM; echo 1; while :; do sleep 0.05; done'; receive; kill $pid; receive; kill $pid; end; echo $?`,
    out: /^(\{[^\n]*"msg":1\}\n(143|130|129)\n){3}\{[^\n]*1\}\n\{[^\n]*2\}\n7\n\{[^\n]*1\}\n\{[^\n]*2\}\n143\n$/,
  },
  'fault 34: a signal, and a reader that does not read': {
    run: `set -m; exec 2>/dev/null; mkfifo o; plumb-mux -- cat < <(yes '{"__port":"input","msg":1}') >o & exec 9<o; read -rn1 <&9
      kill $!; wait $!; echo $?`,
    out: '143\n',
  },
  'stderr of the command is its own': {
    run: `plumb-mux -- sh -c 'echo "{\\"mine\\":1}" >&2; echo 1' </dev/null 2>err; cat err`,
    out: '{"__port":"output","msg":1}\n{"mine":1}\n',
  },
  'control does not wait for data that is not read; all of it is there afterwards': {
    run: `start plumb-mux -- ./late.sh; (yes '{"__port":"input","msg":"0123456789012345678901234567890123456789"}' | head -n 200000; envelope ctrl_in '"hi"') >&8
      receive; send ctrl_in '"go"'; receive; end; receive`,
    out: '{"__port":"ctrl_out","msg":"hi"}\n{"__port":"ctrl_out","msg":"go"}\n{"__port":"output","msg":200000}\n',
  },
  'a session is recorded, and played back': {
    run: `{ envelope input '{"n":1.0}' ctrl_in 2; echo oops; } | plumb-mux --tee s.jsonl -- ./control.sh | sort
      grep -c '"time":"20' s.jsonl; plumb-mux --replay s.jsonl | sort; plumb-mux --unwrap --replay s.jsonl 7>replies; cat replies
      plumb-mux --tee t.jsonl --replay s.jsonl -- ./control.sh </dev/null | sort; [ "$(cut -d, -f2- t.jsonl | sort)" = "$(grep -v refused s.jsonl | cut -d, -f2- | sort)" ] || echo different
      plumb-mux --unwrap --replay s.jsonl -- plumb-mux -- ./control.sh 7>replies; cat replies; echo '{"direction":"in"}' >u.jsonl; plumb-mux --replay u.jsonl; echo $?`,
    out: `${SAID}5\n${SAID}{"n":1.0}\n2\n${SAID}{"n":1.0}\n2\n1\n`,
    errors: [
      ['invalid_json', { line: 3 }],
      ['bad_envelope', { line: 1, detail: /not a record/ }],
    ],
  },
}

t.test('cases', { jobs: 2 }, async (t) => {
  for (const [name, { run, out, errors = [] }] of Object.entries(CASES)) {
    void t.test(name, async (t) => {
      const inner = mkdtempSync(join(directory, 'case-'))
      const ran = await bash(`cp *.sh ${inner}; cd ${inner}; ${run}`)
      if (out !== undefined) t.match(ran.out, out instanceof RegExp ? out : new RegExp(`^${escape(out)}$`))
      t.strictSame(
        ran.errors.map(({ error, text }) => error ?? text),
        errors.map(([code]) => code),
      )
      for (const [i, [, fields = {}]] of errors.entries()) t.match(ran.errors[i], fields)
    })
  }
})

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

t.test('fault 23: eight writers on four descriptors: no line is torn, each port keeps its order', async (t) => {
  const { out, errors, status } = await bash('plumb-mux -- ./writer.sh </dev/null')
  t.strictSame([errors, status], [[], 0])
  const lines = out.trimEnd().split('\n')
  t.equal(lines.length, 20_000)
  const seen = new Map<number, number>()
  const PORTS = ['output', 'output', 'telemetry', 'telemetry', 'tool_req', 'tool_req', 'ctrl_out', 'ctrl_out']
  const isRight = (line: string): boolean => {
    const { __port: port, msg } = JSON.parse(line)
    const last = seen.get(msg.by) ?? 0
    seen.set(msg.by, msg.n)
    return port === PORTS[msg.by] && msg.n === last + 1 && msg.pad.length === 300
  }
  t.ok(lines.every(isRight))
})

t.test('fault 25: a descriptor may be a socket, a pipe or a file', async (t) => {
  const file = join(directory, 'four.jsonl')
  const args = ['--unwrap', '--', 'plumb-mux', '--', 'bash', '-c', 'echo 4 >&4; cat <&5']
  const answers = join(directory, 'five.jsonl')
  writeFileSync(answers, '5\n')
  const five = openSync(answers, 'r')
  const four = openSync(file, 'w')
  const toFile = spawnSync(MUX, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ignore', four, five] })
  t.strictSame([`${toFile.stdout}`, readFileSync(file, 'utf8'), toFile.status], ['5\n', '4\n', 0], 'a file')
  closeSync(four)
  closeSync(five)
  t.match(
    await bash(
      `plumb-mux ${args.slice(0, -1).join(' ')} '${args.at(-1)}' 4> >(cat >piped) 5< <(echo 5) </dev/null; until [ -s piped ]; do sleep 0.02; done; cat piped`,
    ),
    {
      out: '5\n4\n',
      status: 0,
    },
  )
  const child = spawn(MUX, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe', 'pipe'] })
  const [requests, responses] = child.stdio.slice(4) as unknown as Socket[]
  responses?.end('5\n')
  const said = await Promise.all([child.stdout, requests].map(async (stream) => `${await stream?.toArray()}`))
  t.strictSame(said, ['5\n', '4\n'], 'a socket')
})

t.test('unwrap of wrap is the identity: a command sees no difference', async (t) => {
  const traffic = fc.record({ input: lines(), ctrl_in: lines(), tool_resp: lines() })
  const identity = fc.asyncProperty(traffic, async ({ input, ctrl_in, tool_resp }) => {
    for (const [name, messages] of Object.entries({ input, ctrl_in, tool_resp }))
      writeFileSync(join(directory, name), messages.map((m) => `${m}\n`).join(''))
    const fds = '<input 4>requests 5<tool_resp 6<ctrl_in 7>replies'
    const { out, errors } = await bash(
      `plumb-mux --unwrap -- plumb-mux -- ./echo.sh ${fds}; echo $?; [ "$(<ctrl_in)" = "$(<replies)" ] && [ "$(<tool_resp)" = "$(<requests)" ] || echo different`,
    )
    return errors.length === 0 && out === `${input.map((m) => `${m}\n`).join('')}0\n`
  })
  const result = await fc.check(identity, { numRuns: runs(16), endOnFailure: true })
  t.notOk(result.failed, `seed ${result.seed} ${fc.defaultReportMessage(result) ?? ''}`)
})

const lines = (): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.json({ noUnicodeString: false }), { maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.json(), fc.integer({ min: 1000, max: 20_000 })).map(([json, n]) => new Array<string>(n).fill(json)),
    },
  )

t.test('unread data waits where it is, and memory stays small', async (t) => {
  const limitKb = 190_000
  const outward = await bash(`start plumb-mux -- yes '{"text":"0123456789"}'; receive >/dev/null; sleep 1; peak $pid; kill -9 $pid`)
  t.ok(Number(outward.out) > 0 && Number(outward.out) < limitKb, `outward ${outward.out.trim()} kB`)
  const inward = await bash(`start plumb-mux -- ./late.sh
    yes '{"__port":"input","msg":"0123456789012345678901234567890123456789"}' >&8 2>/dev/null & feeder=$!
    sleep 1; peak $pid; kill $feeder; kill -9 $pid`)
  t.ok(Number(inward.out) > 0 && Number(inward.out) < limitKb, `inward ${inward.out.trim()} kB`)
})

t.test('fault 39: kill -9 leaves no child', async (t) => {
  const { out } = await bash(`start plumb-mux -- bash -c 'echo $$; sleep 91 & sleep 91'
    receive | tr -dc 0-9; kill -9 $pid`)
  t.ok(Number(out) > 0)
  t.ok(await until(() => processes().every(({ group }) => group !== Number(out))))
})
