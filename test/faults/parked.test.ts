// long
// kill -9 of a run while it makes calls that a person has allowed: no call is made twice, and none is lost. PLUMB_KILLS is how many runs are
// killed, PLUMB_SEED repeats the moments.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scaled } from '../../packages/wire/test/patience.js'
import { makeRandom } from '../fuzz/random.js'
import { openScene, until } from './scene.js'

const KILLS = Number(process.env.PLUMB_KILLS ?? 1) * 5
const SEED = Number(process.env.PLUMB_SEED ?? Math.floor(Math.random() * 2 ** 31))
t.comment(`seed ${SEED}`)

const COUNT = KILLS * 4
const WAIT_MS = scaled(30_000)

const FILES = {
  'send.mjs': `import { appendFileSync } from 'node:fs'
export default ({ n }) => { appendFileSync(process.env.PWD + '/sent', n + '\\n'); return 'sent ' + n }
`,
  'a.plumb': `
    let send : { n: int } -> string = tool { function: "send.mjs", approval: "ask", effects: ["fs.write"], sandbox: false }
    let bot : !int -> !string = agent { provider: "eliza", model: "doctor", tools: [send], grant: ["fs.write", "exec"], amnesiac: true }
    let asked : !int -> !string = map("call send " + text({ n: value })) ; said
    let said : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [send], grant: ["fs.write", "exec"], amnesiac: true, concurrency: 4 }
    let main : !int -> !string = plumb(input, output) {
      input ; (filter(value < ${COUNT / 2}) * filter(value >= ${COUNT / 2})) ; (asked * (map({ n: value }) ; map(send, parallel: 4))) ; merge ; output
    }`,
  'in.jsonl': Array.from({ length: COUNT }, (_, i) => `${i}\n`).join(''),
}

const GRANT = ['--grant', 'fs.write,exec']
const linesOf = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [])

t.test('calls that were allowed are made once, whatever stops the run', async (t) => {
  const scene = openScene(FILES)
  const random = makeRandom(SEED)
  const journal = join(scene.work, 'rec/approvals.jsonl')
  await scene.bash('plumb --record rec --park --grant fs.write,exec a.plumb < in.jsonl')
  t.equal(linesOf(journal).length, COUNT, 'each is asked for')
  await scene.bash('plumb approve rec $(plumb approvals rec | pick _.id)')
  t.equal(linesOf(journal).length, 2 * COUNT, 'and allowed')
  let killed = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const from = linesOf(journal).length
    if (from >= 4 * COUNT) break
    const run = scene.start(['bash', '-c', 'exec plumb --resume rec "$@" a.plumb < in.jsonl', 'bash', ...GRANT])
    let isOver = false
    void run.ended.then(() => {
      isOver = true
    })
    const least = from + 1 + random.below(8)
    await until(() => isOver || linesOf(journal).length >= least, WAIT_MS)
    if (!isOver) {
      process.kill(run.pid, 'SIGKILL')
      killed++
    }
    await run.ended
  }
  t.ok(killed > 0, `${killed} runs were killed`)
  const last = await scene.bash(
    'plumb --resume rec --grant fs.write,exec a.plumb < in.jsonl; plumb approvals rec | pick _.state | sort | uniq -c',
  )
  const sent = linesOf(join(scene.work, 'sent'))
  t.equal(new Set(sent).size, sent.length, 'none is made twice')
  const doubted =
    [...readFileSync(journal, 'utf8').matchAll(/"kind":"begun"/g)].length -
    [...readFileSync(journal, 'utf8').matchAll(/"kind":"done"/g)].length
  const answered = [...last.out.matchAll(/"sent \d+"/g)].length
  t.equal(answered + doubted, COUNT, `each is answered (${answered}), or in doubt (${doubted}), which is said`)
  t.equal(/(\d+) in_doubt/.exec(last.out)?.[1] ?? '0', String(doubted), 'and listed')
  t.equal([...last.err.matchAll(/"error":"in_doubt"/g)].length, doubted, 'and reported')
  t.ok(sent.length >= answered, 'what is answered was made')
  t.strictSame(await scene.leftovers(), [], 'nothing is left')
})
