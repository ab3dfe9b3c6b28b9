// Fault 95: who may call what. Grants, policies, contexts, expiry, hand-down, and the effects that tools have.

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { compile, hasErrors, toolsOf } from '@plumb/lang'
import { bundledFiles } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import {
  type Authority,
  builtinEffects,
  EFFECTS,
  type Effect,
  effectsOf,
  isOffered,
  narrow,
  type PolicyRule,
  parseContext,
  parseGrant,
  permit,
  readAuthority,
  readPolicy,
  type Subject,
} from '../src/call/permit.js'
import { settingsOf } from '../src/call/settings.js'
import { builtinTool } from '../src/source/builtin/builtin-tool.js'
import { builtinDeclaration } from '../src/source/builtin/declarations.js'
import { BUILTINS } from '../src/source/builtin/table.js'
import { codeOf, openCall, openSession } from './call-session.js'
import { makeFolder } from './source-folder.js'

const NOON = new Date(2026, 4, 4, 12, 0).getTime()
const authority = (parts: Partial<Authority> = {}): Authority => ({ policy: [], context: {}, ...parts })
const allow = (parts: Partial<PolicyRule> = {}): PolicyRule => ({ decision: 'allow', ...parts })
const ask = (parts: Partial<PolicyRule> = {}): PolicyRule => ({ decision: 'ask', ...parts })
const deny = (parts: Partial<PolicyRule> = {}): PolicyRule => ({ decision: 'deny', ...parts })

t.test('fault 95: grants', async (t) => {
  const cases: [effects: Effect[], grant: Effect[] | undefined, kind: string, detail?: RegExp][] = [
    [[], undefined, 'allow'],
    [[], [], 'allow'],
    [['fs.read', 'fs.write', 'net', 'exec', 'model'], undefined, 'allow'],
    [['net', 'net.private'], undefined, 'deny', /declaring a tool never grants that: say --grant/],
    [['net', 'net.private'], ['net.private'], 'allow'],
    [['net.private'], ['net'], 'deny', /'probe' has the effect net\.private, and only net is granted/],
    [['exec'], ['fs.read', 'net'], 'deny', /has the effect exec, and only fs\.read, net is granted: add it to --grant/],
    [['exec'], [], 'deny', /nothing with an effect is granted/],
    [['fs.read', 'exec'], ['fs.read'], 'deny', /exec/],
    [['fs.read'], ['fs.read'], 'allow'],
  ]
  for (const [effects, grant, kind, detail] of cases) {
    const permission = permit({ tool: 'probe', effects }, authority(grant ? { grant } : {}), NOON)
    t.equal(permission.kind, kind, `${effects} by ${grant}`)
    if (permission.kind !== 'deny') continue
    t.match(permission.fault, { error: 'permission_denied', category: 'denied', tool: 'probe' })
    t.match(permission.fault.detail, detail ?? /./)
  }
})

t.test('fault 95: policies', async (t) => {
  const prod = { environment: 'prod' }
  const at = (hours: string) => ({ when: { hours } })
  const cases: [name: string, policy: PolicyRule[], subject: Partial<Subject>, context: Record<string, string>, kind: string][] = [
    ['what no rule allows is denied', [allow({ effect: 'net' })], {}, {}, 'deny'],
    ['but a tool without effects needs no rule', [allow({ effect: 'net' })], { effects: [] }, {}, 'allow'],
    ['and may be denied by its name', [deny({ tool: 'pro*' }), allow()], { effects: [] }, {}, 'deny'],
    ['the first that fits decides', [ask(), allow()], {}, {}, 'ask'],
    ['the first that fits decides', [allow(), ask()], {}, {}, 'allow'],
    ['a deny is final wherever it stands', [allow(), deny({ effect: 'exec' })], {}, {}, 'deny'],
    ['of several effects each is judged', [allow({ effect: 'exec' })], { effects: ['exec', 'net'] }, {}, 'deny'],
    ['of several effects each is judged', [allow({ effect: 'exec' }), ask()], { effects: ['exec', 'net'] }, {}, 'ask'],
    ['by name', [allow({ tool: 'probe' })], {}, {}, 'allow'],
    ['by name', [allow({ tool: 'prob' })], {}, {}, 'deny'],
    ['a name is no pattern but for *', [allow({ tool: 'prob.' })], {}, {}, 'deny'],
    ['context that holds', [deny({ when: prod }), allow()], {}, prod, 'deny'],
    ['context that does not', [deny({ when: prod }), allow()], {}, { environment: 'test' }, 'allow'],
    ['context that is not known denies', [deny({ when: prod }), allow()], {}, {}, 'deny'],
    ['context that is not known allows nothing', [allow({ when: prod })], {}, {}, 'deny'],
    ['context that is not known asks', [ask({ when: prod }), allow()], {}, {}, 'ask'],
    [
      'one that does not hold weighs more',
      [deny({ when: { ...prod, sensitivity: 'pii' } }), allow()],
      {},
      { environment: 'test' },
      'allow',
    ],
    ['a flag', [allow({ when: { user_present: true } })], {}, { user_present: 'true' }, 'allow'],
    ['a flag', [allow({ when: { user_present: true } })], {}, { user_present: 'false' }, 'deny'],
    ['no name of a prototype is context', [allow({ when: { constructor: true } })], {}, {}, 'deny'],
    ['within hours', [allow(at('9-17'))], {}, {}, 'allow'],
    ['out of hours', [allow(at('13-17'))], {}, {}, 'deny'],
    ['the last hour does not count', [allow(at('9-12'))], {}, {}, 'deny'],
    ['minutes', [allow(at('11:30-12:01'))], {}, {}, 'allow'],
    ['over midnight', [allow(at('22-13'))], {}, {}, 'allow'],
    ['over midnight', [allow(at('22-6'))], {}, {}, 'deny'],
    ['a path', [allow({ path: '/docs/**' })], { effects: ['fs.read'], paths: ['/docs/a/b'] }, {}, 'allow'],
    ['a folder means what is in it', [allow({ path: '/docs/' })], { effects: ['fs.read'], paths: ['/docs/a/b'] }, {}, 'allow'],
    ['a folder means itself', [allow({ path: '/docs/**' })], { effects: ['fs.read'], paths: ['/docs'] }, {}, 'deny'],
    ['a twin is another', [allow({ path: '/docs' })], { effects: ['fs.read'], paths: ['/docs-evil/a'] }, {}, 'deny'],
    ['each path counts', [allow({ path: '/docs' })], { effects: ['fs.read'], paths: ['/docs/a', '/etc/passwd'] }, {}, 'deny'],
    ['at any depth', [deny({ path: '*.key' }), allow()], { effects: ['fs.read'], paths: ['/docs/a/b.key'] }, {}, 'deny'],
    ['within a name', [deny({ path: '/d/*.key' }), allow()], { effects: ['fs.read'], paths: ['/d/a/b.key'] }, {}, 'allow'],
    ['across folders', [deny({ path: '/d/**/b.key' }), allow()], { effects: ['fs.read'], paths: ['/d/b.key'] }, {}, 'deny'],
    ['a path that is not known allows nothing', [allow({ path: '/docs' })], { effects: ['fs.read'] }, {}, 'deny'],
    ['a path that is not known denies', [deny({ path: '/etc' }), allow()], { effects: ['fs.read'] }, {}, 'deny'],
    ['a path says nothing of a program', [deny({ path: '/etc' }), allow()], { effects: ['exec'] }, {}, 'allow'],
    ['a host', [allow({ host: '*.Example.org' })], { effects: ['net'], hosts: ['api.example.org'] }, {}, 'allow'],
    ['a host', [allow({ host: '*.example.org' })], { effects: ['net'], hosts: ['example.org.evil.net'] }, {}, 'deny'],
    ['a host says nothing of files', [allow({ host: '*' })], { effects: ['fs.read'], hosts: ['a'] }, {}, 'deny'],
    ['judged later: what it reaches', [allow({ path: '/docs' })], { effects: ['fs.read'], judgedLater: 'targets' }, {}, 'allow'],
    ['judged later: what it reaches', [deny({ path: '/etc' }), allow()], { effects: ['fs.read'], judgedLater: 'targets' }, {}, 'allow'],
    ['judged later: but not whether it runs', [ask({ effect: 'exec' })], { judgedLater: 'targets' }, {}, 'ask'],
    ['parts ask for themselves', [ask({ effect: 'exec' })], { judgedLater: 'parts' }, {}, 'allow'],
    ['a composition is asked for by name', [ask({ tool: 'probe' })], { judgedLater: 'parts' }, {}, 'ask'],
    ['parts are denied before the first of them runs', [deny({ effect: 'exec' }), allow()], { judgedLater: 'parts' }, {}, 'deny'],
  ]
  for (const [name, policy, subject, context, kind] of cases) {
    const { kind: found } = permit({ tool: 'probe', effects: ['exec'], ...subject }, authority({ policy, context }), NOON)
    t.equal(found, kind, `${name}: ${JSON.stringify(policy)}`)
  }
  t.notOk(isOffered({ tool: 'probe', effects: ['exec'] }, authority({ policy: [deny({ when: prod })], context: prod }), NOON))
  t.ok(isOffered({ tool: 'probe', effects: ['exec'] }, authority({ policy: [ask()] }), NOON), 'what is asked for is offered')
})

t.test('fault 95: a grant ends, and is not widened on its way down', async (t) => {
  const giver = authority({ grant: ['fs.read', 'net'], policy: [allow()], context: { a: 'b' } })
  t.strictSame(narrow(giver, { now: 0 }), { ...giver, expires: 900_000 })
  t.strictSame(narrow(giver, { grant: ['net', 'exec', 'net.private'], now: 0 }).grant, ['net'])
  t.strictSame(
    narrow(authority(), { grant: ['exec', 'net.private'], now: 0 }).grant,
    ['net', 'exec'],
    'the text of a spec grants no private addresses',
  )
  t.equal(narrow(authority(), { now: 0 }).grant, undefined)
  t.equal(narrow(authority(), { minutes: 600, now: 0 }).expires, 3_600_000, 'an hour at most')
  t.equal(narrow(authority({ expires: 5 }), { now: 0 }).expires, 5, 'and not longer than its giver')
  const spent = permit({ tool: 'probe', effects: [] }, authority({ expires: NOON - 1 }), NOON)
  t.match(spent, { kind: 'deny', fault: { error: 'permission_denied', detail: /the grant has expired/ } })
  t.equal(permit({ tool: 'probe', effects: [] }, authority({ expires: NOON }), NOON).kind, 'allow')
})

t.test('fault 95: no hand-down permits what its giver does not', async () => {
  const effects = fc.subarray([...EFFECTS])
  const rule = fc.record(
    {
      decision: fc.constantFrom('allow', 'ask', 'deny'),
      tool: fc.constantFrom('probe', 'p*', 'other'),
      effect: fc.constantFrom(...EFFECTS),
      path: fc.constantFrom('/a', 'b', '/a/**'),
      when: fc.constantFrom({ hours: '9-17' }, { place: 'here' }),
    },
    { requiredKeys: ['decision'] },
  ) as fc.Arbitrary<PolicyRule>
  const givers = fc.record({
    grant: fc.option(effects),
    policy: fc.array(rule, { maxLength: 4 }),
    expires: fc.option(fc.integer({ min: 0, max: 10 })),
  })
  const rank = { allow: 2, ask: 1, deny: 0 }
  fc.assert(
    fc.property(givers, fc.option(effects), effects, fc.integer({ min: 0, max: 10 }), ({ grant, policy, expires }, own, wanted, now) => {
      const giver = authority({ policy, ...(grant ? { grant } : {}), ...(expires === null ? {} : { expires }) })
      const child = narrow(giver, { ...(own ? { grant: own } : {}), now: 0 })
      const subject = { tool: 'probe', effects: wanted, paths: ['/a/b'] }
      const [given, had] = [permit(subject, child, now), permit(subject, giver, now)]
      const again = readAuthority(JSON.parse(JSON.stringify(child)))
      return rank[given.kind] <= rank[had.kind] && again.ok && permit(subject, again.value, now).kind === given.kind
    }),
  )
})

t.test('grants, contexts and policies as they are written', async (t) => {
  t.strictSame(parseGrant(['net, fs.read', 'exec']), { ok: true, value: ['fs.read', 'net', 'exec'] })
  t.strictSame(parseGrant(['']), { ok: true, value: [] })
  t.match(parseGrant(['fs.raed,exce']), {
    error: { error: 'usage', detail: /'fs\.raed' is no effect, did you mean 'fs\.read'\?; .*'exce'/ },
  })
  t.strictSame(parseContext(['a=b=c', 'a=d', '__proto__=x']), {
    ok: true,
    value: Object.assign(Object.create(null), { a: 'd', ['__proto__']: 'x' }),
  })
  t.match(parseContext(['a', '=b', 'hours=3']), {
    error: { error: 'usage', detail: /found 'a'; .*found '=b'; .*'hours' is what the clock says/ },
  })
  const rules: PolicyRule[] = [
    deny({ tool: 'rm*', when: { hours: '9-17', user_present: false } }),
    allow({ effect: 'net', host: '*', path: '/a' }),
  ]
  t.strictSame(readPolicy(JSON.stringify(rules)), { ok: true, value: rules })
  const wrong: [policy: unknown, detail: RegExp][] = [
    [{}, /it is a list of rules, found {}/],
    [[{ effect: 'net' }], /rule 1: needs a 'decision'/],
    [
      [{ decision: 'maybe' }, { decision: 'deny', efect: 'net' }],
      /rule 1: 'decision' takes .*rule 2: unknown key 'efect', did you mean 'effect'\?/,
    ],
    [[{ decision: 'deny', effect: 'fs' }], /'effect' takes one of fs\.read/],
    [[{ decision: 'deny', when: { hours: '9' } }], /'hours' takes hours such as "9-17", found "9"/],
    [[{ decision: 'deny', when: { hours: '9-25' } }], /'hours'/],
    [[{ decision: 'deny', when: { a: 1 } }], /takes strings and booleans, found 1 for 'a'/],
    [[{ decision: 'deny', constructor: 1 }], /unknown key 'constructor'/],
    [['deny'], /rule 1: takes an object/],
  ]
  for (const [policy, detail] of wrong) t.match(readPolicy(JSON.stringify(policy)), { error: { error: 'config_invalid', detail } })
  t.equal(codeOf(readPolicy('[')), 'config_invalid')
  for (const value of [
    null,
    {},
    { policy: [], context: { a: 1 } },
    { policy: [], context: {}, grant: ['all'] },
    { policy: [{}], context: {} },
  ])
    t.equal(codeOf(readAuthority(value)), 'config_invalid', JSON.stringify(value))
})

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
  const { program, diagnostics } = compile({ path: 'a.plumb', text: SPEC }, files)
  t.notOk(hasErrors(diagnostics), JSON.stringify(diagnostics.map(({ message }) => message)))
  const plans = new Map(toolsOf(program).map((plan) => [plan.name, plan]))
  const settings = (name: string) => {
    const plan = plans.get(name)
    if (!plan) throw new Error(name)
    return settingsOf(plan, effectsOf(plan, builtinEffects))
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
  t.match(settings('write'), { cacheMs: 3000, breaker: { failures: 5, resetMs: 60_000 }, isApprovalAsked: true, maxOutput: 5 })
  t.equal(settings('cmd').maxOutput, 10_000)
  t.strictSame([settings('both').judgedLater, settings('asked').judgedLater, settings('cmd').judgedLater], ['parts', 'targets', undefined])
})

t.test('every built-in has an effect, by all its names, and nothing else has', async (t) => {
  for (const { name, aliases = [] } of BUILTINS) {
    for (const known of [name, ...aliases]) {
      t.ok(builtinEffects(known).length > 0, known)
      t.strictSame(builtinEffects(known), builtinEffects(name), `${known} is ${name}`)
    }
  }
  t.strictSame(builtinEffects('constructor'), [])
})

t.test('what a call reaches, by what its input says', async (t) => {
  const folder = makeFolder({ 'docs/real/x': '', 'own/a': '' })
  symlinkSync('real', join(folder, 'docs/link'))
  const call = openCall(openSession({ docroot: join(folder, 'docs') }))
  const roots = { docs: '.', own: '../own' }
  const patch = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n*** Move to: new/x\n*** Delete File: real/y\n*** End Patch`
  const cases: [tool: string, input: object, paths: string[], written?: string[]][] = [
    ['read_file', { path: 'a/../b' }, ['docs/b']],
    ['read_file', { path: 'link/x' }, ['docs/link/x', 'docs/real/x']],
    ['read_file', { path: 'a', root: 'own' }, ['own/a']],
    ['read_file', { path: join(folder, 'own/a') }, ['own/a']],
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
    const absolute = (path: string) => join(folder, path)
    const expected = { written: written.map(absolute), ...(paths.length === 0 ? {} : { paths: paths.map(absolute) }) }
    t.strictSame(await reachedBy(tool, input), expected, `${tool} ${JSON.stringify(input)}`)
  }
  const fds = await reachedBy('read_file', { path: '/proc/self/fd' })
  t.strictSame(fds, { paths: ['/proc/self/fd', `/proc/${process.pid}/fd`], written: [] })
  t.strictSame(await reachedBy('http_get', { url: 'https://User@API.example.org.:8080/x' }), { hosts: ['api.example.org'], written: [] })
  t.strictSame(await reachedBy('webpage_to_markdown', { url: 'no url' }), { written: [] })
})
