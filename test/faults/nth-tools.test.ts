// long
// Each step of a tool that touches files fails in turn (the method of SQLite and curl): whatever it is, the call is answered, files are as
// they were or as they should be, nothing is left beside them, and the tool goes on. PLUMB_NTH=all for all of them.

import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { ERRORS } from '../../packages/wire/src/error.js'
import { MACHINE } from './machine.js'
import { openScene, type Scene, type Started } from './scene.js'
import { chosenOf, FILE_CALLS, failing, nameOf, type Step, stepsIn, wantedOf, wasHit, whileTraced } from './system-calls.js'

const FILES = {
  a: 'old a\n',
  b: 'old b\n',
  c: 'old c\n',
  'a.md': '# Title\n\nhello world\n\n## Two\n\nmore words here\n',
  'src/x.ts': 'export const alpha = () => 1\n',
  '.gitignore': 'zzz\n',
  'pic.png': '\x89PNG\r\n\x1a\n',
}

interface Scenario {
  readonly tool: string
  readonly input: object
  /** It says what it has left out, so that an answer may be another one. */
  readonly reports?: RegExp
  /** Called before, on the same files. */
  readonly after?: readonly [string, object]
}

const patch = (...lines: string[]) => ({ patch: `*** Begin Patch\n${lines.join('\n')}\n*** End Patch` })
const INDEX = ['index_markdown_docs', { root: '.' }] as const

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a patch of four files': {
    tool: 'apply_patch',
    input: patch(
      ...['*** Update File: a', '@@', '-old a', '+new a'],
      ...['*** Update File: b', '*** Move to: d/e/b2', '@@', '-old b', '+new b'],
      ...['*** Delete File: c', '*** Add File: n/new', '+added'],
    ),
  },
  'a patch of one': { tool: 'apply_patch', input: patch('*** Update File: a', '@@', '-old a', '+new a') },
  'a new file': { tool: 'write_file', input: { path: 'p/q/new', content: 'hello' } },
  'a file that is replaced': { tool: 'write_file', input: { path: 'a', content: 'hello' } },
  'a file that grows': { tool: 'append_to_file', input: { path: 'a', content: 'more' } },
  'a word in a file': { tool: 'find_and_replace', input: { path: 'a', find: 'old', replace: 'new' } },
  'a new directory': { tool: 'make_directory', input: { path: 'm/n/o' } },
  'a file that goes': { tool: 'delete_file', input: { path: 'c' } },
  'a file that is read': { tool: 'read_file', input: { path: 'a.md' } },
  'an image': { tool: 'import_image', input: { path: 'pic.png' } },
  'a directory that is listed': { tool: 'read_directory', input: { path: '.', depth: 2 }, reports: /\[not listed: \d+ director(y|ies)\]/ },
  grep: { tool: 'grep', input: { pattern: 'hello' }, reports: /\[(not looked at|skipped): / },
  glob: { tool: 'glob', input: { pattern: '**/*.md' }, reports: /\[not looked at: / },
  // It is tried again where the index is not the one that was read, and then there is less to do.
  'a new index': { tool: INDEX[0], input: INDEX[1], reports: /"files":1,"chunks":2,|"left_out"/ },
  'an index that follows': { tool: INDEX[0], input: INDEX[1], reports: /"files":1,"chunks":2,|"left_out"/, after: INDEX },
  // What is gone by now is not shown.
  'a search': { tool: 'markdown_search', input: { query: 'hello' }, reports: /^\{"results":\[/, after: INDEX },
}

const isTemporary = (path: string): boolean => /(^|\/)\.plumb-/.test(path)
const isIndex = (path: string): boolean => path.startsWith('.md_index')

/** Files by their paths, but for those that are there for a moment, and the index, whose bytes are not promised. */
const contents = (directory: string): Readonly<Record<string, string>> => {
  const paths = readdirSync(directory, { recursive: true }).map(String).sort()
  const files = paths.filter((path) => !isTemporary(path) && !isIndex(path) && lstatSync(join(directory, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(directory, path), 'latin1')]))
}

const temporaries = (directory: string): string[] => readdirSync(directory, { recursive: true }).map(String).filter(isTemporary)

const layAnew = (directory: string): void => {
  for (const name of readdirSync(directory)) if (!isTemporary(name)) rmSync(join(directory, name), { recursive: true })
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text, 'latin1')
  }
}

interface Answer {
  readonly id: string
  readonly content: string
  readonly is_error: boolean
}

class Server {
  readonly #started: Started
  #asked = 0

  constructor(readonly scene: Scene) {
    this.#started = scene.start(['plumb-tool', 'serve'])
  }

  get pid(): number {
    return this.#started.pid
  }

  get openFds(): number {
    return this.#started.openFds()
  }

  get said(): string {
    return this.#started.reported(2)
  }

  /** Undefined: none came in time. */
  async call(tool: string, input: object): Promise<Answer | undefined> {
    const id = `call-${++this.#asked}`
    this.#started.write(`${JSON.stringify({ id, name: tool, input })}\n`)
    const line = new RegExp(`^\\{"id":"${id}",.*\\}$`, 'm')
    return (await this.#started.reports(line)) ? JSON.parse(line.exec(this.#started.reported())?.[0] as string) : undefined
  }

  async prepare({ after }: Scenario): Promise<void> {
    layAnew(this.scene.work)
    if (after) await this.call(...after)
  }

  /** Ends, and what comes next is a process of its own. */
  async end(): Promise<void> {
    this.#started.child.stdin?.end()
    await this.#started.ended
  }
}

// One thread for files, so that its calls come in one order.
const openServer = (): Server => new Server(openScene(FILES, { env: { UV_THREADPOOL_SIZE: '1' } }))

interface Course {
  readonly scenario: Scenario
  readonly before: Readonly<Record<string, string>>
  readonly after: Readonly<Record<string, string>>
  readonly good: Answer
}

const courseOf = async (server: Server, scenario: Scenario): Promise<Course> => {
  // Whatever is loaded when it is first used is loaded.
  await server.prepare(scenario)
  await server.call(scenario.tool, scenario.input)
  await server.prepare(scenario)
  const before = contents(server.scene.work)
  const good = await server.call(scenario.tool, scenario.input)
  if (!good) throw new Error(`${scenario.tool}: no answer`)
  return { scenario, before, after: contents(server.scene.work), good }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What is wrong with the answer and with what is there, in words. */
const flawsOf = async (
  server: Server,
  { scenario, before, after, good }: Course,
  answer: Answer | undefined,
  fds: number,
): Promise<string[]> => {
  const { work } = server.scene
  if (!answer) return ['there is no answer']
  const flaws: string[] = []
  if (answer.is_error) {
    const { error, category, detail } = JSON.parse(answer.content) as Record<string, string>
    const entry = Object.hasOwn(ERRORS, error ?? '') ? ERRORS[error as keyof typeof ERRORS] : undefined
    const isOurs = entry?.category === category && error !== 'tool_crashed' && error !== 'internal'
    if (!isOurs || !detail || /^\s+at /m.test(detail)) flaws.push(`no such error: ${answer.content}`)
  } else if (answer.content !== good.content && !scenario.reports?.test(answer.content)) flaws.push(`another answer: ${answer.content}`)
  if (server.openFds > fds) flaws.push(`descriptors are left open: ${server.openFds}, before ${fds}`)
  // What could not be finished is finished by the next call.
  const isDone = temporaries(work).length === 0
  if (!isDone) await server.call('apply_patch', patch('*** Add File: next', '+x'))
  const { next: _, ...now } = contents(work)
  const wanted = answer.is_error ? before : after
  if (!same(now, wanted) && !(answer.is_error && !isDone && same(now, after))) flaws.push(`files are ${JSON.stringify(now)}`)
  const found = scenario.tool === INDEX[0] ? await server.call('markdown_search', { query: 'hello' }) : undefined
  if (found?.is_error && !/no_such_file/.test(found.content)) flaws.push(`the index is damaged: ${found.content}`)
  // What could not be looked at is not gone; what could not be read is, and it is said so.
  const isKept = scenario.after === undefined || answer.content.includes('a.md: ') || found?.content.includes('hello') !== false
  if (!isKept) flaws.push(`the index has lost a file: ${answer.content}`)
  return flaws
}

interface Figures {
  steps: number
  injected: number
}

const isOurs = (work: string) => (_call: string, text: string) => text.includes(work) || text.includes('/proc/self/fd/')

const failInTurn = async (t: Test, server: Server, name: string, scenario: Scenario, figures: Figures): Promise<boolean> => {
  const { directory, work } = server.scene
  const course = await courseOf(server, scenario)
  await server.prepare(scenario)
  const act = () => server.call(scenario.tool, scenario.input)
  const counted = await whileTraced(server.pid, ['-f', '-e', `trace=${FILE_CALLS.join(',')}`], directory, act)
  if (!counted) return false
  const steps = stepsIn(counted.log, isOurs(work))
  figures.steps += steps.length
  t.ok(steps.length > 5, `${name}: ${steps.length} steps`)
  for (const step of chosenOf(steps, name, 4)) await failAt(t, server, course, step, figures, act)
  return true
}

const failAt = async (
  t: Test,
  server: Server,
  course: Course,
  step: Step,
  figures: Figures,
  act: () => Promise<Answer | undefined>,
): Promise<void> => {
  await server.prepare(course.scenario)
  const fds = server.openFds
  const ran = await whileTraced(step.thread, failing(step), server.scene.directory, act)
  if (!ran || !wasHit(ran.log)) return
  figures.injected++
  t.strictSame(await flawsOf(server, course, ran.value, fds), [], `${course.scenario.tool}: ${nameOf(step)}`)
}

t.test('faults 83, 84: each step of a file tool fails in turn', { skip: MACHINE.traces }, async (t) => {
  const server = openServer()
  const figures = { steps: 0, injected: 0 }
  for (const [name, scenario] of wantedOf(SCENARIOS)) {
    if (await failInTurn(t, server, name, scenario, figures)) continue
    t.pass('nothing', { skip: 'strace may not attach to a process' })
    break
  }
  t.comment(`${wantedOf(SCENARIOS).length} scenarios, ${figures.steps} failures counted, ${figures.injected} made`)
  await server.end()
  layAnew(server.scene.work)
  // What a process could not remove the next one does.
  await server.scene.bash(`plumb-tool call write_file '{"path":"a","content":"x"}'`)
  t.strictSame(temporaries(server.scene.work), [])
  t.strictSame(await server.scene.leftovers(), [])
})

const hasLimits = spawnSync('prlimit', ['--version']).status === 0

t.test(
  'faults 50, 84: a tool that may open no more, or write no more',
  { skip: hasLimits ? false : 'prlimit is not installed' },
  async (t) => {
    const server = openServer()
    const limit = (what: string): boolean => spawnSync('prlimit', ['--pid', String(server.pid), what]).status === 0
    const hard = /Max open files +\S+ +(\d+)/.exec(readFileSync(`/proc/${server.pid}/limits`, 'utf8'))?.[1] ?? ''
    const all = process.env.PLUMB_NTH === 'all'
    let tried = 0
    for (const [name, scenario] of wantedOf(SCENARIOS)) {
      const course = await courseOf(server, scenario)
      const under = async (less: string, more: string): Promise<void> => {
        await server.prepare(scenario)
        const fds = server.openFds
        if (!limit(less)) return
        const answer = await server.call(scenario.tool, scenario.input)
        limit(more)
        tried++
        t.strictSame(await flawsOf(server, course, answer, fds), [], `${name}: ${less}`)
      }
      const highest = Math.max(...readdirSync(`/proc/${server.pid}/fd`).map(Number))
      // From enough to none.
      for (const room of all ? [5, 4, 3, 2, 1, 0, -1, -2] : [2, 1, 0])
        await under(`--nofile=${highest + 1 + room}:${hard}`, `--nofile=${hard}:${hard}`)
      const sizes = all ? [0, 1, 2, 3, 5, 6, 7, 10, 50, 100, 500, 1000, 4096] : [0, 5, 500]
      for (const bytes of sizes) await under(`--fsize=${bytes}:unlimited`, '--fsize=unlimited:unlimited')
    }
    t.comment(`${tried} limits`)
    await server.end()
    t.strictSame(temporaries(server.scene.work), [])
    t.strictSame(await server.scene.leftovers(), [])
  },
)
