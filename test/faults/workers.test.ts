// long
// Runs by workers, on a PostgreSQL of their own: whichever process is killed, each input has one outcome, and what agents remember is what they
// remember in one process. PLUMB_KILLS is how often, PLUMB_SEED repeats the moments.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { processes } from '../../packages/wire/test/processes.js'
import { makeRandom } from '../fuzz/random.js'
import { until } from './scene.js'
import { lines, NINE, numbers, PATIENCE_MS, programs, stageOf, TIMES_TEN } from './worker-stage.js'

const KILLS = 4 * Number(process.env.PLUMB_KILLS ?? 1)
const SEED = Number(process.env.PLUMB_SEED ?? Math.floor(Math.random() * 2 ** 31))
t.comment(`seed ${SEED}`)

const FILES = {
  ...programs({
    hold: `until [ -e go ]; do sleep 0.05; done; echo "$x"`,
    weak: `[ "$x" = 7 ] && exit 3; echo "$x"`,
    deadly: `[ "$x" = 7 ] && { read -r _ _ _ worker _ < "/proc/$PPID/stat"; kill -9 "$worker"; }; echo "$x"`,
  }),
  'talk.plumb': `
    let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
    let other : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true }
    let main : !string -> !string = plumb(input, output) {
      input ; map(lower(value)) ; bot ; filter(length(value) > 20) ; other ; fold(value + state[0:3], from: "") ; output
    }`,
  'talk-free.plumb': `
    let a : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true }
    let main : !string -> !string = plumb(input, output) { input ; map(lower(value)) ; a ; output }`,
  'ticket.plumb': `
    let a : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true }
    let main : !string -> !(string, string) = plumb(input, output) {
      input ; filter(value != "no") ; (id * a) ; barrier ; batch(3) ; flatten ; output
    }`,
  'note.mjs': `import { appendFileSync } from 'node:fs'
export default ({ n }) => { appendFileSync(process.env.PWD + '/noted', n + ' ' + process.env.PLUMB_DELIVERY + '\\n'); return n }
`,
  'deliver.plumb': `
    let note : { n: int } -> int = tool { function: "note.mjs", effects: ["fs.write"], sandbox: false }
    let ask : !int -> !string = map("call note " + text({ n: value })) ; said
    let said : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [note], grant: ["fs.write", "exec"], amnesiac: true, concurrency: 3 }
    let inner : !int -> !string = plumb(input, output) { input ; ask ; output }
    let main : !int -> !json = plumb(input, output) {
      input ; filter(value % 3 = 0) ; ask ; output
      input ; filter(value % 3 = 1) ; map({ n: value }) ; map(note, parallel: 4) ; output
      input ; filter(value % 3 = 2) ; inner ; output
    }`,
  'same.plumb': 'let main : !json -> !json = id',
  'odd.jsonl': `{"a":1.50,"n":123456789012345678901234567890,"z":[1e300,-0],"s":"\\u0000\\ud800"}\n${JSON.stringify('ß'.repeat(600_000))}\n`,
  'talk.jsonl': Array.from({ length: 120 }, (_, i) => `"My cat ${i} remembers ${i % 7} of you"\n`).join(''),
  'ticket.jsonl': `"a"\n"no"\n"b"\n7\n"c"\n"d"\n`,
}

const LONGEST = 16 * 1024 * 1024

const onStage = stageOf(FILES)

onStage('the same as in one process, in the order of the inputs', async (t, { bash, serve }) => {
  for (const name of ['talk', 'ticket']) {
    const embedded = await bash(`plumb ${name}.plumb < ${name}.jsonl`)
    const workers = [1, 2, 3].map(() => serve(`${name}.plumb`))
    const submitted = await bash(`plumb run --on "$PLUMB_ON" --ordered --run ${name} ${name}.plumb < ${name}.jsonl`)
    for (const { child } of workers) child.kill('SIGTERM')
    t.equal(submitted.out, embedded.out, name)
    t.equal(submitted.status, embedded.status, `${name}: status`)
    const codes = (text: string) =>
      lines(text)
        .map((line) => [JSON.parse(line).error, JSON.parse(line).seq])
        .sort()
    t.strictSame(codes(submitted.err), codes(embedded.err), `${name}: errors`)
    for (const worker of workers) t.strictSame(await worker.ended, { status: 0, signal: null }, 'a worker that was asked to end')
  }
})

onStage('workers failure 2: what a killed worker had in hand, others have', async (t, { serve, submit, bash, given }) => {
  const first = serve('hold.plumb')
  const submitter = submit('--run', 'hand', 'hold.plumb')
  submitter.child.stdin?.end(NINE)
  t.ok(await given(1), 'it is in hand')
  first.child.kill('SIGKILL')
  await bash('touch go')
  const second = serve('hold.plumb')
  t.strictSame(await submitter.ended, { status: 0, signal: null })
  t.strictSame(numbers(submitter.reported()), TIMES_TEN)
  second.child.kill('SIGTERM')
  await second.ended
})

onStage('kill -9 of workers at random, with memories', async (t, { bash, serve, submit }) => {
  const random = makeRandom(SEED)
  const embedded = await bash('plumb talk.plumb < talk.jsonl')
  const submitter = submit('--run', 'kills', '--ordered', 'talk.plumb')
  submitter.child.stdin?.end(FILES['talk.jsonl'])
  let isOver = false
  const ended = submitter.ended.then((end) => {
    isOver = true
    return end
  })
  let killed = 0
  const workers = [serve('talk.plumb'), serve('talk.plumb')]
  while (!isOver && killed < KILLS) {
    const written = lines(submitter.reported()).length
    const at = written + 1 + random.below(20)
    await until(() => isOver || lines(submitter.reported()).length >= at || random.below(400) === 0, PATIENCE_MS)
    const i = random.below(2)
    workers[i]?.child.kill('SIGKILL')
    killed++
    workers[i] = serve('talk.plumb')
  }
  t.strictSame(await ended, { status: 0, signal: null }, `after ${killed} kills`)
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))
  t.equal(submitter.reported(), embedded.out, 'as in one process')
})

onStage('workers failure 8: kill -9 of the server, which comes back', async (t, { bash, serve, submit, cluster }) => {
  const embedded = await bash('plumb talk.plumb < talk.jsonl')
  const submitter = submit('--run', 'server', '--ordered', 'talk.plumb')
  submitter.child.stdin?.write(FILES['talk.jsonl'].slice(0, 2000).replace(/[^\n]*$/, ''))
  const workers = [serve('talk.plumb'), serve('talk.plumb')]
  await until(() => submitter.reported() !== '', PATIENCE_MS)
  await cluster.crash()
  submitter.child.stdin?.end(FILES['talk.jsonl'].slice(FILES['talk.jsonl'].slice(0, 2000).lastIndexOf('\n') + 1))
  await cluster.start()
  t.strictSame(await submitter.ended, { status: 0, signal: null })
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))
  t.equal(submitter.reported(), embedded.out, 'as in one process')
})

onStage('workers failure 12: the process of the part dies of one message', async (t, { serve, submit, bash }) => {
  const worker = serve('weak.plumb')
  const submitter = submit('--run', 'weak', 'weak.plumb')
  submitter.child.stdin?.end(NINE)
  t.strictSame(await submitter.ended, { status: 1, signal: null })
  t.strictSame(
    numbers(submitter.reported()),
    TIMES_TEN.filter((n) => n !== 70),
    'its neighbours are answered',
  )
  t.match(JSON.parse(lines(submitter.reported(2)).at(-1) ?? ''), { error: 'child_failed', seq: 7 })
  t.match(JSON.parse((await bash('plumb letters weak')).out), { origin: 7, value: 7, fault: { error: 'child_failed' } })
  worker.child.kill('SIGTERM')
  await worker.ended
})

onStage('workers failure 13: a message that kills worker after worker', async (t, { serve, submit }) => {
  let isOver = false
  let deaths = 0
  const keep = (async () => {
    while (!isOver) {
      const worker = serve('deadly.plumb')
      const stop = setInterval(() => isOver && worker.child.kill('SIGTERM'), 20)
      if ((await worker.ended).signal === 'SIGKILL') deaths++
      clearInterval(stop)
    }
  })()
  const submitter = submit('--run', 'deadly', 'deadly.plumb')
  submitter.child.stdin?.end(NINE)
  t.strictSame(await submitter.ended, { status: 1, signal: null })
  isOver = true
  await keep
  t.strictSame(
    numbers(submitter.reported()),
    TIMES_TEN.filter((n) => n !== 70),
    'the others are answered',
  )
  t.equal(deaths, 5, 'workers that it killed')
})

onStage(
  'workers failures 14 and 16: the submitter is killed, another takes its place, and never two',
  async (t, { serve, submit, bash, given }) => {
    const worker = serve('hold.plumb')
    const first = submit('--run', 'twice', 'hold.plumb')
    first.write('1\n2\n3\n')
    t.ok(await given(1))
    const beside = await bash('echo 1 | plumb run --on "$PLUMB_ON" --run twice hold.plumb')
    t.match(beside, { status: 1, err: new RegExp(`"run_exists".*begun on ${hostname()} at \\d{4}-\\d\\d-\\d\\d `) })
    first.child.kill('SIGKILL')
    await first.ended
    const other = await bash('printf "1\\n5\\n3\\n" | plumb run --on "$PLUMB_ON" --run twice hold.plumb')
    t.match(other, { status: 1, err: /"input_changed"/ })
    await bash('touch go')
    const again = await bash(`printf '${NINE.replaceAll('\n', '\\n')}' | plumb run --on "$PLUMB_ON" --run twice hold.plumb`)
    t.equal(again.status, 0, again.err)
    t.strictSame(numbers(again.out), TIMES_TEN)
    worker.child.kill('SIGTERM')
    await worker.ended
  },
)

onStage('workers failure 17: a worker with another spec leaves a run alone', async (t, { bash }) => {
  await bash('echo 1 | plumb run --on "$PLUMB_ON" --detach --run other weak.plumb')
  await bash('plumb work --once deadly.plumb')
  const { out } = await bash('plumb runs --json other')
  t.match(JSON.parse(out), {
    ...{ name: 'other', state: 'closed', parts: [{ part: '1 part', waiting: 1, done: 0 }] },
    note: /no worker with this spec/,
  })
  t.match(await bash('plumb work --once weak.plumb; plumb run --on "$PLUMB_ON" --run other weak.plumb <<< 1'), { status: 0, out: '10\n' })
})

onStage('workers failure 19: a run is cancelled', async (t, { serve, submit, bash, given }) => {
  const worker = serve('hold.plumb')
  const submitter = submit('--run', 'gone', 'hold.plumb')
  submitter.child.stdin?.end(NINE)
  t.ok(await given(1))
  t.match(await bash('plumb cancel gone'), { status: 0 })
  t.match(await submitter.ended, { status: 1 })
  t.match(submitter.reported(2), /"cancelled"/)
  t.ok(await until(() => !processes().some(({ parent }) => parent === worker.pid), PATIENCE_MS), 'what works on it is ended')
  await bash('touch go')
  t.match(JSON.parse((await bash('plumb runs --json gone')).out), { state: 'cancelled', parts: [{ done: 0, failed: 0 }], unread: 0 })
  t.match(await bash('plumb cancel gone; plumb cancel none'), { status: 2, err: /"cancelled".*\n.*"unknown_name"/ })
  worker.child.kill('SIGTERM')
  t.strictSame(await worker.ended, { status: 0, signal: null })
})

onStage('tools are reported which message of the run their call is made for', async (t, { serve, bash, work }) => {
  const worker = serve('--grant', 'fs.write,exec', 'deliver.plumb')
  const done = await bash('seq 1 9 | plumb run --on "$PLUMB_ON" --run reported deliver.plumb')
  worker.child.kill('SIGTERM')
  await worker.ended
  t.equal(done.status, 0, done.err)
  const noted = lines(readFileSync(join(work, 'noted'), 'utf8')).sort()
  t.equal(noted.length, 9)
  for (const line of noted) t.match(line, /^(\d) reported\/\d\/\1$/)
})

onStage('a limit holds exactly over all workers; what is left of the run waits until it is raised', async (t, { bash, serve, cluster }) => {
  let workers = [1, 2, 3].map(() => serve('talk-free.plumb'))
  const run = (calls: number) => bash(`plumb run --on "$PLUMB_ON" --run limit --max-calls ${calls} talk-free.plumb < talk.jsonl | wc -l`)
  const asked = () =>
    Number(cluster.ask("SELECT sum(p.spent) FROM plumb.balance p JOIN plumb.run r ON r.id = p.run WHERE r.name = 'limit'"))
  const first = await run(30)
  t.equal(Number(first.out), 30)
  t.match(first.err, /"error":"budget_spent".*"unanswered":90/)
  t.match(JSON.parse((await bash('plumb runs --json limit')).out), { state: 'parked', parts: [{ waiting: 90, in_hand: 0 }] })
  t.ok(await until(() => asked() === 30, PATIENCE_MS), 'so many, over all workers')
  // What they have borrowed counts as spent.
  const second = run(70)
  await until(() => asked() > 30, PATIENCE_MS)
  for (const { child } of workers.slice(0, 2)) child.kill('SIGKILL')
  t.ok(Number((await second).out) <= 40, 'spent budgets count on')
  t.ok(asked() <= 70, 'never over')
  workers = [...workers.slice(2), serve('talk-free.plumb')]
  const spent = asked()
  const rest = await run(spent + 200)
  t.equal(rest.err, '', 'raised, it goes on to the end')
  t.equal(Number(first.out) + Number((await second).out) + Number(rest.out), 120, 'each is answered once')
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))
})

onStage('programs that do not ask before they spend have no limit over workers', async (t, { bash }) => {
  t.match(await bash('plumb run --on "$PLUMB_ON" --max-calls 3 weak.plumb <<< 1'), { status: 2, err: /"cannot_run".*'part' is a program/ })
})

onStage('workers failure 22: values come as they went', async (t, { serve, bash }) => {
  const worker = serve('same.plumb')
  t.match(await bash('plumb run --on "$PLUMB_ON" --run odd --ordered same.plumb < odd.jsonl | cmp - odd.jsonl && echo same'), {
    out: 'same\n',
    err: '',
  })
  t.match(
    await bash(
      `text() { printf '"'; head -c $1 /dev/zero | tr '\\0' x; echo '"'; }
{ text ${LONGEST - 2}; text ${LONGEST - 1}; echo 3; } > long.jsonl
plumb run --on "$PLUMB_ON" --run long --ordered same.plumb < long.jsonl | cmp - <(text ${LONGEST - 2}; echo 3) && echo same`,
    ),
    { out: 'same\n', err: /"line_too_long".*"seq":2/ },
  )
  worker.child.kill('SIGTERM')
  await worker.ended
})
