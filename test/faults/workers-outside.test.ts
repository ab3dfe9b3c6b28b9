// long
// Runs by workers when it is not a process that fails: networks, servers, disks, clocks, keys, and the readers of what comes out.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openCutNetwork } from './cut-network.js'
import { openCluster, openStandby } from './postgres.js'
import { until } from './scene.js'
import { noSmallDisk, openSmallDisk } from './small-disk.js'
import { ENDED, end, HOLDING_FILES, lines, NINE, numbers, PATIENCE_MS, stageOf, TIMES_TEN } from './worker-stage.js'

/** Characters of an answer that no compression makes small. */
const LONG = 200_000
const FILES = {
  ...HOLDING_FILES,
  long: `#!/bin/bash
while read -r x; do
  echo "$x" >> given
  until [ -e go ]; do sleep 0.05; done
  echo "\\"$x$(head -c ${LONG / 2} /dev/urandom | od -An -tx1 | tr -d ' \\n' | cut -c 2-)\\""
done
`,
  'long.plumb': `let main : !int -> !string = agent { command: ["bash", "./long"], amnesiac: true, answers: "each", sandbox: false }\n`,
  'shift.cjs': 'const now = Date.now; Date.now = () => now() + Number(process.env.SHIFT_MS)\n',
}

const onStage = stageOf(FILES)

onStage(
  'workers failure 6: a worker that was stopped finds its messages gone, and goes on',
  async (t, { serve, submit, given, cluster, bash }) => {
    const stopped = serve('hold.plumb')
    const submitter = submit('--run', 'stopped', 'hold.plumb')
    submitter.write(NINE)
    t.ok(await given(1))
    process.kill(stopped.pid, 'SIGSTOP')
    cluster.ask('UPDATE plumb.message SET until = now() WHERE until IS NOT NULL')
    const second = serve('hold.plumb')
    await bash('touch go')
    t.ok(await until(() => lines(submitter.reported()).length === 9, PATIENCE_MS), 'the other has answered')
    process.kill(stopped.pid, 'SIGCONT')
    t.ok(await stopped.reports(/"lease_lost"/, 2, PATIENCE_MS), 'what it had done is refused')
    await end(second)
    submitter.child.stdin?.end('10\n')
    t.strictSame(await submitter.ended, ENDED)
    t.strictSame(numbers(submitter.reported()), [...TIMES_TEN, 100], 'it goes on')
    await end(stopped)
  },
)

onStage('workers failure 7: the network of one worker is cut', async (t, { serve, serveWith, submit, given, cluster, bash }) => {
  const network = await openCutNetwork(cluster.directory)
  t.teardown(network.close)
  const cut = serveWith(`PLUMB_ON='${network.url}'`, 'hold.plumb')
  const submitter = submit('--run', 'cut', 'hold.plumb')
  submitter.write(NINE)
  t.ok(await given(1))
  network.cut()
  const second = serve('hold.plumb')
  await bash('touch go')
  t.ok(await until(() => lines(submitter.reported()).length === 9, PATIENCE_MS), 'the other has answered')
  network.heal()
  t.ok(await cut.reports(/"engine_unavailable"/, 2, PATIENCE_MS))
  await end(second)
  submitter.child.stdin?.end('10\n')
  t.strictSame(await submitter.ended, ENDED)
  t.strictSame(numbers(submitter.reported()), [...TIMES_TEN, 100], 'it comes back by itself')
  await end(cut)
})

onStage('workers failure 9: the server is away for longer than --patience', async (t, { serve, submit, bash, cluster, given }) => {
  const worker = serve('--patience', '0.3', 'hold.plumb')
  const submitter = submit('--run', 'away', '--patience', '0.3', 'hold.plumb')
  submitter.write(NINE)
  t.ok(await given(1))
  await cluster.crash()
  t.strictSame(await worker.ended, { status: 1, signal: null })
  t.match(worker.reported(2), /"engine_unavailable"/)
  t.strictSame(await submitter.ended, { status: 1, signal: null })
  await cluster.start()
  await bash('touch go')
  const again = serve('hold.plumb')
  const done = await bash(`printf '${NINE.replaceAll('\n', '\\n')}' | plumb run --on "$PLUMB_ON" --run away hold.plumb`)
  t.strictSame([done.status, numbers(done.out)], [0, TIMES_TEN], 'the run was in the tables')
  await end(again)
})

onStage('workers failure 10: the server fails over to its standby', async (t, { start, bash, work }) => {
  const primary = await openCluster()
  t.teardown(primary.remove)
  const standby = await openStandby(primary)
  t.teardown(standby.remove)
  const hosts = encodeURIComponent(`${primary.directory},${standby.directory}`)
  const url = `postgres://plumb@/postgres?host=${hosts}&target_session_attrs=read-write`
  t.match(await bash(`plumb engine --init --on '${url}'`), { status: 0 })
  const input = Array.from({ length: 1000 }, (_, i) => `${i + 1}\n`).join('')
  const serve = () => start(['plumb', 'work', '--on', url, 'count.plumb'])
  const workers = [serve(), serve()]
  const submitter = start(['plumb', 'run', '--on', url, '--ordered', '--run', 'over', 'count.plumb'])
  submitter.write(input.slice(0, 2000).replace(/[^\n]*$/, ''))
  t.ok(await until(() => submitter.reported() !== '', PATIENCE_MS))
  await primary.crash()
  standby.promote()
  submitter.child.stdin?.end(input.slice(input.slice(0, 2000).lastIndexOf('\n') + 1))
  t.strictSame(await submitter.ended, ENDED)
  let sum = 0
  t.strictSame(
    lines(submitter.reported()).map(Number),
    Array.from({ length: 1000 }, (_, i) => (sum += i + 1)),
    `nothing is lost or doubled, in ${work}`,
  )
  await end(...workers)
})

onStage(
  'workers failure 11: the disk of the database is full',
  async (t, { start, bash, cluster, given, work }) => {
    const small = openSmallDisk(cluster)
    t.teardown(() => small.remove())
    const on = `PLUMB_ON=${small.url}`
    const plumb = (...words: string[]) => start(['env', on, 'plumb', ...words])
    await bash(`env '${on}' plumb engine --init`)
    const worker = plumb('work', 'long.plumb')
    const submitter = plumb('run', '--on', small.url, '--run', 'full', '--output', 'out', 'long.plumb')
    submitter.child.stdin?.end(NINE)
    t.ok(await given(1))
    small.fill()
    await bash('touch go')
    t.ok(await worker.reports(/"engine_full"/, 2, PATIENCE_MS))
    const { parts } = JSON.parse((await bash(`env '${on}' plumb runs --json full`)).out) as { parts: object[] }
    t.match(parts[0], { waiting: 0, in_hand: 9, done: 0 }, 'what is done waits in the worker')
    t.equal(readFileSync(join(work, 'out'), 'utf8'), '')
    small.free()
    t.strictSame(await submitter.ended, ENDED)
    const out = lines(readFileSync(join(work, 'out'), 'utf8')).map((line) => JSON.parse(line) as string)
    t.strictSame(
      out.map((one) => `${one.length} ${one[0]}`).sort(),
      TIMES_TEN.map((n) => `${LONG} ${n / 10}`),
      'each once, whole',
    )
    t.equal(worker.reported(2).match(/"engine_full"/g)?.length, 1, 'said once')
    await end(worker)
  },
  noSmallDisk,
)

onStage('workers failure 20: the clocks of the machines are an hour apart', async (t, { serveWith, submit, work }) => {
  const clock = (ms: number) => serveWith(`SHIFT_MS=${ms} NODE_OPTIONS='--require ${join(work, 'shift.cjs')}'`, 'other.plumb')
  const workers = [clock(3_600_000), clock(-3_600_000)]
  const submitter = submit('--run', 'clocks', 'other.plumb')
  submitter.child.stdin?.end(NINE)
  t.strictSame(await submitter.ended, ENDED)
  t.strictSame([numbers(submitter.reported()), submitter.reported(2)], [TIMES_TEN, ''])
  await end(...workers)
  t.strictSame(
    workers.map(({ reported }) => reported(2)),
    ['', ''],
  )
})

onStage('workers failure 21: the key of one worker is revoked', async (t, { serveWith, submit, bash, cluster, work }) => {
  const server = createServer((request, response) => {
    const isRevoked = request.headers['x-api-key'] === 'revoked'
    const answer = { type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', content: [{ type: 'text', text: 'yes' }] }
    const refusal = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }
    request.resume().on('end', () => {
      response.writeHead(isRevoked ? 401 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isRevoked ? refusal : { ...answer, id: '1', usage: { input_tokens: 1, output_tokens: 1 } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await bash(`cat > key.plumb <<'END'
let main : !string -> !string = agent { provider: "anthropic", model: "m", endpoint: "${endpoint}", amnesiac: true }
END`)
  t.ok(readFileSync(join(work, 'key.plumb'), 'utf8').includes(endpoint))
  const inputs = '"a"\n"b"\n"c"\n'
  await bash(`printf %s '${inputs}' | plumb run --on "$PLUMB_ON" --run key --detach key.plumb`)
  const revoked = serveWith('ANTHROPIC_API_KEY=revoked', 'key.plumb')
  t.ok(await revoked.reports(/"unauthorized"/, 2, PATIENCE_MS), 'it says so')
  t.ok(
    await until(() => cluster.ask('SELECT max(tries) FROM plumb.message WHERE lease IS NULL').trim() === '0', PATIENCE_MS),
    'not counted as tried',
  )
  // Before the worker has given the part up there is another reason, and one alone is reported.
  const submitter = submit('--run', 'key', '--unserved-after', '0.1', 'key.plumb')
  submitter.child.stdin?.end(inputs)
  t.ok(await submitter.reports(/"no_worker".*401/, 2, PATIENCE_MS), 'the submitter reports why nobody goes on')
  const good = serveWith('ANTHROPIC_API_KEY=good', 'key.plumb')
  t.strictSame(await submitter.ended, ENDED)
  t.strictSame(lines(submitter.reported()), ['"yes"', '"yes"', '"yes"'])
  t.equal(lines(submitter.reported(2)).length, 1, 'nothing else')
  await end(revoked, good)
})
