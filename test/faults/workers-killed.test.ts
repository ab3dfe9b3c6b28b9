// long
// A worker is killed at one known moment: before it takes anything, before what it did is settled, or behind that.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { commitsOf, openWalk, writesOf } from './walked-socket.js'
import { ENDED, end, lines, NINE, numbers, programs, type Stage, stageOf, TIMES_TEN } from './worker-stage.js'

const FILES = {
  ...programs({ other: 'echo "$x"', times: 'grep -cx "$x" given' }),
  'talk.plumb': `
    let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
    let main : !string -> !string = plumb(input, output) { input ; map(lower(value)) ; bot ; output }`,
  'refund.plumb': `
    protocol Refund = { verify: { refund: end, end }, end }
    let verify : {} -> string = tool { mock: "it is right" }
    let refund : {} -> string = tool { mock: "paid" }
    let desk : !string -> !string = agent {
      provider: "eliza", model: "doctor", tools: [verify, refund], protocol: Refund, protocol_per: "conversation"
    }
    let main : !string -> !string = plumb(input, output) { input ; desk ; output }`,
  'refund.jsonl': ['refund', 'verify', 'refund', 'refund'].map((tool) => `"call ${tool} {}"\n`).join(''),
  'talk.jsonl': Array.from({ length: 30 }, (_, i) => `"My cat ${i} remembers ${i % 4} of you"\n`).join(''),
}

const onStage = stageOf(FILES)

onStage('workers failure 1: a worker is killed before it takes anything', async (t, { serve, submit, live }) => {
  const first = serve('other.plumb')
  t.ok(await live(1))
  first.child.kill('SIGKILL')
  await first.ended
  t.ok(await live(0), 'the others see that it has gone')
  const second = serve('other.plumb')
  const submitter = submit('--run', 'before', 'other.plumb')
  submitter.child.stdin?.end(NINE)
  t.strictSame(await submitter.ended, ENDED)
  t.strictSame([numbers(submitter.reported()), submitter.reported(2)], [TIMES_TEN, ''])
  await end(second)
})

/** One run, whose first worker is killed where it commits what it has deleted of the messages, and gets a second then. */
const runKilled = async (
  { serve, serveWith, submit, cluster }: Stage,
  { spec, input, isSent }: { spec: string; input: string; isSent: boolean },
) => {
  let second: ReturnType<typeof serve> | undefined
  const kill = () => {
    first.child.kill('SIGKILL')
    second = serve(spec)
  }
  const socket = await openWalk(cluster.directory, { at: 2, isSent }, kill, writesOf(/DELETE FROM plumb\.message/))
  const first = serveWith(`PLUMB_ON='${socket.url}'`, spec)
  const submitter = submit('--ordered', '--run', `${spec.replace(/\W/g, '-')}-${isSent}`, spec)
  submitter.child.stdin?.end(input)
  const ended = await submitter.ended
  const { signal } = await first.ended
  if (second) await end(second)
  socket.close()
  return { ended, signal, out: submitter.reported(), err: submitter.reported(2) }
}

for (const isSent of [false, true]) {
  const title = isSent
    ? 'workers failure 4: killed behind COMMIT: nothing is repeated'
    : 'workers failure 3: killed before COMMIT: what came of it was never there'
  onStage(title, async (t, stage) => {
    const { ended, signal, out, err } = await runKilled(stage, { spec: 'times.plumb', input: NINE, isSent })
    t.strictSame([ended, signal, err], [ENDED, 'SIGKILL', ''])
    // Each answer is how often the program has had that message, times ten.
    t.equal(lines(out).length, 9, 'each has one outcome')
    t.equal(lines(out)[0], isSent ? '10' : '20')
    const given = lines(readFileSync(join(stage.work, 'given'), 'utf8'))
    t.equal(given.filter((one) => one === '1').length, isSent ? 1 : 2)
  })

  onStage(`workers failure 5: the owner of a memory is killed ${isSent ? 'behind' : 'before'} COMMIT`, async (t, stage) => {
    const embedded = await stage.bash('plumb talk.plumb < talk.jsonl')
    const { ended, signal, out, err } = await runKilled(stage, { spec: 'talk.plumb', input: FILES['talk.jsonl'], isSent })
    t.strictSame([ended, signal, err], [ENDED, 'SIGKILL', ''])
    t.equal(out, embedded.out, 'another has the memory as it was settled last')
    isWhole(t, stage)
  })

  onStage(`a protocol goes on where the owner of its conversation was killed ${isSent ? 'behind' : 'before'} COMMIT`, async (t, stage) => {
    const embedded = await stage.bash('plumb refund.plumb < refund.jsonl')
    t.strictSame(
      lines(embedded.out).map((line) => line.replace(/\\".*/, '')),
      ['"{', '"it is right"', '"paid"', '"I AM NOT SURE I UNDERSTAND YOU FULLY"'],
      'refused before it is verified, and not offered behind its end',
    )
    const { ended, signal, out, err } = await runKilled(stage, { spec: 'refund.plumb', input: FILES['refund.jsonl'], isSent })
    t.strictSame([ended, signal, err], [ENDED, 'SIGKILL', ''])
    t.equal(out, embedded.out)
  })
}

onStage('a submitter whose connection ends as it commits the end of its run', async (t, { serve, start, cluster }) => {
  const worker = serve('other.plumb')
  const count = commitsOf(/SET state = 'done'/)
  const socket = await openWalk(cluster.directory, { at: 1, isSent: true }, () => void setTimeout(() => socket.cut(), 100), count)
  const submitter = start(['plumb', 'run', '--on', socket.url, '--run', 'committed', 'other.plumb'])
  submitter.child.stdin?.end(NINE)
  t.strictSame(await submitter.ended, ENDED)
  t.strictSame(numbers(submitter.reported()), TIMES_TEN)
  t.ok(socket.count() > 0, 'it was cut')
  await end(worker)
  socket.close()
})

/** An agent remembers a question and an answer of each message, in their order. */
const isWhole = (t: Test, { cluster }: Stage): void => {
  const memory = cluster.ask('SELECT count(*), count(DISTINCT line) FROM plumb.memory WHERE run = (SELECT max(run) FROM plumb.memory)')
  t.equal(memory.trim(), '30|30')
}

const ROWS = 22

// A title names those that it tests: `workers failure 12`, `workers failures 14 and 16`.
t.test('each of the failures of workers has a test', async (t) => {
  const files = readdirSync('test/faults').map((name) => readFileSync(join('test/faults', name), 'utf8'))
  const named = files.flatMap((text) =>
    [...text.matchAll(/'workers failures? (\d+)(?: and (\d+))?:|`workers failure (\d+):/g)].flatMap((found) => found.slice(1).map(Number)),
  )
  const rows = Array.from({ length: ROWS }, (_, i) => i + 1)
  t.strictSame(
    rows.filter((row) => !named.includes(row)),
    [],
  )
})
