// Policies and what else says who may do what: a text is refused in words or taken as it stands, and a deny is final.

import { EFFECTS, parseContext, parseGrant, permit, readAuthority, readPolicy } from '../../../packages/policy/src/index.js'
import { type Fault, isCode } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const json = (value: unknown): string => JSON.stringify(value)

const refused = ({ error, detail }: Fault): void => must(isCode(error) && detail !== '', 'a refusal says nothing')

const attempt = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const SUBJECTS = [
  { tool: 'read_file', effects: ['fs.read'], paths: ['/docs/a.txt', '/docs/.env'] },
  { tool: 'http_get', effects: ['net'], hosts: ['example.org', 'a.example.org'] },
  { tool: 'sh', effects: ['exec', 'fs.write', 'net.private'] },
  { tool: 'constructor', effects: [] },
  { tool: 'x', effects: ['model'], deferred: 'targets' },
] as const

export const policy: Target = {
  name: 'policy',
  seeds: [
    json([
      { decision: 'allow', effect: 'fs.read', path: '/docs/**' },
      { decision: 'deny', path: '**/.env' },
      { decision: 'ask', tool: 'sh*' },
    ]),
    json([
      { decision: 'allow', host: '*.example.org', when: { environment: 'prod', hours: '9-17', weekend: false } },
      { decision: 'allow' },
    ]),
    json({ grant: ['fs.read', 'net'], policy: [{ decision: 'deny', effect: 'exec' }], context: { environment: 'prod' }, expires: 5e12 }),
    json({ policy: [], context: {} }),
    'fs.read,net , exec,,net.private\nenvironment=prod\nhours=1\n=x\na=b=c',
  ],
  words: [
    ...[
      '"decision":',
      '"allow"',
      '"deny"',
      '"ask"',
      '"tool":',
      '"effect":',
      '"path":',
      '"host":',
      '"when":{',
      '"hours":"',
      '"9-17"',
      '"22-6"',
      '"0-24"',
      '"24-0"',
      '"-"',
      '"grant":[',
    ],
    ...[
      '"policy":[',
      '"context":{',
      '"expires":',
      ...EFFECTS.map(json),
      '"**/"',
      '"*"',
      '"**"',
      '"[a-"',
      '"\\\\"',
      '"***************a"',
      ',',
      '{',
      '}',
      '[',
      ']',
      '"__proto__":',
      '"constructor":',
    ],
  ],
  cases: 900,
  maxBytes: 4000,
  judge: (input, random) => {
    const text = input.toString('utf8')
    const words = text.split('\n')
    for (const result of [parseGrant(words), parseContext(words)]) if (!result.ok) refused(result.error)
    const rules = readPolicy(text)
    const authority = readAuthority(attempt(text))
    if (!rules.ok) refused(rules.error)
    if (!authority.ok) refused(authority.error)
    const given = authority.ok ? authority.value : { policy: rules.ok ? rules.value : [], context: { environment: 'prod' } }
    for (const subject of SUBJECTS) {
      const permission = permit(subject, given, 1_700_000_000_000 + random.below(86_400_000))
      if (permission.kind === 'deny') refused(permission.fault)
      const strict = permit(subject, { ...given, policy: [...given.policy, { decision: 'deny' }] }, 0)
      must(strict.kind === 'deny', 'a deny at the end is not final')
    }
  },
}
