// long
// A worker and a submitter are killed at every message that they send to the database, before it is sent and after, one run for each: what comes
// out is what comes out of one process. PLUMB_WALK=all walks through all of them, a number is of how many are drawn; PLUMB_SEED repeats those.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeRandom } from '../fuzz/random.js'
import { openWalk, type Step } from './walked-socket.js'
import { ENDED, lines, type Stage, stageOf } from './worker-stage.js'

const SEED = Number(process.env.PLUMB_SEED ?? Math.floor(Math.random() * 2 ** 31))
const ALL = process.env.PLUMB_WALK === 'all'
/** So many steps of each kind are tried. */
const DRAWN = Number(process.env.PLUMB_WALK ?? 2)
t.comment(`seed ${SEED}`)

const FILES = {
  'talk.plumb': `
    let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
    let main : !string -> !string = plumb(input, output) {
      input ; map(lower(value)) ; bot ; filter(length(value) > 20) ; fold(value + state[0:3], from: "") ; output
    }`,
  'talk.jsonl': Array.from({ length: 6 }, (_, i) => `"My cat ${i} remembers ${i % 4} of you"\n`).join(''),
}

const onStage = stageOf(FILES)
type Kind = 'worker' | 'submitter'

/** One run in which that one is killed at that step; resolves to what stands in its output, and the number of messages of the one in question. */
const runWith = async ({ cluster, serve, start, work }: Stage, kind: Kind, step: Step | undefined, name: string) => {
  let kill = (): void => {}
  let isKilled = false
  const walk = await openWalk(cluster.directory, step, () => {
    isKilled = true
    kill()
  })
  const submitOn = (url: string) => {
    const words = ['run', '--on', url, '--ordered', '--run', name, '--output', `${name}.jsonl`, 'talk.plumb']
    const submitter = start(['plumb', ...words])
    submitter.child.stdin?.end(FILES['talk.jsonl'])
    return submitter
  }
  const first = start(['plumb', 'work', '--on', kind === 'worker' ? walk.url : cluster.url, 'talk.plumb'])
  if (kind === 'worker') kill = () => first.child.kill('SIGKILL')
  let isDone = false
  let submitter = submitOn(kind === 'submitter' ? walk.url : cluster.url)
  if (kind === 'submitter') {
    kill = () => submitter.child.kill('SIGKILL')
    await submitter.ended
    const state = cluster.ask(`SELECT state FROM plumb.run WHERE name = '${name}'`).trim()
    isDone = state === 'done'
    if (!isDone) submitter = submitOn(cluster.url)
  }
  const second = kind === 'worker' && step ? serve('talk.plumb') : undefined
  // One that was killed when its run was over had nothing left to do.
  const ended = await submitter.ended
  const end = isDone && ended.signal === 'SIGKILL' ? ENDED : ended
  for (const worker of [first, second]) worker?.child.kill('SIGTERM')
  await Promise.all([first.ended, second?.ended])
  walk.close()
  return { end, text: readFileSync(join(work, `${name}.jsonl`), 'utf8'), count: walk.count(), reported: submitter.reported(2), isKilled }
}

for (const kind of ['worker', 'submitter'] as const) {
  onStage(`a ${kind} that is killed at any message of its own to the database`, async (t, stage) => {
    const embedded = await stage.bash('plumb talk.plumb < talk.jsonl')
    const whole = await runWith(stage, kind, undefined, `${kind}-whole`)
    t.equal(whole.text, embedded.out, 'not killed')
    const steps = Array.from({ length: whole.count }, (_, i) => [true, false].map((isSent): Step => ({ at: i + 1, isSent }))).flat()
    const random = makeRandom(SEED, kind)
    const walked = ALL ? steps : Array.from({ length: DRAWN }, () => random.pick(steps))
    // A run may have sent fewer messages than that one, and ended before the step.
    let kills = 0
    for (const [i, step] of walked.entries()) {
      const { end, text, reported, isKilled } = await runWith(stage, kind, step, `${kind}-${i}`)
      if (isKilled) kills++
      const title = `killed ${step.isSent ? 'behind' : 'before'} message ${step.at} of ${whole.count}`
      if (text !== embedded.out || end.status !== 0)
        t.strictSame([end, lines(text), reported], [{ status: 0, signal: null }, lines(embedded.out), ''], title)
    }
    t.pass(`${kills} kills`)
    t.ok(!ALL || kills > walked.length / 2, `of ${walked.length} steps`)
  })
}
