// long
// Options of runs by workers, and what is seen of them: --seq, --rejects, --fail-fast, --deadline, and what they have spent.

import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { until } from './scene.js'
import { ENDED, end, lines, numbers, PATIENCE_MS, programs, stageOf } from './worker-stage.js'

const onStage = stageOf({
  ...programs({ hold: `until [ -e go ]; do sleep 0.05; done; echo "$x"` }),
  'weak.plumb': 'let main : !json -> !json = filter(value != 5) ; map(if value is int then value + 1 else value) ; filter(value is int)\n',
  'three.plumb': 'let main : !int -> ![int] = filter(value > 2) ; batch(3) ; map(value)\n',
  'positive.plumb': 'let main : !int -> !int = map(floor(1000 / value))\n',
  'spend.mjs': `import { createInterface } from 'node:readline'
import { writeSync } from 'node:fs'
let seq = 0
for await (const line of createInterface({ input: process.stdin })) {
  const usage = { kind: 'usage', input_tokens: 7, output_tokens: 3, cache_read_tokens: 0, cache_creation_tokens: 0 }
  writeSync(3, JSON.stringify({ ...usage, model: 'm', ms: 1, agent: 'spender', time: '', seq: ++seq }) + '\\n')
  console.log(line)
}
`,
  'spend.plumb': `let spender : !int -> !int = agent { command: ["node", "spend.mjs"], amnesiac: true, answers: "each", sandbox: false }
let main : !int -> !int = spender\n`,
  'sum.sh': 'n=0; while read -r x; do n=$((n + x)); echo $n; done\n',
  'sum.plumb': `let sum : !int -> !int = agent { command: ["bash", "./sum.sh"], answers: "each", sandbox: false }
let main : !int -> !int = plumb(input, output) { input ; sum ; output }\n`,
  'prices.json': '{"m":{"input":10,"output":10}}',
})

onStage('a worker that is stopped while it connects ends', async (t, { cluster, start }) => {
  // The database is reached once the signal has come.
  let letThrough: () => void = () => {}
  const stopped = new Promise<void>((done) => {
    letThrough = done
  })
  const server = createServer(async (client) => {
    client.on('error', () => {})
    await stopped
    const database = connect(join(cluster.directory, '.s.PGSQL.5432'))
    client.pipe(database).pipe(client)
    database.on('error', () => {})
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((done) => server.once('listening', done))
  const url = `postgres://plumb@127.0.0.1:${(server.address() as AddressInfo).port}/postgres?sslmode=disable`
  const connected = new Promise((done) => server.once('connection', done))
  const worker = start(['plumb', 'work', '--on', url, 'three.plumb'])
  await connected
  worker.child.kill('SIGTERM')
  // The signal is there when the next of the process is asked of the system.
  await until(() => !/^SigPnd:.*[1-9a-f]|^ShdPnd:.*[1-9a-f]/m.test(readFileSync(`/proc/${worker.pid}/status`, 'utf8')))
  letThrough()
  t.strictSame(await worker.ended, ENDED)
})

onStage('--seq numbers outputs as in one process', async (t, { serve, bash }) => {
  const worker = serve('three.plumb')
  const on = await bash('seq 11 | plumb run --on "$PLUMB_ON" --ordered --seq three.plumb')
  t.equal(on.out, (await bash('seq 11 | plumb --seq three.plumb')).out)
  t.match(on.out, /^\{"seq":5,"value":\[3,4,5\]\}\n/)
  await end(worker)
})

onStage('--rejects takes the inputs that failed, whatever they had become', async (t, { serve, bash, work }) => {
  const worker = serve('positive.plumb')
  const read = () => readFileSync(join(work, 'bad.jsonl'), 'utf8')
  const command = (from: string) => `${from} | plumb run --on "$PLUMB_ON" --run bad --rejects bad.jsonl positive.plumb`
  const { status, out } = await bash(command(`printf '1\\n0\\n"x"\\n2\\n'`))
  t.strictSame([status, numbers(out)], [1, [500, 1000]])
  t.strictSame(lines(read()).sort(), ['"x"', '0'])
  await end(worker)
})

onStage('--fail-fast: nothing is done behind the first error, and the same command goes on', async (t, { serve, bash }) => {
  const worker = serve('--slots', '1', 'positive.plumb')
  const command = 'plumb run --on "$PLUMB_ON" --ordered --run fast --fail-fast positive.plumb'
  const first = await bash(`{ echo 1; echo 0; seq 500; } | ${command}`)
  t.equal(first.status, 1)
  t.match(first.err, /"error":"cancelled".*--fail-fast.*not answered, and wait/)
  t.ok(lines(first.out).length < 400, `${lines(first.out).length} outputs`)
  const rest = await bash(`{ echo 1; echo 0; seq 500; } | ${command}`)
  t.equal(rest.status, 0, 'what failed is reported once')
  t.equal(lines(first.out).length + lines(rest.out).length, 501)
  await end(worker)
})

onStage('--deadline parks the run, and the same command goes on', async (t, { serve, bash, given }) => {
  const worker = serve('hold.plumb')
  const command = 'seq 3 | plumb run --on "$PLUMB_ON" --run late'
  await bash(`${command} --detach hold.plumb`)
  t.ok(await given(1))
  const late = await bash(`${command} --deadline 0.2 hold.plumb`)
  t.match(late, { status: 1, out: '', err: /"budget_spent".*--deadline have passed; 3 messages are not answered, and wait/ })
  t.match(JSON.parse((await bash('plumb runs --json late')).out), { state: 'parked', note: /--deadline/ })
  const rest = bash(`${command} hold.plumb`)
  await bash('touch go')
  t.strictSame(numbers((await rest).out), [10, 20, 30])
  await end(worker)
})

onStage('what is said in vain, and what to do', async (t, { bash }) => {
  for (const [words, why] of [
    ['--resume rec', /--resume has no effect on a run by workers.*--run NAME goes on/],
    ['--lane batch', /known to one process alone/],
    ['--dry-run', /render --parts/],
    ['--mux', /envelopes where there are several/],
    ['--detach --rejects bad', /--rejects is not for --detach/],
  ] as const)
    t.match(await bash(`plumb run --on "$PLUMB_ON" ${words} three.plumb < /dev/null`), { status: 2, err: why }, words)
})

onStage('--summary and --progress count what the workers have done', async (t, { serve, bash }) => {
  const worker = serve('--prices', 'prices.json', 'spend.plumb')
  const summed = await bash(
    `printf '1\n2\nx\n"y"\n' | PLUMB_ERRORS=json plumb run --on "$PLUMB_ON" --summary=json --progress --run sum spend.plumb`,
  )
  await end(worker)
  const reported = lines(summed.err).map((line) => JSON.parse(line))
  const counts = { inputs: 4, outputs: 2, errors: 2, by_code: { invalid_json: 1, input_type_mismatch: 1 } }
  const spent = { requests: 2, input_tokens: 14, output_tokens: 6, cost: 0.0002 }
  const stages = [{ stage: 'spender', in: 4, out: 2, errors: 2 }]
  t.match(reported.at(-1).summary, { ...counts, ...spent, stages, agents: [{ agent: 'spender', model: 'm', ...spent }], status: 1 })
  t.match(reported.findLast(({ progress }) => progress !== undefined)?.progress, { inputs: 4, outputs: 2, requests: 2 })
  t.match((await bash('echo 3 | plumb run --on "$PLUMB_ON" --detach --summary spend.plumb')).err, /--summary is not for --detach/)
})

onStage('--pin: what cannot go on elsewhere runs on one worker with that label, and its end is that of the run', async (t, stage) => {
  const { serve, submit, bash } = stage
  t.match(await bash('echo 1 | plumb run --on "$PLUMB_ON" sum.plumb'), { status: 2, err: /"cannot_run".*program that may remember.*--pin/ })
  t.match(await bash('echo 1 | plumb run --on "$PLUMB_ON" --pin none=big sum.plumb'), {
    status: 2,
    err: /--pin none: the spec has 1 \(sum\)/,
  })
  t.match(await bash('echo 1 | plumb run --on "$PLUMB_ON" --pin sum sum.plumb'), { status: 2, err: /takes PART=LABEL/ })
  const other = serve('--label', 'small', 'sum.plumb')
  const submitter = submit('--run', 'pinned', '--pin', 'sum=big', '--unserved-after', '0.1', 'sum.plumb')
  submitter.write('1\n2\n')
  t.ok(await submitter.reports(/"no_worker".*label 'big'/, 2, PATIENCE_MS))
  t.match((await bash('plumb runs pinned')).out, /label 'big'/)
  const worker = serve('--label', 'small', '--label', 'big', 'sum.plumb')
  t.ok(await submitter.reports(/1\n3\n/, 1, PATIENCE_MS), 'it remembers')
  worker.child.kill('SIGKILL')
  const second = serve('--label', 'big', 'sum.plumb')
  submitter.child.stdin?.end('3\n')
  t.strictSame(await submitter.ended, { status: 1, signal: null })
  t.match(submitter.reported(2), /"child_failed".*part 1 sum has ended/)
  t.match(JSON.parse((await bash('plumb runs --json pinned')).out), { state: 'cancelled', note: /part 1 sum has ended/ })
  await end(other, second)
})

onStage('plumb runs shows what a run has spent, and how fast it goes', async (t, { serve, submit, bash, cluster }) => {
  const worker = serve('--prices', 'prices.json', 'spend.plumb')
  const submitter = submit('--run', 'spent', 'spend.plumb')
  submitter.write('1\n2\n3\n')
  t.ok(await until(() => numbers(submitter.reported()).length === 3, PATIENCE_MS))
  const isReported = () =>
    cluster.ask('SELECT sum(input + output) FROM plumb.usage WHERE run = (SELECT max(id) FROM plumb.run)').trim() === '30'
  t.ok(await until(isReported, PATIENCE_MS))
  t.match(JSON.parse((await bash('plumb runs --json spent')).out), { parts: [{ done: 3, calls: 3, tokens: 30, cost: 0.0003 }] })
  const { out: sql } = await bash('plumb engine --print')
  cluster.ask(sql.slice(sql.indexOf('CREATE ROLE')))
  const asReader = `PGOPTIONS='-c role=plumb_read' plumb runs spent`
  t.match(await bash(asReader), { status: 0, out: /"calls":3,/ }, 'who may only look, may look')
  submitter.child.stdin?.end()
  t.strictSame(await submitter.ended, ENDED)
  await end(worker)
})
