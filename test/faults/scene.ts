// Scenes of faults: programs run in a directory of their own, with keys in the environment that no output may show, and when the scene is over
// nothing is left of it: no process, no temporary file, no key anywhere, and of stderr nothing that is not an error object.
//
//   scene('fault 12: …', FILES, async (t, { bash }) => { t.match(await bash('plumb a.plumb', '1\n'), { status: 0 }) })
//   sceneTable('pipes', FILES, { 'fault 27: …': { run: 'plumb a.plumb > /dev/full', in: '1\n', errors: [{ error: 'write_failed' }] } })

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { scaled } from '../../packages/wire/test/patience.js'
import { until } from '../../packages/wire/test/processes.js'
import { bash, type Case, type Files, makeTestDirectory, type Ran, runCases, TEST_PATH } from '../../packages/wire/test/shell.js'
import { badErrorLines, CANARY, filesBelow, keysBelow, runningIn } from './leftovers.js'

export { until }

/** What a scene may have besides. */
export interface SceneOptions {
  /** More variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
  /** `text` where stderr is not only ours, or where it is meant for people. Default: `objects`, as plumb-wire(5) has them. */
  readonly stderr?: 'objects' | 'text'
  /** Temporary files that may be left, as after a `kill -9`, by their paths. */
  readonly mayLeave?: RegExp
  /** Why it cannot be tried here. */
  readonly skip?: string | false
}

export interface Scene {
  /** Holds the others. */
  readonly directory: string
  /** Where everything runs; the files of the scene are here. */
  readonly work: string
  readonly env: Readonly<Record<string, string>>
  /** A script; what it says is remembered for the end. It has a deadline of a minute. */
  readonly bash: (script: string, input?: string | Buffer) => Promise<Ran>
  /** A program that lives on. It is ended with the scene if it has not ended by then, which is not a fault. */
  readonly start: (command: readonly string[], stdio?: Stdio) => Started
  /** What is left that should not be, a sentence each. Waits for processes that are ending. */
  readonly leftovers: () => Promise<string[]>
}

/** From 0 up, as spawn has it; the default is three pipes. */
export type Stdio = readonly ('pipe' | 'ignore' | number)[]

export interface Started {
  readonly child: ChildProcess
  readonly pid: number
  readonly write: (text: string | Buffer) => void
  /** What it has written so far to 1, 2, or another descriptor that is a pipe. */
  readonly reported: (fd?: number) => string
  /** Whether that comes to match in time; default: 20 s. */
  readonly reports: (pattern: RegExp, fd?: number, ms?: number) => Promise<boolean>
  /** How many descriptors it has open. */
  readonly openFds: () => number
  readonly ended: Promise<{ status: number | null; signal: NodeJS.Signals | null }>
}

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'BRAVE_API_KEY', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'PLUMB_SECRET']

/** A directory with these files, and the ways to run something there. */
export const openScene = (files: Files = {}, { env: more = {}, stderr = 'objects', mayLeave }: SceneOptions = {}): Scene => {
  const directory = makeTestDirectory(Object.fromEntries(Object.entries(files).map(([name, text]) => [`work/${name}`, text])))
  const [work, home, tmp] = ['work', 'home', 'tmp'].map((name) => join(directory, name)) as [string, string, string]
  for (const each of [work, home, tmp]) mkdirSync(each, { recursive: true })
  const keys = Object.fromEntries(KEYS.map((name) => [name, `${CANARY}-${name.toLowerCase().replaceAll('_', '-')}-0123456789abcdef`]))
  const env = { PATH: TEST_PATH, LANG: 'C.UTF-8', HOME: home, TMPDIR: tmp, ...keys, ...more }
  const rans: Ran[] = []
  const starteds: Started[] = []

  const leftovers = async (): Promise<string[]> => {
    for (const { child, pid } of starteds) if (child.exitCode === null && child.signalCode === null) kill(pid, 'SIGTERM')
    await Promise.race([Promise.all(starteds.map(({ ended }) => ended)), new Promise((done) => setTimeout(done, scaled(20_000)).unref())])
    await until(() => runningIn(directory).length === 0)
    const left = runningIn(directory)
    for (const { pid } of left) kill(pid, 'SIGKILL')
    const said = [...rans, ...starteds.map(({ reported }) => ({ out: reported(1), err: reported(2) }))]
    return [
      ...left.map(({ command }) => `still runs: ${command}`),
      ...filesBelow(tmp)
        .filter((path) => !mayLeave?.test(path))
        .map((path) => `left in TMPDIR: ${path}`),
      ...keysBelow(directory).map((path) => `a key is in ${path}`),
      ...said.filter(({ out, err }) => (out + err).includes(CANARY)).map(({ out, err }) => `a key was reported: ${out}${err}`),
      ...(stderr === 'text' ? [] : said.flatMap(({ err }) => badErrorLines(err)).map((line) => `no error object: ${line}`)),
    ]
  }

  return {
    directory,
    work,
    env,
    bash: async (script, input) => {
      const ran = await bash(script, { directory: work, env }, input)
      rans.push(ran)
      return ran
    },
    start: (command, stdio) => {
      const started = start(command, { cwd: work, env }, stdio)
      starteds.push(started)
      return started
    },
    leftovers,
  }
}

const start = (
  [file = '', ...args]: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
  stdio: Stdio = ['pipe', 'pipe', 'pipe'],
): Started => {
  const child = spawn(file, args, { ...place, stdio: [...stdio], detached: true })
  const texts: string[] = []
  for (const [fd, stream] of child.stdio.entries()) {
    if (fd === 0 || !stream) continue
    texts[fd] = ''
    ;(stream as Readable).setEncoding('utf8').on('data', (text) => {
      texts[fd] += text
    })
    stream.on('error', () => {})
  }
  child.stdin?.on('error', () => {})
  const reported = (fd = 1): string => texts[fd] ?? ''
  return {
    child,
    pid: child.pid as number,
    write: (text) => void (child.stdin as Writable).write(text),
    reported,
    reports: (pattern, fd, ms) => until(() => pattern.test(reported(fd)), ms),
    openFds: () => readdirSync(`/proc/${child.pid}/fd`).length,
    ended: new Promise((done) => child.on('close', (status, signal) => done({ status, signal }))),
  }
}

// It may have ended by itself meanwhile.
const kill = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has.
  }
}

/** A test in a scene of its own, which leaves nothing. */
export const scene = (title: string, files: Files, act: (t: Test, scene: Scene) => Promise<void>, options?: SceneOptions): void =>
  void t.test(title, { skip: options?.skip ?? false }, async (t) => {
    const opened = openScene(files, options)
    await act(t, opened)
    t.strictSame(await opened.leftovers(), [], 'nothing is left')
  })

/** Cases a few at a time, each in a scene of its own. */
export const sceneTable = (title: string, files: Files, cases: Readonly<Record<string, Case>>, options?: SceneOptions): void =>
  void t.test(title, { skip: options?.skip ?? false }, (t) =>
    runCases(t, cases, async (one) => {
      const opened = openScene(files, options)
      const ran = await opened.bash(one.run, one.in)
      t.strictSame(await opened.leftovers(), [], `nothing is left of: ${one.run}`)
      return ran
    }),
  )
