// Runs case files: run-cases.mjs [--filter TEXT] [--jobs N] [FILE|DIR]… (default: test/cases and test/long-cases)
//
// A case is one text file: a title line, a bash script, and sections that begin with a line `-- NAME --`:
//   stdout        what the script must print, to the byte
//   stdout.json   the same as JSON values, line by line, whatever the order of keys
//   stderr        lines that must each occur in what it prints there; after a `!`, that must not
//   exit          its exit status, 0 when there is no such section
//   needs         programs, one a line; where one is not installed the case is passed over with a word
//   other names   files to lay in the directory where it runs, which is new and its own; executable when they begin with `#!`
// The executables of packages/*/bin are first on PATH, and then the programs of test/bin. Prints what differs for each case that fails, then "N passed, N failed".

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { slowness } from '../scripts/slowness.mjs'

const HERE = dirname(fileURLToPath(import.meta.url))
const PACKAGES = join(HERE, '../packages')
/** Of one case, on a machine with nothing else to do. */
const LIMIT_MS = 30_000
const COMPARED = ['stdout', 'stdout.json', 'stderr', 'exit']
const SECTIONS = [...COMPARED, 'needs']

const readCase = (file) => {
  const [head = '', ...rest] = readFileSync(file, 'utf8').split(/^-- (\S+) --[ \t]*\n/m)
  const [title = '', ...script] = head.split('\n')
  const sections = new Map()
  for (let i = 0; i < rest.length; i += 2) sections.set(rest[i], rest[i + 1])
  return { title: title.replace(/^#\s*/, ''), script: script.join('\n'), sections }
}

/** Resolves to a list of what differs from the case's sections. */
const runCase = async ({ script, sections }, bins) => {
  if (!COMPARED.some((name) => sections.has(name))) return [`it compares nothing: it has none of the sections ${COMPARED.join(', ')}`]
  const directory = mkdtempSync(join(tmpdir(), 'plumb-case-'))
  try {
    for (const [name, text] of sections) if (!SECTIONS.includes(name)) layFile(join(directory, name), text)
    const env = { PATH: [...bins, process.env.PATH].join(':'), HOME: directory, TMPDIR: tmpdir(), LANG: 'C.UTF-8' }
    const limitMs = Math.round(LIMIT_MS * slowness())
    const result = await runScript(script, directory, env, limitMs)
    return result === 'late' ? [`did not end within ${limitMs / 1000} s`] : differences(sections, result)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const layFile = (path, text) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
}

const runScript = (script, cwd, env, limitMs) =>
  new Promise((resolve) => {
    const child = spawn('bash', ['-c', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const result = { stdout: '', stderr: '', exit: 0 }
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        result[name] += text
      })
    }
    const timer = setTimeout(() => {
      process.kill(-child.pid, 'SIGKILL')
      resolve('late')
    }, limitMs)
    child.on('close', (status) => {
      clearTimeout(timer)
      resolve({ ...result, exit: status })
    })
  })

const differences = (sections, { stdout, stderr, exit }) => {
  const found = []
  const expected = sections.get('stdout')
  if (expected !== undefined && stdout !== expected) found.push(`stdout is ${quote(stdout)}, not ${quote(expected)}`)
  const values = sections.get('stdout.json')
  if (values !== undefined) found.push(...differentValues(lines(stdout), lines(values)))
  for (const line of lines(sections.get('stderr') ?? '')) {
    const isAbsent = line.startsWith('!')
    const text = isAbsent ? line.slice(1) : line
    if (stderr.includes(text) === isAbsent) found.push(`stderr ${isAbsent ? 'has' : 'lacks'} ${quote(text)}: it is ${quote(stderr)}`)
  }
  const status = Number(sections.get('exit') ?? 0)
  if (exit !== status) found.push(`exit status is ${exit}, not ${status}; stderr is ${quote(stderr)}`)
  return found
}

const differentValues = (got, wanted) => {
  if (got.length !== wanted.length) return [`stdout has ${got.length} lines, not ${wanted.length}: ${quote(got.join('\n'))}`]
  return wanted.flatMap((line, i) =>
    isDeepStrictEqual(parse(got[i]), parse(line)) ? [] : [`stdout line ${i + 1} is ${quote(got[i])}, not ${quote(line)}`],
  )
}

/** Which of the programs that a case needs is not installed. */
const missing = (sections) =>
  lines(sections.get('needs') ?? '').find(
    (name) => !(process.env.PATH ?? '').split(':').some((directory) => existsSync(join(directory, name))),
  )

const lines = (text) => text.split('\n').filter((line) => line !== '')

const parse = (line) => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const quote = (text) => JSON.stringify(text.length > 600 ? `${text.slice(0, 600)}…` : text)

const caseFiles = (target) =>
  statSync(target).isDirectory()
    ? readdirSync(target, { recursive: true })
        .filter((name) => name.endsWith('.case'))
        .sort()
        .map((name) => join(target, name))
    : [target]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { filter: { type: 'string', default: '' }, jobs: { type: 'string', default: String(availableParallelism() + 1) } },
})
const bins = [...readdirSync(PACKAGES).map((name) => join(PACKAGES, name, 'bin')), join(HERE, 'bin')].filter((directory) =>
  existsSync(directory),
)
const targets = positionals.length > 0 ? positionals : ['cases', 'long-cases'].map((name) => join(HERE, name))
const queue = targets.flatMap(caseFiles).filter((file) => file.includes(values.filter))
const count = { passed: 0, failed: 0 }

const work = async () => {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const one = readCase(file)
    const program = missing(one.sections)
    if (program !== undefined) {
      console.log(`passed over ${relative('.', file)}: '${program}' is not installed`)
      continue
    }
    const found = await runCase(one, bins)
    if (found.length > 0) console.log(`not ok ${relative('.', file)}: ${one.title}\n  ${found.join('\n  ')}`)
    count[found.length > 0 ? 'failed' : 'passed']++
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work))
console.log(`${count.passed} passed, ${count.failed} failed`)
process.exitCode = count.failed > 0 || count.passed === 0 ? 1 : 0
