// long
// kill -9 at each line that is written about calls which wait for a person, in the journal of a record, in that of a worker, and in the
// tables, one run for each: whoever is killed there, each call is made once in the end. PLUMB_WALK=all walks through all lines, a number is of
// how many of each kind are drawn, else one of a record and one of workers; PLUMB_SEED repeats those.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeRandom } from '../fuzz/random.js'
import { PLACES, STRIKE_FILES, type Strike, startStruck } from './journal-strike.js'
import { openScene, type Scene } from './scene.js'
import { openWalk, type Step, writesOf } from './walked-socket.js'
import { lines, type Stage, stageOf } from './worker-stage.js'

const SEED = Number(process.env.PLUMB_SEED ?? Math.floor(Math.random() * 2 ** 31))
const DRAWN = process.env.PLUMB_WALK === 'all' ? Number.POSITIVE_INFINITY : Number(process.env.PLUMB_WALK ?? 1)
t.comment(`seed ${SEED}`)

/** All kinds of kills, or one of them. */
const wanted = <Kind>(kinds: readonly Kind[]): readonly Kind[] =>
  process.env.PLUMB_WALK === undefined ? [makeRandom(SEED, 'kind').pick(kinds)] : kinds

/** Half of them are calls of an agent, half of a map. */
const COUNT = 6
const ALL = Array.from({ length: COUNT }, (_, i) => String(i))

const FILES = {
  ...STRIKE_FILES,
  'send.mjs': `import { appendFileSync } from 'node:fs'
export default ({ n }) => { appendFileSync(process.env.PWD + '/sent', n + '\\n'); return 'sent ' + n }
`,
  'a.plumb': `
    let send : { n: int } -> string = tool { function: "send.mjs", approval: "ask", effects: ["fs.write"], sandbox: false }
    let said : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [send], grant: ["fs.write", "exec"], amnesiac: true }
    let asked : !int -> !string = map("call send " + text({ n: value })) ; said
    let main : !int -> !string = plumb(input, output) {
      input ; (filter(value < ${COUNT / 2}) * filter(value >= ${COUNT / 2})) ; (asked * (map({ n: value }) ; map(send))) ; merge ; output
    }`,
  'in.jsonl': ALL.map((n) => `${n}\n`).join(''),
}

const GRANT = '--grant fs.write,exec'
const ROUNDS = 8

const sentIn = ({ work }: Scene): string[] => {
  const path = join(work, 'sent')
  return existsSync(path) ? lines(readFileSync(path, 'utf8')).sort() : []
}

/** What a person does who looks whether a call was made: what waits is allowed, and what is in doubt where nothing has come of it. */
const decide = async (
  scene: Scene,
  of: string,
  approve: (words: string) => Promise<unknown> = (words) => scene.bash(`plumb approve ${words}`),
): Promise<void> => {
  const { out } = await scene.bash(`plumb approvals ${of}`)
  const calls = lines(out).map((line) => JSON.parse(line) as { id: string; state: string; input: { n: number } })
  for (const { id, state, input } of calls) {
    const isMade = state === 'in_doubt' && sentIn(scene).includes(String(input.n))
    await approve(`${isMade ? '--deny ' : ''}${of} ${id}`)
  }
}

/** Goes on until no call waits; resolves to all lines that came out, and those that were reported of inputs. */
const goOn = async (scene: Scene, run: string, of: string): Promise<{ outs: string[]; errors: string[] }> => {
  const outs: string[] = []
  const errors: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { out, err } = await scene.bash(run)
    outs.push(...lines(out))
    errors.push(...lines(err).filter((line) => /"error":"approval_required"/.test(line)))
    if (!/"error":"(parked|in_doubt)"/.test(err)) break
    await decide(scene, of)
  }
  return { outs, errors }
}

/** Each call was made once, and each input has its answer. */
const isExact = (t: Test, scene: Scene, { outs, errors }: { outs: string[]; errors: string[] }, title: string): void => {
  const sent = sentIn(scene)
  if (sent.join() === ALL.join() && outs.length + errors.length === COUNT) return
  t.strictSame({ sent, outcomes: outs.length + errors.length, outs, errors }, { sent: ALL, outcomes: COUNT }, title)
}

/** Every one, or as many as are drawn; `act` resolves to whether there was something to kill. */
const walk = async <Kind>(
  t: Test,
  title: string,
  kinds: readonly Kind[],
  most: number,
  act: (at: number, kind: Kind) => Promise<boolean>,
): Promise<void> => {
  let kills = 0
  const random = makeRandom(SEED, title)
  if (DRAWN < Number.POSITIVE_INFINITY) for (let i = 0; i < DRAWN; i++) if (await act(1 + random.below(most), random.pick(kinds))) kills++
  for (let at = 1, isReached = DRAWN === Number.POSITIVE_INFINITY; isReached; at++) {
    isReached = false
    for (const kind of kinds) {
      if (!(await act(at, kind))) continue
      isReached = true
      kills++
    }
  }
  t.pass(`${kills} kills`)
  t.ok(kills > 0 || DRAWN < Number.POSITIVE_INFINITY, title)
}

const WHOLE = PLACES.map((place) => ({ place, isWhole: true }))
const ALONE = PLACES.map((place) => ({ place, isWhole: false }))

const inWords = ({ at, place, isWhole }: Strike): string =>
  `killed ${place} line ${at}, ${isWhole ? 'the run and who writes' : 'only who writes'}`

t.test('calls in the journal of a record', async (t) => {
  const scene = openScene(FILES, { mayLeave: /plumb-/ })
  const { bash } = scene
  await bash(`plumb --record rec --park ${GRANT} a.plumb < in.jsonl; cp -a rec parked`)
  await bash('plumb approve rec $(plumb approvals rec | pick _.id); cp -a rec approved')
  t.strictSame(sentIn(scene), [], 'none is made unasked')
  const ids = (await bash('plumb approvals parked | pick _.id')).out.split('\n').join(' ')
  const phases = {
    'asked for': { before: 'rm -rf rec sent', command: `plumb --record rec --park ${GRANT} a.plumb`, most: COUNT },
    decided: { before: 'rm -rf rec sent; cp -a parked rec', command: `plumb approve rec ${ids}`, most: COUNT },
    made: { before: 'rm -rf rec sent; cp -a approved rec', command: `plumb --resume rec ${GRANT} a.plumb`, most: 2 * COUNT },
  }
  for (const [title, { before, command, most }] of wanted(Object.entries(phases))) {
    await walk(t, title, [...WHOLE, ...ALONE], most, async (at, kind) => {
      await bash(before)
      const strike = { at, ...kind }
      const { started, killed } = startStruck(scene, strike, ['bash', '-c', `exec ${command} < in.jsonl`])
      const writer = await killed
      await started.ended
      if (writer === undefined) return false
      isExact(t, scene, await last(scene), `${title}: ${inWords(strike)}`)
      // One process is not killed twice for two kinds.
      return strike.isWhole || writer !== started.pid
    })
  }
  t.strictSame(await scene.leftovers(), [], 'nothing is left')
})

// The answers of a record that is gone on with come again.
const last = async (scene: Scene): Promise<{ outs: string[]; errors: string[] }> => {
  const run = `plumb --resume rec ${GRANT} a.plumb < in.jsonl`
  await goOn(scene, run, 'rec')
  return goOn(scene, run, 'rec')
}

const onStage = stageOf(FILES)
const ON = '--on "$PLUMB_ON"'

/** One run by workers, to its end. */
const runOn = (scene: Scene, name: string) => goOn(scene, `plumb run ${ON} --run ${name} a.plumb < in.jsonl`, `${ON} ${name}`)

const serveOn = ({ start }: Stage, url: string) => start(['plumb', 'work', '--on', url, ...GRANT.split(' '), 'a.plumb'])

const isSentOrNot = [true, false]
const stepInWords = ({ at, isSent }: Step) => `killed ${isSent ? 'behind' : 'before'} write ${at} to the tables`

/** A worker is killed where it writes of calls to the tables. */
const killWorkers = async (t: Test, stage: Stage): Promise<void> => {
  let runs = 0
  await walk(t, 'a worker', isSentOrNot, 2 * COUNT, async (at, isSent) => {
    await stage.bash('rm -f sent')
    let isKilled = false
    const kill = () => {
      isKilled = true
      first.child.kill('SIGKILL')
      second = serveOn(stage, stage.cluster.url)
    }
    let second: ReturnType<typeof serveOn> | undefined
    const socket = await openWalk(stage.cluster.directory, { at, isSent }, kill, writesOf(/(INSERT INTO|UPDATE) plumb\.approval/))
    const first = serveOn(stage, socket.url)
    isExact(t, stage, await runOn(stage, `tables-${++runs}`), stepInWords({ at, isSent }))
    for (const worker of [first, second]) worker?.child.kill('SIGTERM')
    await Promise.all([first.ended, second?.ended])
    socket.close()
    return isKilled
  })
}

/** A person who decides is killed where that is written to the tables. */
const killPeople = async (t: Test, stage: Stage): Promise<void> => {
  let runs = 0
  const worker = serveOn(stage, stage.cluster.url)
  await walk(t, 'a person', isSentOrNot, COUNT, async (at, isSent) => {
    await stage.bash('rm -f sent')
    let isKilled = false
    let kill = (): void => {}
    const socket = await openWalk(
      stage.cluster.directory,
      { at, isSent },
      () => {
        isKilled = true
        kill()
      },
      writesOf(/UPDATE plumb\.approval/),
    )
    const name = `person-${++runs}`
    await stage.bash(`plumb run ${ON} --run ${name} a.plumb < in.jsonl`)
    await decide(stage, `${ON} ${name}`, async (words) => {
      const started = stage.start(['bash', '-c', `exec plumb approve ${words.replace('"$PLUMB_ON"', `'${socket.url}'`)}`])
      kill = () => started.child.kill('SIGKILL')
      if (isKilled) started.child.kill('SIGKILL')
      await started.ended
    })
    isExact(t, stage, await runOn(stage, name), stepInWords({ at, isSent }))
    socket.close()
    return isKilled
  })
  worker.child.kill('SIGTERM')
  await worker.ended
}

/** A process of a worker is killed where it writes to its journal. */
const killWriters = async (t: Test, stage: Stage): Promise<void> => {
  let runs = 0
  await walk(t, 'a process that writes to a journal', [...WHOLE, ...ALONE], 2 * COUNT, async (at, kind) => {
    await stage.bash('rm -f sent')
    const strike = { at, ...kind }
    const { started, killed } = startStruck(stage, strike, ['plumb', 'work', '--on', stage.cluster.url, ...GRANT.split(' '), 'a.plumb'])
    let writer: number | undefined
    let second: ReturnType<typeof serveOn> | undefined
    void killed.then((pid) => {
      writer = pid
      if (pid !== undefined && strike.isWhole) second = serveOn(stage, stage.cluster.url)
    })
    isExact(t, stage, await runOn(stage, `journal-${++runs}`), inWords(strike))
    for (const worker of [started, second]) worker?.child.kill('SIGTERM')
    await Promise.all([started.ended, second?.ended])
    await killed
    return writer !== undefined
  })
}

onStage('calls of a run by workers', async (t, stage) => {
  for (const act of wanted([killWorkers, killPeople, killWriters])) await act(t, stage)
})
