// long
// Answers that are kept of runs by workers: a cache that all of them share, whichever is killed or slow, and records that are resumed.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type CountingModel, openCountingModel } from '../../packages/plumb/test/fixtures/counting-model.js'
import { until } from './scene.js'
import { ENDED, end, lines, PATIENCE_MS, type Stage, stageOf } from './worker-stage.js'

let model: CountingModel
t.before(async () => {
  model = await openCountingModel()
})
t.teardown(() => model.close())

const agent = (name: string, more = '') => `
  let ${name} : !string -> !string = agent {
    provider: "openai", model: "m", endpoint: "MODEL", stream: false, transport_retries: 0, ${more}
  }`
const FILES = {
  'ask.plumb': `${agent('bot', 'amnesiac: true, concurrency: 4')}
    let main : !string -> !string = plumb(input, output) { input ; bot ; output }`,
  // The answers of an agent that has another name now.
  'renamed.plumb': `${agent('other', 'amnesiac: true, concurrency: 4')}
    let main : !string -> !string = plumb(input, output) { input ; other ; output }`,
  'add.mjs': `import { appendFileSync } from 'node:fs'
export default ({ n }) => { appendFileSync(process.env.PWD + '/added', n + '\\n'); return n + 1 }
`,
  'echo.mjs': `import { createInterface } from 'node:readline'
import { appendFileSync } from 'node:fs'
for await (const line of createInterface({ input: process.stdin })) {
  appendFileSync('echoed', line + '\\n')
  process.stdout.write(line + '\\n')
}
`,
  'all.plumb': `${agent('bot')}${agent('free', 'amnesiac: true, concurrency: 4')}
    let add : { n: int } -> int = tool { function: "add.mjs", effects: ["fs.write"], sandbox: false }
    let caller : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [add], grant: ["fs.write", "exec"] }
    let echo : !string -> !string = agent { command: ["node", "echo.mjs"], amnesiac: true, answers: "each", sandbox: false }
    let inner : !string -> !string = plumb(input, output) { input ; free ; output }
    let main : !int -> !string = plumb(input, output) {
      input ; map({ n: value }) ; map(add) ; map("call add {\\"n\\": \${value}}") ; caller ; map("same \${length(value)}") ; bot ; echo ; inner ; output
    }`,
  'in.jsonl': '"a"\n"b"\n"a"\n"c"\n"a"\n"b"\n',
}
const onFiles = stageOf(FILES)
const onStage = (title: string, act: Parameters<typeof onFiles>[1]): void =>
  onFiles(title, async (t, stage) => {
    await stage.bash(`sed -i 's#MODEL#${model.url}#' *.plumb`)
    await act(t, stage)
  })

const sorted = (text: string): string[] => lines(text).sort()
const GRANT = '--grant fs.write,exec'

/** What a directory of answers has, by text of the answer. */
const keptIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => lines(readFileSync(join(directory, name), 'utf8')))
    .map((line) => {
      const { place, nth, answer } = JSON.parse(line) as { place: string; nth: number; answer: { answer: { content: { text: string }[] } } }
      return `${place} ${nth} ${answer.answer.content[0]?.text}`
    })
    .sort()

const submitTo = ({ bash }: Stage, words: string, input = 'in.jsonl') => bash(`plumb run --on "$PLUMB_ON" ${words} < ${input}`)

onStage('--cache holds over all workers, between runs, and for one process', async (t, stage) => {
  const { bash, serve, work } = stage
  const workers = [serve('--slots', '2', 'ask.plumb'), serve('--slots', '2', 'ask.plumb')]
  const first = await submitTo(stage, '--cache kept ask.plumb')
  t.match(first, { status: 0, err: '' })
  t.equal(model.asked.length, 6, 'equal requests of one run have an answer each')
  t.strictSame(
    keptIn(join(work, 'kept')),
    ['bot 1 a (1)', 'bot 1 b (1)', 'bot 1 c (1)', 'bot 2 a (1)', 'bot 2 b (1)', 'bot 3 a (1)'],
    'the cache of one process has the same',
  )
  const again = await submitTo(stage, '--cache kept ask.plumb')
  t.strictSame([sorted(again.out), again.err], [sorted(first.out), ''])
  const detached = await bash('plumb run --on "$PLUMB_ON" --detach --run apart --cache kept --cache-only ask.plumb < in.jsonl')
  t.match(detached, { status: 0 })
  t.strictSame(sorted((await submitTo(stage, '--run apart --cache kept ask.plumb')).out), sorted(first.out))
  t.strictSame(sorted((await bash('plumb --cache kept --cache-only ask.plumb < in.jsonl')).out), sorted(first.out))
  t.equal(model.asked.length, 6, 'nothing of it is asked again')
  await bash(`echo '"d"' >> in.jsonl`)
  t.match(await submitTo(stage, '--cache kept --cache-only ask.plumb'), { status: 1, err: /"error":"cache_miss".*"seq":7/ })
  t.match(await submitTo(stage, '--run bare ask.plumb', '/dev/null'), { status: 0 })
  t.match(await submitTo(stage, '--run bare --cache kept ask.plumb', '/dev/null'), { status: 1, err: /"run_exists".*first command/ })
  await end(...workers)
  const renamed = serve('renamed.plumb')
  t.strictSame(sorted((await submitTo(stage, '--cache kept --cache-only renamed.plumb', '<(head -6 in.jsonl)')).out), sorted(first.out))
  const lined = await submitTo(stage, '--cache kept.jsonl renamed.plumb', '<(head -1 in.jsonl)')
  t.match(lined, { status: 0 })
  t.match(readFileSync(join(work, 'kept.jsonl'), 'utf8'), /"request":\{.*"content":"a"/, 'a file of lines says what was asked')
  t.equal(model.asked.length, 7)
  await end(renamed)
})

onStage('an answer of the cache is asked for once, whatever ends before it is settled', async (t, stage) => {
  const { cluster, serve, submit, work } = stage
  const before = model.asked.length
  // Where a settlement does not come through, as where the disk is full: what the cache has is there.
  cluster.ask(`CREATE FUNCTION plumb.hold() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'held' USING ERRCODE = '53100'; END $$ LANGUAGE plpgsql;
    CREATE TRIGGER hold BEFORE INSERT ON plumb.tally FOR EACH ROW EXECUTE FUNCTION plumb.hold()`)
  const killed = serve('ask.plumb')
  const submitter = submit('--run', 'killed', '--cache', 'kept', 'ask.plumb')
  submitter.child.stdin?.end('"a"\n"b"\n')
  t.ok(
    await until(() => existsSync(join(work, 'kept')) && keptIn(join(work, 'kept')).length === 2, PATIENCE_MS),
    'kept before it is settled',
  )
  killed.child.kill('SIGKILL')
  cluster.ask('DROP FUNCTION plumb.hold CASCADE')
  const heir = serve('ask.plumb')
  t.strictSame(await submitter.ended, ENDED)
  t.strictSame(sorted(submitter.reported()), ['"a (1)"', '"b (1)"'])
  t.equal(model.asked.length, before + 2, 'the heir asks for none of them')
  t.strictSame(keptIn(join(work, 'kept')), ['bot 1 a (1)', 'bot 1 b (1)'])
  await end(heir)
})

onStage('workers that ask for the same at once, and one that is slow', async (t, stage) => {
  const { cluster, serve, submit, work } = stage
  const before = model.asked.length
  const workers = [serve('--slots', '1', 'ask.plumb'), serve('--slots', '1', 'ask.plumb')]
  model.allow = () => false
  const submitter = submit('--run', 'slow', '--cache', 'kept', 'ask.plumb')
  submitter.child.stdin?.end('"same"\n"same"\n')
  await model.whenHeld(2)
  t.equal(model.asked.length, before + 2, 'two equal requests are two')
  // One hangs, and another has its message by then.
  workers[0]?.child.kill('SIGSTOP')
  model.allow = () => true
  cluster.ask("UPDATE plumb.message SET until = now() - interval '1 s' WHERE worker = (SELECT min(worker) FROM plumb.message)")
  const third = serve('--slots', '1', 'ask.plumb')
  t.ok(await until(() => model.asked.length === before + 3, PATIENCE_MS), 'it is asked for again')
  t.ok(await submitter.reports(/\n/, 1, PATIENCE_MS))
  model.release()
  t.strictSame(await submitter.ended, ENDED)
  workers[0]?.child.kill('SIGCONT')
  t.equal(lines(submitter.reported()).length, 2)
  t.strictSame(keptIn(join(work, 'kept')), ['bot 1 same (1)', 'bot 2 same (1)'], 'each number has one answer')
  await end(...workers, third)
})

onStage('a record of a run by workers is resumed in one process: nothing is asked, called or done again', async (t, stage) => {
  const { bash, serve, submit, work } = stage
  const before = model.asked.length
  await bash('seq 5 > numbers')
  let workers = [serve(...GRANT.split(' '), 'all.plumb'), serve(...GRANT.split(' '), 'all.plumb')]
  const submitter = submit('--run', 'rec', '--ordered', '--record', 'rec', ...GRANT.split(' '), 'all.plumb')
  submitter.write('1\n')
  t.ok(await submitter.reports(/\n/, 1, PATIENCE_MS))
  workers[0]?.child.kill('SIGKILL')
  workers = [...workers.slice(1), serve(...GRANT.split(' '), 'all.plumb')]
  submitter.child.stdin?.end('2\n3\n4\n5\n')
  t.strictSame(await submitter.ended, ENDED)
  t.equal(submitter.reported(2), '')
  const asked = model.asked.length
  t.ok(asked > before)
  const done = () => ['added', 'echoed'].map((name) => sorted(readFileSync(join(work, name), 'utf8')))
  const did = done()
  const resumed = await bash(`plumb --resume rec --summary=json ${GRANT} all.plumb < numbers`)
  t.equal(resumed.out, submitter.reported())
  t.equal(model.asked.length, asked, 'no model is asked')
  t.strictSame(done(), did, 'no tool is called, and no program is given anything')
  // The record is the one of the resumed run by now, and grows.
  const more = await bash(`plumb --resume rec ${GRANT} all.plumb < <(seq 6)`)
  t.equal(more.out.slice(0, resumed.out.length), resumed.out)
  t.ok(model.asked.length > asked, 'what is not in it is asked for')
  await end(...workers)
})
