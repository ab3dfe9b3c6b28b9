// The step of the GitHub Action as a job has it, and the hooks in a real repository, by pre-commit.

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { scaled } from '../packages/wire/test/patience.js'

// Tests run in the root.
const ROOT = process.cwd()
const PATH = [...readdirSync('packages').map((name) => resolve(`packages/${name}/bin`)), process.env.PATH].join(':')

const GOOD =
  'let twice : !int -> !int = map(n * 2)\nlet main : !int -> !int = twice\n\ntest "doubles" of main { given: [1], expect: [2] }\n'

const newDirectory = (t: Test): string => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-ci-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  mkdirSync(join(directory, 'a flow'))
  return directory
}

const runIn = (cwd: string, command: string, args: readonly string[] = [], more: Readonly<Record<string, string>> = {}) => {
  const env = { PATH, HOME: cwd, RUNNER_TEMP: cwd, GITHUB_STEP_SUMMARY: join(cwd, 'summary'), GITHUB_OUTPUT: join(cwd, 'output'), ...more }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: scaled(120_000) })
  return { status, stdout, said: stdout + stderr }
}

t.test('the action: annotations, a report, drawings', async (t) => {
  const look = join(ROOT, 'scripts/ci/look')
  const directory = newDirectory(t)
  writeFileSync(join(directory, 'a flow/good.plumb'), GOOD)
  const good = runIn(directory, look)
  t.match(good, { status: 0, stdout: '' }, good.said)
  t.match(readFileSync(join(directory, 'plumb-tests.xml'), 'utf8'), /<testcase[^>]*doubles/)
  t.equal(readFileSync(join(directory, 'output'), 'utf8'), 'report=plumb-tests.xml\n')
  t.match(
    readFileSync(join(directory, 'summary'), 'utf8'),
    /all right\n.*<summary>a flow\/good\.plumb<\/summary>\n\n```mermaid\nflowchart /s,
  )

  writeFileSync(join(directory, 'a flow/bad.plumb'), GOOD.replace('twice\n', 'thrice\n'))
  const bad = runIn(directory, look, [], { SPECS: 'a flow/b*.plumb\n', TEST: 'false', RENDER: 'false' })
  t.equal(bad.status, 1)
  t.match(bad.stdout, "::error file=a flow/bad.plumb,line=2,col=27,title=unknown_name::no binding is named 'thrice'\n")
  const failing = runIn(directory, look, [], { SPECS: 'none/*.plumb' })
  t.match(failing, { status: 1, stdout: "::error::no spec matches 'none/*.plumb'\n" })
  const hostile = runIn(directory, look, [], { SPECS: '$(touch owned); touch owned', TEST: 'false' })
  t.equal(hostile.status, 1)
  t.notOk(existsSync(join(directory, 'owned')), 'an input is never a script')
})

t.test('the action compares with a revision, as a comment', async (t) => {
  const look = join(ROOT, 'scripts/ci/look')
  const directory = newDirectory(t)
  const rated = (output: string) =>
    `let main : !string -> !string = map(if value = "a" then "${output}" else value)\n\ntest "@of <b>|rows" of main { given: ["a", "b"], expect: ["x", "b"], at_least: 0 }\n`
  writeFileSync(join(directory, 'a flow/rated.plumb'), rated('x'))
  const git = (...args: string[]) => runIn(directory, 'git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args])
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'one')
  writeFileSync(join(directory, 'a flow/rated.plumb'), rated('y'))
  const compared = runIn(directory, look, [], { AGAINST: 'HEAD', FORMAT: 'false', RENDER: 'false' })
  t.match(compared, { status: 0 }, compared.said)
  const comment = readFileSync(join(directory, 'plumb-comparison.md'), 'utf8')
  t.match(comment, /\| <code>HEAD<\/code> \| baseline \|/)
  t.match(comment, /\| <code>working copy<\/code> \| no difference seen \(would see ±\d+ %\) \| -50\.0 %/)
  t.notMatch(comment, /@of|<b>/, 'names are code')
  t.match(readFileSync(join(directory, 'output'), 'utf8'), 'comparison=plumb-comparison.md\n')
  t.match(readFileSync(join(directory, 'summary'), 'utf8'), comment)
  t.equal(runIn(directory, look, [], { AGAINST: 'HEAD', NO_WORSE: '0.1', FORMAT: 'false', RENDER: 'false' }).status, 1)
  t.equal(runIn(directory, look, [], { AGAINST: '--help', FORMAT: 'false', RENDER: 'false' }).status, 1)
})

t.test('its inputs are what the step reads', async (t) => {
  const action = readFileSync('action.yml', 'utf8')
  const inputs = [...(/^inputs:\n([\s\S]*?)^outputs:/m.exec(action)?.[1] ?? '').matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name)
  const read = readFileSync('scripts/ci/look', 'utf8')
  t.ok(inputs.length > 4)
  for (const name of inputs) {
    t.match(action, new RegExp(`${name.toUpperCase()}: \\$\\{\\{ inputs\\.${name} \\}\\}`))
    t.match(read, new RegExp(`\\b${name.toUpperCase()}\\b`))
  }
})

const preCommit = join(process.env.PLUMB_OTHERS ?? '', 'ci/bin/pre-commit')
t.test(
  'pre-commit runs the hooks',
  { skip: existsSync(preCommit) ? false : 'pre-commit is not here (scripts/install-others)' },
  async (t) => {
    const hooks = newDirectory(t)
    const work = newDirectory(t)
    const git = (directory: string, ...args: string[]) =>
      runIn(directory, 'git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args])
    for (const directory of [hooks, work]) git(directory, 'init', '-q')
    copyFileSync('.pre-commit-hooks.yaml', join(hooks, '.pre-commit-hooks.yaml'))
    git(hooks, 'add', '.')
    git(hooks, 'commit', '-qm', 'hooks')
    const rev = git(hooks, 'rev-parse', 'HEAD').stdout.trim()
    const ids = [...readFileSync('.pre-commit-hooks.yaml', 'utf8').matchAll(/^- id: (.*)$/gm)].map(([, id = '']) => id)
    const config = `repos:\n  - repo: ${hooks}\n    rev: ${rev}\n    hooks:\n${ids.map((id) => `      - id: ${id}\n`).join('')}`
    writeFileSync(join(work, '.pre-commit-config.yaml'), config)
    writeFileSync(join(work, 'a flow/good.plumb'), GOOD)
    git(work, 'add', '.')
    const passed = runIn(work, preCommit, ['run'])
    t.equal(passed.status, 0, passed.said)
    t.equal((passed.said.match(/Passed/g) ?? []).length, ids.length)
    writeFileSync(join(work, 'a flow/good.plumb'), GOOD.replace('[2]', '[3]'))
    git(work, 'add', '.')
    const failed = runIn(work, preCommit, ['run'])
    t.equal(failed.status, 1)
    t.match(failed.said, /plumb test\.+Failed/)
  },
)
