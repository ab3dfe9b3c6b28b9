// An answer while it grows, wherever it is shown: both clients, plumb-serve, the view of a run that goes on, --progress and plumb-chat.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { open, type PartialAnswer, partialOf } from '../packages/client/src/index.js'
import { runPage } from '../packages/plumb/src/view/page.js'
import { readRunParts } from '../packages/plumb/src/view/run-parts.js'
import { openGrowing } from '../packages/plumb-chat/src/growing.js'
import { progressTable } from '../packages/runtime/src/display/progress-table.js'
import { GrowingAnswers } from '../packages/runtime/src/event/growing.js'
import type { RunEvent } from '../packages/runtime/src/event/run-event.js'
import { textWidth } from '../packages/wire/src/terminal/width.js'
import { scaled } from '../packages/wire/test/patience.js'
import { makeTestDirectory, TEST_PATH } from '../packages/wire/test/shell.js'
import { serve } from './serving.js'
import { openTalkingModel, type TalkingModel } from './talking-model.js'

interface Triage {
  readonly team: 'billing' | 'tech'
  readonly tags: readonly string[]
}

const specOf = (url: string): string => `
type Triage = { team: "billing" | "tech", tags: [string] }
@serve let triage : !string -> !Triage = agent {
  provider: "anthropic", model: "m", endpoint: "${url}", partial: true, amnesiac: true, max_retries: 0
}
let main : !string -> !Triage = triage
`
const [HALF, REST] = ['{"team": "billing", "tags": ["ur', 'gent"]}']
const WHOLE = { team: 'billing', tags: ['urgent'] }
const FIRST = { kind: 'partial', value: { team: 'billing', tags: ['ur'] }, open: ['', '/tags', '/tags/0'], agent: 'triage' }

/** Says the answer: its first half, once what is to be seen of it was seen the rest. */
const answer = async (model: TalkingModel, seen: Promise<unknown>): Promise<void> => {
  const turn = await model.turn()
  turn.say(HALF)
  await seen
  turn.say(REST)
  turn.end()
}

const gate = () => {
  let pass = (): void => {}
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  return { passed, pass }
}

const fromClient = async (t: Test, target: Parameters<typeof open>[0], model: TalkingModel): Promise<void> => {
  const c = await open(target)
  const { passed, pass } = gate()
  const said = answer(model, passed)
  const parts: PartialAnswer<Triage>[] = []
  let output: Triage | undefined
  for await (const item of c.stream<Triage>('triage', ['x'], { events: ['partial'] })) {
    const part = partialOf(item)
    if (part) parts.push(part)
    output = item.value ?? output
    const tags: string[] | undefined = part?.value?.tags
    if (tags?.length) pass()
  }
  await said
  await c.close()
  t.match(parts[0], FIRST)
  t.match(parts.at(-1), { value: WHOLE, open: [] })
  t.strictSame(output, WHOLE)
}

const openModel = async (t: Test): Promise<TalkingModel> => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  return model
}

t.test('a client of a server', async (t) => {
  const model = await openModel(t)
  const server = await serve({ 'a.plumb': specOf(model.url) })
  await fromClient(t, { url: server.url }, model)
  await server.stop()
})

const ENV = { PATH: TEST_PATH, HOME: '/nonexistent', ANTHROPIC_API_KEY: 'sk-test' }

t.test('a client of a spec', async (t) => {
  const model = await openModel(t)
  const cwd = makeTestDirectory({ 'a.plumb': specOf(model.url) })
  await fromClient(t, { spec: 'a.plumb', cwd, env: ENV, plumb: join(process.cwd(), 'packages/plumb/bin/plumb') }, model)
})

const PYTHON = `
import plumb
with plumb.open("a.plumb") as c:
    for item in c.stream("triage", ["x"], events=["partial"]):
        print(item, flush=True)
`

/** Resolves when its output has the text. */
const says = (child: ChildProcess, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let out = ''
    const timer = setTimeout(() => reject(new Error(`it said ${out}`)), scaled(60_000))
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      out += piece
      if (!out.includes(text)) return
      clearTimeout(timer)
      resolve()
    })
  })

t.test('a client in Python', async (t) => {
  const model = await openModel(t)
  const cwd = makeTestDirectory({ 'a.plumb': specOf(model.url) })
  const env = { ...ENV, PYTHONPATH: join(process.cwd(), 'python'), PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn('python3', ['-c', PYTHON], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [half, whole] = [says(child, "'tags': ['ur']"), says(child, "'open': []")]
  await answer(model, half)
  await whole
  t.equal(await new Promise((resolve) => child.on('close', resolve)), 0)
})

t.test('the view of a run that goes on', async (t) => {
  const model = await openModel(t)
  const cwd = makeTestDirectory({ 'a.plumb': specOf(model.url) })
  const growing = join(cwd, 'rec/growing.json')
  const child = spawn('plumb', ['--record', 'rec', 'a.plumb'], { cwd, env: ENV, stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end('"x"\n')
  const until = Date.now() + scaled(60_000)
  const look = async (): Promise<void> => {
    while (!existsSync(growing) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
    t.match(JSON.parse(readFileSync(growing, 'utf8')), [{ process: 'triage', text: '{"team":"billing","tags":["ur"]}' }])
    const parts = await readRunParts(join(cwd, 'rec'))
    const page = parts.ok ? runPage({ ...parts.value, isServed: true }) : ''
    t.match(page, /<section id="growing".*triage.*&quot;ur&quot;/s)
  }
  await answer(model, look())
  t.equal(await new Promise((resolve) => child.on('close', resolve)), 0)
  t.notOk(existsSync(growing), 'it is no part of the record')
  const parts = await readRunParts(join(cwd, 'rec'))
  t.notMatch(parts.ok && runPage({ ...parts.value, isServed: true }), /id="growing"/)
})

const partial = (n: number, value: unknown, open: readonly string[] = ['']): RunEvent =>
  ({ ms: 0, kind: 'telemetry', process: 'p', telemetry: { kind: 'partial', seq: n, agent: 'p', time: '', value, open } }) as RunEvent
const answered = (n: number) => ({ ms: 0, kind: 'answered', process: 'p', n, seq: n, buf: Buffer.alloc(0), start: 0, end: 0 }) as RunEvent

t.test('what is shown while it grows', async (t) => {
  const answers = new GrowingAnswers()
  const textsOf = () => answers.all.map(({ n, text }) => `${n} ${text}`)
  for (const event of [partial(1, { a: 1 }), partial(2, []), partial(1, { a: 1, b: 'x' })]) answers.on(event)
  t.strictSame(textsOf(), ['1 {"a":1,"b":"x"}', '2 []'])
  for (const event of [partial(1, undefined), answered(2)]) answers.on(event)
  t.strictSame(textsOf(), [], 'an attempt begins, and an answer has come')
  answers.on(partial(3, { long: 'x'.repeat(10_000) }))
  const stats = { inputs: 1, outputs: 0, errors: new Map(), handled: 0, batches: new Map(), stages: [], growing: () => answers.all }
  const [line = ''] = progressTable({ stats, ms: 0, done: undefined, asksCost: false }, { columns: 40, rows: 10 })
  t.match(line, /^p {2}….*x/)
  t.ok(line.length <= 40)
  answers.on(answered(3))
  answers.on(partial(4, { a: '日本語'.repeat(20), b: '\x1b[2Jend' }))
  const [wide = ''] = progressTable({ stats, ms: 0, done: undefined, asksCost: false }, { columns: 40, rows: 10 })
  t.match(wide, /^p {2}….*\\u001b\[2Jend"}$/, 'its end, in cells')
  t.ok(textWidth(wide) <= 40 && textWidth(wide) > 36)
  const shown: string[] = []
  const grow = openGrowing((agent, text) => shown.push(`${agent} ${text}`))
  const tell = (value: unknown, open: readonly string[]) => grow({ kind: 'partial', agent: 'g', value, open })
  tell({ team: 'bil' }, ['', '/team'])
  tell({ team: 'billing', tags: [] }, ['', '/tags'])
  tell({ team: 'billing', tags: ['a'] }, [])
  tell(undefined, [''])
  tell({ team: 'tech' }, [''])
  t.strictSame(shown, ['g team: "billing"', 'g tags: ["a"]', 'g team: "tech"'])
})
