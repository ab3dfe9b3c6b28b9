// long
// What a person does with runs by workers and their submitters: ends them, drains them, watches them, keeps what comes out; and mistakes.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SCHEMA_VERSION } from '../../packages/engine/src/schema.js'
import { openPooler } from './pooler.js'
import { until } from './scene.js'
import { ENDED, end, HOLDING_FILES, NINE, numbers, PATIENCE_MS, stageOf, TIMES_TEN } from './worker-stage.js'

const onStage = stageOf(HOLDING_FILES)

onStage(
  'workers failure 15: the submitter is asked to end, and the reader of another goes away',
  async (t, { serve, submit, bash, given, work }) => {
    const worker = serve('hold.plumb')
    const first = submit('--run', 'gone', 'hold.plumb')
    first.write(NINE)
    t.ok(await given(1))
    first.child.kill('SIGINT')
    t.strictSame(await first.ended, { status: null, signal: 'SIGINT' })
    await bash('touch go')
    const again = `seq 9 | plumb run --on "$PLUMB_ON" --run gone hold.plumb`
    t.strictSame((await bash(`${again} | true`)).err, '')
    const rest = await bash(again)
    t.ok(rest.status === 0 || /"run_exists".*is done/.test(rest.err), 'it goes on, unless all was written into nothing')
    t.ok(numbers(rest.out).every((one) => TIMES_TEN.includes(one)))
    t.strictSame(numbers(readFileSync(join(work, 'given'), 'utf8')), [1, 2, 3, 4, 5, 6, 7, 8, 9], 'what was taken ran on, once')
    await end(worker)
  },
)

onStage('workers failure 17: a worker that is sent to a run of another spec', async (t, { bash }) => {
  await bash('echo 1 | plumb run --on "$PLUMB_ON" --detach --run spec other.plumb')
  t.match(await bash('plumb work --run spec hold.plumb'), { status: 2, err: /"cannot_run".*another spec/ })
})

onStage('workers failure 18: no worker serves a part', async (t, { serve, submit, live }) => {
  const other = serve('hold.plumb')
  t.ok(await live(1), 'else there is none: another reason, and one alone is reported')
  const submitter = submit('--run', 'alone', '--unserved-after', '0.1', 'other.plumb')
  submitter.child.stdin?.end('1\n')
  t.ok(await submitter.reports(/"no_worker".*another spec/, 2, PATIENCE_MS))
  const worker = serve('other.plumb')
  t.strictSame(await submitter.ended, ENDED)
  t.equal(submitter.reported(), '10\n')
  t.equal(submitter.reported(2).match(/"no_worker"/g)?.length, 1, 'said once')
  await end(other, worker)
})

onStage('a run that is drained does what it has taken, and takes no more', async (t, { serve, submit, bash, given }) => {
  const worker = serve('hold.plumb')
  const submitter = submit('--run', 'drained', 'hold.plumb')
  submitter.write(NINE)
  t.ok(await given(1))
  t.match(await bash('plumb drain drained'), { status: 0 })
  submitter.write('10\n')
  await bash('touch go')
  t.strictSame(await submitter.ended, { status: 1, signal: null })
  t.match(submitter.reported(2), /"cancelled".*takes no more input/)
  t.ok(numbers(submitter.reported()).every((one) => TIMES_TEN.includes(one)))
  t.match(JSON.parse((await bash('plumb runs --json drained')).out), { state: 'done', unread: 0 })
  await end(worker)
})

onStage('--output has each line once, however often the submitter is killed', async (t, { serve, start, cluster, bash, work }) => {
  const worker = serve('count.plumb')
  const input = Array.from({ length: 300 }, (_, i) => `${i + 1}\n`).join('')
  const words = ['run', '--on', cluster.url, '--ordered', '--run', 'output', '--output', 'out.jsonl', 'count.plumb']
  const first = start(['plumb', ...words])
  first.write(input.slice(0, 400).replace(/[^\n]*$/, ''))
  const read = () => readFileSync(join(work, 'out.jsonl'), { encoding: 'utf8', flag: 'a+' })
  t.ok(await until(() => read() !== '', PATIENCE_MS))
  first.child.kill('SIGKILL')
  await first.ended
  await bash('echo 4711 >> out.jsonl')
  const again = start(['plumb', ...words])
  again.child.stdin?.end(input)
  t.strictSame(await again.ended, ENDED)
  t.equal(read(), (await bash('seq 300 | plumb count.plumb')).out)
  t.match(await bash('plumb runs output; plumb engine --sweep 1; plumb engine --sweep 0; plumb runs'), {
    status: 0,
    out: /^{"name":"output","state":"done","taken":300,"written":300,"unread":0,"parts":\[{.*"done":300,.*"workers":1.*\n0\n\d+\n$/,
  })
  await end(worker)
})

onStage('runs --watch shows a run until it is over', async (t, { serve, submit, start, given, bash }) => {
  const worker = serve('hold.plumb')
  const submitter = submit('--run', 'watched', 'hold.plumb')
  submitter.child.stdin?.end('1\n')
  t.ok(await given(1))
  const watch = start(['plumb', 'runs', '--watch', 'watched'])
  t.ok(await watch.reports(/^{"name":"watched","state":"(open|closed)".*"in_hand":1.*"workers":1/, 1, PATIENCE_MS))
  await bash('touch go')
  t.strictSame([await submitter.ended, await watch.ended], [ENDED, ENDED])
  t.match(watch.reported(), /{"name":"watched","state":"done","taken":1,"written":1,/)
  await end(worker)
})

onStage('a pooler that gives each transaction another session is refused', async (t, { cluster, bash }) => {
  const pooler = await openPooler(cluster.directory)
  t.teardown(pooler.close)
  const on = `PLUMB_ON='${pooler.url}'`
  t.match(await bash(`${on} plumb runs`), { status: 0 }, 'who holds no lock may look')
  t.match(await bash(`${on} plumb work --once other.plumb`), { status: 2, err: /"pooling_unsupported"/ })
  t.match(await bash(`echo 1 | plumb run --on '${pooler.url}' other.plumb`), { status: 2, err: /"pooling_unsupported"/ })
})

onStage('what is asked of a run, a part or a schema that is not there', async (t, { cluster, bash }) => {
  for (const command of ['letters', 'retry', 'cancel', 'drain', 'runs', 'approvals --on "$PLUMB_ON"'])
    t.match(await bash(`plumb ${command} nobody`), { status: 2, out: '', err: /"unknown_name".*no run 'nobody'/ }, command)
  t.match(await bash('plumb work --part nobody other.plumb'), { status: 2, err: /not a part: the spec has 1 \(part\)/ })
  cluster.ask('UPDATE plumb.version SET version = 0')
  const older = new RegExp(`"cannot_run".*is of version 0, and this plumb needs ${SCHEMA_VERSION}: .*DROP SCHEMA plumb CASCADE.*--init`)
  for (const command of ['engine --init', 'runs', 'work other.plumb'])
    t.match(await bash(`plumb ${command}`), { status: 2, err: older }, command)
  cluster.ask(`UPDATE plumb.version SET version = ${SCHEMA_VERSION}`)
  t.match(await bash('plumb engine --init && plumb runs'), { status: 0, err: '' })
})
