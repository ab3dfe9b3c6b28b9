// long
// Calls of a run by workers that a person has to allow, with kill -9 of the workers that make them: no call is made twice, and none is lost.
// PLUMB_KILLS is how often, PLUMB_SEED repeats the moments.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scaled } from '../../packages/wire/test/patience.js'
import { makeRandom } from '../fuzz/random.js'
import { noPostgres, openCluster } from './postgres.js'
import { openScene, until } from './scene.js'

const KILLS = Number(process.env.PLUMB_KILLS ?? 1) * 4
const SEED = Number(process.env.PLUMB_SEED ?? Math.floor(Math.random() * 2 ** 31))
t.comment(`seed ${SEED}`)

const COUNT = 4 * KILLS
const WAIT_MS = scaled(40_000)
/** That wait at once, half of them in an agent: their errors fill the pipe that the worker reads them from. */
const MANY = 600

const FILES = {
  'send.mjs': `import { appendFileSync } from 'node:fs'
export default ({ n }) => { appendFileSync(process.env.PWD + '/sent', n + '\\n'); return 'sent ' + n }
`,
  'a.plumb': `
    let send : { n: int } -> string = tool { function: "send.mjs", approval: "ask", effects: ["fs.write"], sandbox: false }
    let said : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [send], grant: ["fs.write", "exec"], amnesiac: true, concurrency: 4 }
    let asked : !int -> !string = map("call send " + text({ n: value })) ; said
    let main : !int -> !string = plumb(input, output) {
      input ; (filter(value < ${COUNT / 2}) * filter(value >= ${COUNT / 2})) ; (asked * (map({ n: value }) ; map(send, parallel: 4))) ; merge ; output
    }`,
  'owned.plumb': `
    let send : { n: int } -> string = tool { function: "send.mjs", approval: "ask", effects: ["fs.write"], sandbox: false }
    let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [send], grant: ["fs.write", "exec"] }
    let main : !string -> !string = plumb(input, output) { input ; bot ; output }`,
  'many.jsonl': Array.from({ length: MANY }, (_, i) => `${i % 2 === 0 ? -i : i + COUNT}\n`).join(''),
  'in.jsonl': Array.from({ length: COUNT }, (_, i) => `${i}\n`).join(''),
  'owned.jsonl': '"I am sad"\n"call send {\\"n\\": 1}"\n"You are kind"\n',
}

const linesIn = (text: string): string[] => text.split('\n').slice(0, -1)
const linesOf = (path: string): string[] => (existsSync(path) ? linesIn(readFileSync(path, 'utf8')) : [])
const RUN = 'plumb run --on "$PLUMB_ON" --run'
const IDS = `$(plumb approvals --on "$PLUMB_ON" asks | pick _.id)`

t.test('calls that wait for a person, over workers', { skip: noPostgres }, async (t) => {
  const cluster = await openCluster()
  const random = makeRandom(SEED)
  const scene = openScene(FILES, { env: { PLUMB_ON: cluster.url }, mayLeave: /plumb-/ })
  const { bash, start } = scene
  await bash('plumb engine --init')
  const serve = (spec = 'a.plumb') => start(['plumb', 'work', '--grant', 'fs.write,exec', spec])
  const sent = join(scene.work, 'sent')

  let workers = [serve(), serve()]
  const first = await bash(`${RUN} asks a.plumb < in.jsonl`)
  t.match(first, { status: 1, out: '', err: new RegExp(`"parked".*"messages":${COUNT},"calls":${COUNT}`) })
  t.strictSame(linesOf(sent), [], 'none is made unasked')
  t.match(await bash('plumb approve --on "$PLUMB_ON" asks nothing'), { status: 2, err: /no call has the id 'nothing'/ })
  const crowd = await bash(`${RUN} crowd a.plumb < many.jsonl`)
  t.match(crowd, { status: 1, out: '', err: new RegExp(`"parked".*"messages":${MANY},"calls":${MANY}`) }, 'each of many waits')
  const [denied = ''] = (await bash('plumb approvals --on "$PLUMB_ON" asks | pick _.id')).out.split('\n')
  t.equal((await bash(`plumb approve --on "$PLUMB_ON" --deny --why never asks ${denied}`)).status, 0)
  t.equal((await bash(`plumb approve --on "$PLUMB_ON" asks ${IDS}`)).status, 0)
  const isOver = () => cluster.ask('SELECT count(*) FROM plumb.message WHERE part > 0 AND NOT parked').trim() === '0'
  let killed = 0
  for (let kill = 0; kill < KILLS && !isOver(); kill++) {
    const least = linesOf(sent).length + 1 + random.below(2)
    await until(() => isOver() || linesOf(sent).length >= least, WAIT_MS)
    if (isOver()) break
    const i = random.below(2)
    workers[i]?.child.kill('SIGKILL')
    killed++
    workers[i] = serve()
  }
  t.ok(killed > 0, `${killed} workers were killed`)
  const last = await bash(`${RUN} asks a.plumb < in.jsonl`)
  t.equal(new Set(linesOf(sent)).size, linesOf(sent).length, 'none is made twice')
  const states = (await bash('plumb approvals --on "$PLUMB_ON" --all asks | pick _.state')).out
  const doubted = [...states.matchAll(/in_doubt/g)].length
  const answered = [...last.out.matchAll(/"sent \d+"/g)].length
  t.equal([...states.matchAll(/waits|approved/g)].length, 0, 'each is decided and done with, or in doubt')
  t.match(last.err, doubted === 0 ? /never/ : new RegExp(`"calls":${doubted}`), 'what is in doubt is reported')

  // What an agent reads of a denial, it answers.
  const others = last.out.split('\n').length - 1 - answered + [...last.err.matchAll(/approval_required/g)].length
  t.equal(answered + doubted + others, COUNT, `each has one outcome: ${answered} made, ${doubted} in doubt, ${others} denied`)
  t.ok(linesOf(sent).length >= answered && others === 1)
  if (doubted > 0) {
    await bash(`plumb approve --on "$PLUMB_ON" --deny asks ${IDS}`)
    t.match(await bash(`${RUN} asks a.plumb < in.jsonl; plumb runs --json asks`), { out: /"state":"done"/ }, 'a person has looked')
  }
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))

  workers = [serve('owned.plumb'), serve('owned.plumb')]
  const before = linesOf(sent).length
  const held = await bash(`${RUN} owned owned.plumb < owned.jsonl`)
  t.match(held, { status: 1, err: /"parked".*"messages":2,"calls":1/ }, 'what it would answer afterwards waits as well')
  t.equal(held.out.split('\n').length - 1, 1)
  await bash('plumb approve --on "$PLUMB_ON" owned $(plumb approvals --on "$PLUMB_ON" owned | pick _.id)')
  const after = await bash(`${RUN} owned owned.plumb < owned.jsonl`)
  t.match(after, { status: 0, err: '' })
  t.equal(after.out.split('\n').length - 1, 2)
  t.equal(linesOf(sent).length, before + 1)
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))
  await cluster.remove()
  t.strictSame(await scene.leftovers(), [], 'nothing is left')
})

t.test('who works cannot decide, nor change what a person sees; who decides can do nothing else', { skip: noPostgres }, async (t) => {
  const cluster = await openCluster()
  const scene = openScene(FILES, { env: { PLUMB_ON: cluster.url }, mayLeave: /plumb-/ })
  const { bash, start } = scene
  await bash('plumb engine --init')
  const { out: sql } = await bash('plumb engine --print')
  cluster.ask(sql.slice(sql.indexOf('CREATE ROLE')))
  const as = (role: string, command: string) => bash(`PGOPTIONS='-c role=${role}' ${command}`)
  const worker = start(['env', 'PGOPTIONS=-c role=plumb_work', 'plumb', 'work', '--grant', 'fs.write,exec', 'owned.plumb'])
  const held = await bash(`${RUN} owned owned.plumb < owned.jsonl`)
  t.match(held, { status: 1, err: /"parked"/ }, 'a worker with its own role alone asks')
  const id = (await bash('plumb approvals --on "$PLUMB_ON" owned | pick _.id')).out.trim()
  const tries: readonly (readonly [what: string, sql: string])[] = [
    ['a decision', `UPDATE plumb.approval SET state = 'approved'`],
    ['another input', `UPDATE plumb.approval SET call = replace(call, '1', '2')`],
    ['another key', `UPDATE plumb.approval SET id = 'x'`],
    ['another row', `INSERT INTO plumb.approval SELECT run, 'y', n, part, ord, call, digest, 'approved' FROM plumb.approval`],
    ['none', 'DELETE FROM plumb.approval'],
    [
      'the function',
      `SELECT plumb.decide_calls('owned', ARRAY['${id}'], ARRAY[(SELECT digest FROM plumb.approval)], 'approved', NULL, NULL)`,
    ],
    ['a function of its own', `CREATE FUNCTION plumb.digest_of(json) RETURNS text LANGUAGE sql AS 'SELECT 1::text'`],
  ]
  const row = () => cluster.ask('SELECT id, call, digest, state, decision FROM plumb.approval')
  const before = row()
  for (const role of ['plumb_work', 'plumb_submit', 'plumb_read'])
    for (const [what, text] of tries) {
      t.throws(() => cluster.ask(`SET ROLE ${role}; ${text}`), `${role}: ${what}`)
      t.equal(row(), before)
    }
  const keep = (call: string, state: string) =>
    cluster.ask(`SET ROLE plumb_work; SELECT plumb.keep_call(run, id, part, ord, ${call}, '${state}') FROM plumb.approval`)
  for (const state of ['approved', 'denied', 'in_doubt', 'done']) {
    for (const call of ['call', `replace(call, '"n"', '"m"')`, `replace(call, 'send', 'pay')`]) keep(call, state)
    t.equal(row(), before, `'${state}' is not for a worker to say of what waits`)
  }
  t.match(await as('plumb_work', `plumb approve --on "$PLUMB_ON" owned ${id}`), { status: 1 }, 'nor by plumb approve')

  t.match(await as('plumb_approve', 'plumb approvals --on "$PLUMB_ON" owned'), { status: 0, out: /"send"/ })
  for (const text of [
    'SELECT value FROM plumb.message',
    'SELECT line FROM plumb.memory',
    'DELETE FROM plumb.run',
    'UPDATE plumb.message SET parked = false',
  ])
    t.throws(() => cluster.ask(`SET ROLE plumb_approve; ${text}`), text)
  // As the owner could, or a worker before there were such roles.
  const rekey = (from: number, to: number) =>
    cluster.ask(`UPDATE plumb.approval SET call = regexp_replace(call, '("input":"[^}]*)${from}', '\\1${to}')`)
  rekey(1, 2)
  t.not(row(), before)
  t.match(await as('plumb_approve', `plumb approve --on "$PLUMB_ON" owned ${id}`), { status: 2, err: /does not fit its id and digest/ })
  rekey(2, 1)
  t.equal(row(), before)
  // A row of another id, whose call says that it is the one which is asked for.
  cluster.ask(
    `SET ROLE plumb_work; SELECT plumb.keep_call(run, 'forged', part, ord, replace(call, '"send"', '"look"'), 'waits') FROM plumb.approval`,
  )
  const listed = (await as('plumb_approve', 'plumb approvals --on "$PLUMB_ON" owned | pick "[_.id, _.tool]"')).out
  t.strictSame(linesIn(listed), [`["${id}","send"]`, '["forged","look"]'], 'each under its own id')
  t.match(await as('plumb_approve', 'plumb approve --on "$PLUMB_ON" owned forged'), { status: 2, err: /does not fit its id and digest/ })
  const forge = `E'1}\\n{"origin":1,"part":1,"tries":1,"fault":{},"value":2'`
  cluster.ask(
    `SET ROLE plumb_work; INSERT INTO plumb.letter (run, part, port, ord, origin, value, fault, code, tries) SELECT run, part, 0, ord, 1, ${forge}, ${forge}, 'x', 1 FROM plumb.approval LIMIT 1`,
  )
  t.equal(linesIn((await bash('plumb letters owned')).out).length, 1, 'a letter is one line')
  cluster.ask(`SET ROLE plumb_work; DELETE FROM plumb.letter; UPDATE plumb.worker SET host = E'x\\nforged  done'`)
  t.notMatch((await bash('plumb runs')).out, /^forged/m)
  t.match(await as('plumb_approve', `plumb approve --on "$PLUMB_ON" owned ${id}`), { status: 0, err: '' })
  t.match(cluster.ask('SELECT decided_by || state FROM plumb.approval'), /\w/, 'who decided is kept')
  t.match(await bash(`${RUN} owned owned.plumb < owned.jsonl`), { status: 0, err: '' })
  t.equal(linesOf(join(scene.work, 'sent')).length, 1)
  worker.child.kill('SIGTERM')
  await worker.ended
  await cluster.remove()
  t.strictSame(await scene.leftovers(), [], 'nothing is left')
})
