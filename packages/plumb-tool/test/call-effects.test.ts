// The effects that tools have, and what a call of a tool reaches.

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { compile, hasErrors, toolsOf } from '@plumb/lang'
import { builtinEffects, type Effect, effectsOf } from '@plumb/policy'
import { bundledFiles } from '@plumb/wire'
import t from 'tap'
import { settingsOf } from '../src/call/settings.js'
import { aliasesOf } from '../src/source/builtin/aliases.js'
import { builtinTool } from '../src/source/builtin/builtin-tool.js'
import { builtinDeclaration } from '../src/source/builtin/declarations.js'
import { BUILTINS } from '../src/source/builtin/table.js'
import { openCall, openSession } from './call-session.js'
import { makeTestDirectory } from './source-directory.js'

const SPEC = `
type N = { n: int }
let server = { command: "server", args: ["--stdio"] }
@tool true
let inline : N -> N = map({ n: n })
let cmd : { arguments?: [string] } -> string = tool { command: "git status" }
let fun : N -> N = tool { function: "./f.js#f" }
let far : N -> N = tool { mcp: "https://host/mcp", name: "x" }
let near : N -> N = tool { mcp: server, name: "x" }
let file : string -> string = tool { agent: "a.md", effects: ["net"] }
let read : { path: string } -> json = tool { builtin: "read_file" }
let write : { path: string, content: string } -> json = tool { builtin: "write_file", retry: 2, timeout: 1, cache: 3, breaker: {}, approval: "ask", max_output: 5 }
let more : N -> N = tool { mock: { n: 1 }, effects: ["net.private"] }
let watched : N -> N = tool { spy: inline, record: "calls.jsonl" }
let pooled : N -> N = tool { pool: [fun, far] }
@tool true
let both : N -> N = inline ; (far + trace(near, max: 2))
let helper : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [asked, cmd], mcp: [{ url: "http://localhost/mcp" }] }
let asked : string -> string = tool { process: helper }
let other : !string -> !string = agent { command: ["./x"] }
let body : !string -> !string = plumb(input, output) {
  input ; other ; output
}
let lowered : string -> string = tool { process: body }
let same : string -> string = tool { process: id }
let shaky : N -> N = tool { flaky: inline, rate: 0.5 }
`

t.test('effects are fixed by what a tool is made of', async (t) => {
  const files = bundledFiles({ entry: 'a.plumb', files: { 'a.plumb': SPEC }, modules: {} })
  const { program, diagnostics } = compile({ path: 'a.plumb', text: SPEC, files })
  t.notOk(hasErrors(diagnostics), JSON.stringify(diagnostics.map(({ message }) => message)))
  const plans = new Map(toolsOf(program).map((plan) => [plan.name, plan]))
  const settings = (name: string) => {
    const plan = plans.get(name)
    if (!plan) throw new Error(name)
    return settingsOf(plan, effectsOf(plan))
  }
  const cases: [name: string, effects: Effect[], attempts: number, timeoutMs: number | undefined][] = [
    ['inline', [], 1, undefined],
    ['cmd', ['exec'], 1, 60_000],
    ['fun', ['exec'], 1, 30_000],
    ['far', ['net'], 3, undefined],
    ['near', ['exec'], 1, undefined],
    ['file', ['fs.read', 'net', 'model'], 3, 30_000],
    ['read', ['fs.read'], 3, 30_000],
    ['write', ['fs.write'], 2, 1000],
    ['more', ['net', 'net.private'], 3, 30_000],
    ['watched', ['fs.write'], 1, undefined],
    ['pooled', ['net', 'exec'], 1, undefined],
    ['both', ['net', 'exec'], 1, undefined],
    ['asked', ['net', 'exec', 'model'], 1, 30_000],
    ['lowered', ['exec', 'model'], 1, 30_000],
    ['same', ['model'], 3, 30_000],
    ['shaky', [], 3, undefined],
  ]
  for (const [name, effects, attempts, timeoutMs] of cases) {
    const found = settings(name)
    t.strictSame([found.effects, found.attempts, found.timeoutMs], [effects, attempts, timeoutMs], name)
  }
  t.match(settings('write'), { cacheMs: 3000, breaker: { failures: 5, resetMs: 60_000 }, needsApproval: true, maxOutput: 5 })
  t.equal(settings('cmd').maxOutput, 10_000)
  t.strictSame([settings('both').deferred, settings('asked').deferred, settings('cmd').deferred], ['parts', 'targets', undefined])
})

t.test('every built-in has an effect, by all its names, and nothing else has', async (t) => {
  for (const { name } of BUILTINS) {
    for (const known of [name, ...aliasesOf(name)]) {
      t.ok(builtinEffects(known).length > 0, known)
      t.strictSame(builtinEffects(known), builtinEffects(name), `${known} is ${name}`)
    }
  }
  t.strictSame(builtinEffects('constructor'), [])
})

t.test('what a call reaches, by what its input says', async (t) => {
  const directory = makeTestDirectory({ 'docs/real/x': '', 'own/a': '' })
  symlinkSync('real', join(directory, 'docs/link'))
  const call = openCall(openSession({ docroot: join(directory, 'docs') }))
  const roots = { docs: '.', own: '../own' }
  const patch = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n*** Move to: new/x\n*** Delete File: real/y\n*** End Patch`
  const cases: [tool: string, input: object, paths: string[], written?: string[]][] = [
    ['read_file', { path: 'a/../b' }, ['docs/b']],
    ['read_file', { path: 'link/x' }, ['docs/link/x', 'docs/real/x']],
    ['read_file', { path: 'a', root: 'own' }, ['own/a']],
    ['read_file', { path: join(directory, 'own/a') }, ['own/a']],
    ['read_file', { path: '../../etc' }, ['../etc']],
    ['read_file', { path: 'a', root: 'none' }, []],
    ['grep', { pattern: 'x' }, ['docs']],
    ['glob', { pattern: 'x', root: 'own' }, ['own']],
    ['write_file', { path: 'link/new', content: '' }, ['docs/link/new', 'docs/real/new'], ['docs/real/new']],
    ['append_to_file', { path: '../x', content: '' }, ['x'], []],
    ['delete_file', { path: 'link' }, ['docs/link', 'docs/real'], ['docs/link']],
    ['make_directory', { path: 'a/b' }, ['docs/a/b'], ['docs/a/b']],
    ['apply_patch', { patch: patch('a'), root: 'own' }, ['own/a', 'own/new/x', 'own/real/y'], ['own/a', 'own/new/x', 'own/real/y']],
    ['apply_patch', { patch: 'none' }, []],
    ['index_code', { root: 'own' }, ['own', 'own/.code_index/default.sqlite'], ['own/.code_index/default.sqlite']],
    ['index_code', { root: 'real' }, ['docs/real', 'docs/.code_index/real.sqlite'], ['docs/.code_index/real.sqlite']],
    ['index_code', { root: '../..' }, ['..']],
    ['code_search', { query: 'x' }, []],
  ]
  const reachedBy = async (tool: string, input: object, own = roots as object) => {
    const plan = builtinDeclaration(tool)
    const made = plan && builtinTool(plan, { builtin: tool, roots: { ...own } })
    if (!made?.ok) throw new Error(tool)
    return made.value.targetsOf(JSON.stringify(input), call)
  }
  for (const [tool, input, paths, written = []] of cases) {
    const absolute = (path: string) => join(directory, path)
    const expected = { written: written.map(absolute), ...(paths.length === 0 ? {} : { paths: paths.map(absolute) }) }
    t.strictSame(await reachedBy(tool, input), expected, `${tool} ${JSON.stringify(input)}`)
  }
  const fds = await reachedBy('read_file', { path: '/proc/self/fd' })
  t.strictSame(fds, { paths: ['/proc/self/fd', `/proc/${process.pid}/fd`], written: [] })
  t.strictSame(await reachedBy('http_get', { url: 'https://User@API.example.org.:8080/x' }), { hosts: ['api.example.org'], written: [] })
  t.strictSame(await reachedBy('webpage_to_markdown', { url: 'no url' }), { written: [] })
})
