// Fault 95: who may call what. Grants, policies, contexts, expiry, hand-down, and the consent of a person.

import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Result } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { holds } from '../../wire/test/property.js'
import {
  type Authority,
  EFFECTS,
  type Effect,
  isOffered,
  narrow,
  type PolicyRule,
  parseContext,
  parseGrant,
  permit,
  readAuthority,
  readPolicy,
  type Subject,
  terminalApproval,
} from '../src/index.js'

const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.error.error)
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
    ['of several effects each is checked', [allow({ effect: 'exec' })], { effects: ['exec', 'net'] }, {}, 'deny'],
    ['of several effects each is checked', [allow({ effect: 'exec' }), ask()], { effects: ['exec', 'net'] }, {}, 'ask'],
    ['by name', [allow({ tool: 'probe' })], {}, {}, 'allow'],
    ['by name', [allow({ tool: 'prob' })], {}, {}, 'deny'],
    ['a name is not a pattern but for *', [allow({ tool: 'prob.' })], {}, {}, 'deny'],
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
    ['a directory means what is in it', [allow({ path: '/docs/' })], { effects: ['fs.read'], paths: ['/docs/a/b'] }, {}, 'allow'],
    ['a directory means itself', [allow({ path: '/docs/**' })], { effects: ['fs.read'], paths: ['/docs'] }, {}, 'deny'],
    ['a directory whose name begins alike', [allow({ path: '/docs' })], { effects: ['fs.read'], paths: ['/docs-evil/a'] }, {}, 'deny'],
    ['each path counts', [allow({ path: '/docs' })], { effects: ['fs.read'], paths: ['/docs/a', '/etc/passwd'] }, {}, 'deny'],
    ['at any depth', [deny({ path: '*.key' }), allow()], { effects: ['fs.read'], paths: ['/docs/a/b.key'] }, {}, 'deny'],
    ['within a name', [deny({ path: '/d/*.key' }), allow()], { effects: ['fs.read'], paths: ['/d/a/b.key'] }, {}, 'allow'],
    ['across directories', [deny({ path: '/d/**/b.key' }), allow()], { effects: ['fs.read'], paths: ['/d/b.key'] }, {}, 'deny'],
    ['a path that is not known allows nothing', [allow({ path: '/docs' })], { effects: ['fs.read'] }, {}, 'deny'],
    ['a path that is not known denies', [deny({ path: '/etc' }), allow()], { effects: ['fs.read'] }, {}, 'deny'],
    ['a path says nothing of a program', [deny({ path: '/etc' }), allow()], { effects: ['exec'] }, {}, 'allow'],
    ['a host', [allow({ host: '*.Example.org' })], { effects: ['net'], hosts: ['api.example.org'] }, {}, 'allow'],
    ['a host', [allow({ host: '*.example.org' })], { effects: ['net'], hosts: ['example.org.evil.net'] }, {}, 'deny'],
    ['a host says nothing of files', [allow({ host: '*' })], { effects: ['fs.read'], hosts: ['a'] }, {}, 'deny'],
    ['decided later: what it reaches', [allow({ path: '/docs' })], { effects: ['fs.read'], deferred: 'targets' }, {}, 'allow'],
    ['decided later: what it reaches', [deny({ path: '/etc' }), allow()], { effects: ['fs.read'], deferred: 'targets' }, {}, 'allow'],
    ['decided later: but not whether it runs', [ask({ effect: 'exec' })], { deferred: 'targets' }, {}, 'ask'],
    ['parts ask for themselves', [ask({ effect: 'exec' })], { deferred: 'parts' }, {}, 'allow'],
    ['a composition is asked for by name', [ask({ tool: 'probe' })], { deferred: 'parts' }, {}, 'ask'],
    ['parts are denied before the first of them runs', [deny({ effect: 'exec' }), allow()], { deferred: 'parts' }, {}, 'deny'],
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

t.test('fault 95: no hand-down permits what its giver does not', async (t) => {
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
  await holds(
    t,
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
    error: { error: 'usage', detail: /'fs\.raed' is not an effect, did you mean 'fs\.read'\?; .*'exce'/ },
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

t.test('at a terminal: one question at a time, yes is yes, no person is no', async (t) => {
  const { signal } = new AbortController()
  t.equal(await terminalApproval(() => undefined)({ tool: 'rm', input: '1' }, signal), undefined)
  const input = '{"text":"\u202ehidden\u001b[2J"}'
  for (const [answer, said] of [
    ['y\n', true],
    ['YES\r\n', true],
    ['n\n', false],
    ['\n', false],
    ['yesterday\n', false],
    ['', false],
  ] as const) {
    const [keys, screen] = [new PassThrough(), new PassThrough()]
    const ask = terminalApproval(() => ({ input: keys, output: screen }))({ tool: 'rm', input }, signal)
    keys.end(answer)
    t.equal(await ask, said, JSON.stringify(answer))
    t.equal(String(screen.read()).trimEnd(), 'rm:\n  {"text":"\\u202ehidden\\u001b[2J"}\nallow \'rm\'? [y once, N no, e edit]')
  }
  const [keys, screen] = [new PassThrough(), new PassThrough()]
  const harmless = "\nread:\n  {}\nallow 'read'? [y once, N no, e edit] "
  const forged = terminalApproval(() => ({ input: keys, output: screen }))(
    { tool: 'rm', input: JSON.stringify(' '.repeat(2000) + harmless) },
    signal,
  )
  keys.end('n\n')
  t.equal(await forged, false)
  t.match(String(screen.read()), /^rm:\n {2}"[^\n]*\nallow 'rm'\? \[y once, N no, e edit\] $/, 'what scrolls away is named again')
  for (const name of ['VISUAL', 'EDITOR']) delete process.env[name]
  for (const [typed, said, shown] of [
    ['e\n{"n": 2}\n', { edited: '{"n":2}' }, /as JSON \(Enter leaves it as it is\): $/],
    ['edit\n\n', false, /: x:\n {2}n {2}1\nallow 'x'\? [^\n]*$/],
    ['e\n{"n":\n', false, /: x:\n {2}n {2}1\n {2}not changed: [^\n]+\nallow 'x'\? [^\n]*$/],
  ] as const) {
    const shows: string[] = []
    let keys: string = typed
    const ask = terminalApproval(() => {
      const [input, output] = [new PassThrough(), new PassThrough()]
      output.on('data', (text) => shows.push(String(text)))
      input.end(keys)
      keys = 'n\n'
      return { input, output }
    })
    t.strictSame(await ask({ tool: 'x', input: '{"n":1}' }, signal), said, typed)
    await setImmediate()
    t.match(shows.join(''), shown)
  }
  let open = 0
  const lines = [new PassThrough(), new PassThrough()]
  const ask = terminalApproval(() => ({ input: lines[open++] as PassThrough, output: new PassThrough() }))
  const controller = new AbortController()
  const [first, second] = [ask({ tool: 'a', input: '1' }, signal), ask({ tool: 'b', input: '1' }, controller.signal)]
  await setImmediate()
  t.equal(open, 1)
  lines[0]?.write('y\n')
  t.equal(await first, true)
  await setImmediate()
  t.equal(open, 2)
  controller.abort()
  t.equal(await second, false, 'it is no longer waited for')
})
