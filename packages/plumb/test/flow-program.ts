// Random programs with an untrusted atom and a secret one in what they read: agents with tools, prompts and control, chains, bodies, loops,
// lists, errors, params and ways across, labelled at random.

import fc from 'fast-check'
import {
  AGENT_KEYS,
  arbitraryConfigured,
  arbitraryRecursive,
  type ConfiguredTool,
  configuredText,
  FROM_RECURSIVE,
  intoRecursive,
  type ParamName,
  SANDBOXES,
  type SandboxName,
} from './flow-configured.js'
import { MARK, SECRET, TOOLS, type ToolName } from './flow-tools.js'

/** What all messages are, so that any two stages fit. */
const PRELUDE = `param stranger : untrusted string = "${MARK}"
param key : secret string = "${SECRET}"
param dear : string = "dear"
type M = { s: string, n: int, k: "x" | "y", l: [string], j: json }
type N = { path: string, content: string }
type P = { path: string, content: untrusted string }
`

export interface RandomProgram {
  readonly text: string
  /** The same, in which each way across does what it answers for: no atom of its kind is left behind it. */
  readonly crossed: string
  readonly agents: ReadonlyMap<string, RandomAgent>
  /** By name. */
  readonly configured: ReadonlyMap<string, ConfiguredTool>
  readonly input: keyof typeof INPUTS
  /** What leaves it may be secret. */
  readonly isOutputSecret: boolean
}

interface RandomAgent {
  readonly tools: readonly ToolName[]
  /** The param in its configuration, and in which key. */
  readonly told: { readonly param: ParamName; readonly key: keyof typeof AGENT_KEYS } | undefined
  readonly seesSecrets: boolean
  /** It makes chains of its tools. */
  readonly composes: boolean
  /** It is a program of its own, with this sandbox. */
  readonly program: SandboxName | undefined
  /** Anybody may set its memory. */
  readonly isOpenToControl: boolean
}

const string = fc.constantFrom(
  's',
  's',
  's + "!"',
  '"const"',
  'text(n)',
  'text(k)',
  'upper(s)',
  'if k = "x" then s else "c"',
  '$"of {s}"',
  'join(l, ",")',
  'text(j)',
  'dear + s',
  'stranger',
  'key',
)
const int = fc.constantFrom('n', 'n + 1', 'length(s)', '3', 'length(l)')
const kind = fc.constantFrom('k', 'k', '"x"', 'if n > 2 then "x" else "y"')
const list = fc.constantFrom('l', '[s]', '[x for x in l if n > 0]', 'reverse(l)', '["a", "b"]', 'sort(l)')
const json = fc.constantFrom('j', 's', '{ a: s }', 'n', '[l, k]', '1')
const record = fc.tuple(string, int, kind, list, json).map(([s, n, k, l, j]) => `{ s: ${s}, n: ${n}, k: ${k}, l: ${l}, j: ${j} }`)
const path = fc.constantFrom('s', '"a.txt"', 'text(n)', 'k', 'text(k) + ".txt"')

const CLEANED = (mark: string): string => {
  const clean = (text: string) => `replace(lower(${text}), "${mark}", "ok")`
  return `map({ s: ${clean('s')}, n: n, k: k, l: [${clean('x')} for x in l], j: ${clean('text(j)')} })`
}
const WAYS: readonly (readonly [string, string])[] = [
  ['endorse("we looked")', CLEANED(MARK)],
  ['declassify("it reports nothing")', CLEANED(SECRET)],
]

const WORDS = [
  '!M -> !M',
  '!M -> !M',
  '!M -> !M',
  '!untrusted M -> !untrusted M',
  '!M -> !untrusted M',
  '!untrusted secret M -> !untrusted secret M',
] as const
const CLOSED = ['!M -> !"x" | "y"', '!untrusted M -> !untrusted ("x" | "y")'] as const

const CONTROLLED = ['(!M, !json) -> !M', '(!M, !untrusted json) -> !untrusted M', '(!untrusted M, !json) -> !untrusted M'] as const

const FROM_TEXT = 'map({ s: value, n: length(value), k: if length(value) > 3 then "x" else "y", l: [value], j: value })'
const FROM_INT = 'map({ s: text(value), n: value, k: "x", l: [text(value)], j: value })'
const FROM_KIND = 'map({ s: value, n: 1, k: value, l: [value], j: value })'
const FROM_JSON = 'map({ s: text(value), n: 1, k: "x", l: [text(value)], j: value })'

const ALL = Object.keys(TOOLS) as ToolName[]
const traits = fc.record({
  tools: fc.oneof(fc.constant([]), fc.subarray(ALL, { maxLength: 1 }), fc.subarray(ALL, { maxLength: 3 })),
  told: fc
    .option(
      fc.record({
        param: fc.constantFrom<ParamName>('dear', 'stranger', 'key'),
        key: fc.constantFrom(...(Object.keys(AGENT_KEYS) as (keyof typeof AGENT_KEYS)[])),
      }),
      { freq: 2 },
    )
    .map((told) => told ?? undefined),
  seesSecrets: fc.boolean(),
  composes: fc.nat(3).map((n) => n === 0),
  program: fc.option(fc.constantFrom(...(Object.keys(SANDBOXES) as SandboxName[])), { freq: 1 }).map((name) => name ?? undefined),
})

interface Draft {
  readonly agents: (RandomAgent & { readonly name: string; readonly signature: string })[]
  readonly lines: string[]
  readonly configured: Map<string, ConfiguredTool>
}

const addAgent = (draft: Draft, signature: string, traits: Omit<RandomAgent, 'isOpenToControl'>): string => {
  const name = `agent${draft.agents.length + 1}`
  const isProgram = traits.program !== undefined
  draft.agents.push({
    name,
    signature,
    isOpenToControl: signature.includes('!untrusted json'),
    ...traits,
    ...(isProgram ? { tools: [], told: undefined } : {}),
    composes: traits.composes && !isProgram && traits.tools.length > 0,
  })
  return name
}

/** A stage from M to M. */
type Stage = (draft: Draft) => string

const agent: fc.Arbitrary<Stage> = fc.record({ traits, words: fc.constantFrom(...WORDS) }).map(
  ({ traits, words }) =>
    (draft) =>
      addAgent(draft, words, traits),
)
const sorter: fc.Arbitrary<Stage> = fc.record({ traits, words: fc.constantFrom(...CLOSED) }).map(
  ({ traits, words }) =>
    (draft) =>
      `${addAgent(draft, words.replace('!"x" | "y"', '!("x" | "y")'), traits)} ; ${FROM_KIND}`,
)
// Its memory is set by what comes in, beside what it answers.
const controlled: fc.Arbitrary<Stage> = fc
  .record({ traits, words: fc.constantFrom(...CONTROLLED), content: string })
  .map(({ traits, words, content }) => (draft) => {
    const name = addAgent(draft, words, { ...traits, program: undefined })
    const set = bound(draft, `map({ set_memory: [{ role: "user", content: ${content} }] })`, '!M -> !json')
    return bound(draft, `plumb(from, to) {\n  from ; ${name} ; to\n  from ; ${set} ; ${name}@ctrl_in\n}`)
  })
const simple: fc.Arbitrary<Stage> = fc.oneof(
  record.map((e) => () => `map(${e})`),
  fc.constantFrom('filter(n >= 0)', 'filter(contains(text(k), "x") or n > 0)', 'id', 'batch(2) ; flatten').map((text) => () => text),
  fc.tuple(path, string).map(
    ([p, s]) =>
      () =>
        `map({ path: ${p}, content: ${s} }) ; map(note) ; ${FROM_JSON}`,
  ),
  fc.tuple(path, string).map(
    ([p, s]) =>
      () =>
        `map({ path: ${p}, content: ${s} }) ; map(post) ; ${FROM_JSON}`,
  ),
  string.map((s) => () => `map({ url: ${s} }) ; map(page) ; ${FROM_TEXT}`),
  record.map((e) => () => `fold(if n > 100 then state else ${e}, from: { s: "", n: 0, k: "x", l: ["a"], j: 1 })`),
  string.map((s) => () => `map({ path: ${s} }) ; map(vault) ; ${FROM_JSON}`),
  fc.constantFrom(...WAYS.map(([way]) => way)).map((way) => () => way),
  fc.constant(() => 'map([value, value]) ; project(1)'),
  string.map((s) => () => `map({ name: ${s} }) ; map(count) ; ${FROM_INT}`),
  string.map((s) => () => `map({ name: ${s} }) ; map(tell) ; ${FROM_INT}`),
  string.map((s) => () => `map({ name: ${s} }) ; map(lookup) ; ${FROM_TEXT}`),
  string.map((s) => () => `map({ url: ${s} }) ; map(size) ; ${FROM_INT}`),
  fc.tuple(arbitraryConfigured, string).map(([configured, s]) => (draft: Draft) => {
    const name = `told${draft.configured.size + 1}`
    draft.configured.set(name, configured)
    return `map({ arguments: [${s}] }) ; map(${name}) ; ${FROM_TEXT}`
  }),
)

// Through a value of a type that holds itself.
const recursive: fc.Arbitrary<Stage> = fc
  .tuple(
    string.chain((s) => fc.constantFrom(...intoRecursive(s))),
    fc.constantFrom(...FROM_RECURSIVE),
    fc.boolean(),
  )
  .map(([into, from, isAgain]) => (draft) => {
    const first = bound(draft, `map(${into})`, '!M -> !R')
    const again = isAgain ? ` ; ${bound(draft, 'filter(true)', '!R -> !R')}` : ''
    return `${first}${again} ; ${bound(draft, `map(${from}) ; ${FROM_TEXT}`, '!R -> !M')}`
  })

// A tool that fails, in two ways that its errors go.
const failing: fc.Arbitrary<Stage> = fc.constantFrom('page', 'ping', 'rank', 'size').map((tool) => (draft) => {
  const call = bound(draft, `map({ url: s }) ; map(${tool}) ; map(text(value))`, '!M -> !string')
  return bound(
    draft,
    `plumb(from, to) {\n  from ; ${call} ; ${FROM_TEXT} ; to\n  ${call}@error ; map({ s: detail, n: 1, k: "y", l: [detail], j: error }) ; to\n}`,
  )
})

const { stage } = fc.letrec<{ stage: Stage }>((tie) => ({
  stage: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'stage', withCrossShrink: true },
    { weight: 4, arbitrary: agent },
    { weight: 1, arbitrary: sorter },
    { weight: 1, arbitrary: controlled },
    { weight: 1, arbitrary: recursive },
    { weight: 1, arbitrary: failing },
    { weight: 4, arbitrary: simple },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('stage'), tie('stage')).map(
        ([a, b]) =>
          (draft: Draft) =>
            `(${named(a, draft)} * ${named(b, draft)}) ; merge`,
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('stage'), record).map(
        ([a, e]) =>
          (draft: Draft) =>
            `(${named(a, draft)} * id) ; barrier ; project(${e.length % 2})`,
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .oneof(
          agent,
          record.map((e) => () => `map(${e})`),
        )
        .map((a) => (draft: Draft) => `batch(2) ; each(${named(a, draft)}) ; flatten`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('stage'), tie('stage')).map(([a, b]) => (draft: Draft) => {
        const inner = [named(a, draft), named(b, draft)]
        return bound(
          draft,
          `plumb(from, to) {\n  from ; ${inner[0]} ; to\n  ${inner[0]}@error ; map({ s: detail, n: 1, k: "y", l: [detail], j: input ?? 1 }) ; ${inner[1]} ; to\n}`,
        )
      }),
    },
    {
      weight: 1,
      // Each round asks an agent, whose answers come to an end.
      arbitrary: fc.tuple(agent, tie('stage')).map(([a, b]) => (draft: Draft) => {
        const inner = [named(a, draft), named(b, draft)]
        return bound(
          draft,
          `plumb(from, to) {\n  from ; ${inner[0]} ; map({ ...value, n: n + 1 }) ; ${inner[1]}\n  ${inner[1]} ; filter(n < 3) ; ${inner[0]}\n  ${inner[1]} ; filter(n >= 3) ; to\n}`,
        )
      }),
    },
  ),
}))

const bound = (draft: Draft, impl: string, signature = '!M -> !M'): string => {
  const name = `part${draft.lines.length + 1}`
  draft.lines.push(`let ${name} : ${signature} = ${impl}`)
  return name
}

// By a name of its own, so that it can stand anywhere.
const named = (stage: Stage, draft: Draft): string => {
  const text = stage(draft)
  return /^\w+$/.test(text) && text !== 'id' ? text : bound(draft, text)
}

const INPUTS = { untrusted: '!untrusted M', field: '!F', trusted: '!M', secret: '!secret M' } as const
const OUTPUTS = { shown: '!untrusted M', secret: '!untrusted secret M' } as const

const textOf = ({ name, signature, tools, told, seesSecrets, composes, program }: Draft['agents'][number]): string => {
  const more = [
    ...(program === undefined ? ['provider: "anthropic"', 'model: "m"'] : ['command: ["./a"]', `sandbox: ${SANDBOXES[program].text}`]),
    ...(tools.length > 0 ? [`tools: [${tools.join(', ')}]`] : []),
    ...(told === undefined ? [] : [AGENT_KEYS[told.key](told.param)]),
    ...(seesSecrets ? ['sees_secrets: true'] : []),
    ...(composes ? ['compose: true'] : []),
  ]
  return `let ${name} : ${signature} = agent { ${more.join(', ')} }`
}

export const arbitraryFlowProgram: fc.Arbitrary<RandomProgram> = fc
  .record({
    stages: fc.array(stage, { minLength: 1, maxLength: 4 }),
    types: arbitraryRecursive,
    input: fc.constantFrom(...(Object.keys(INPUTS) as RandomProgram['input'][])),
    output: fc.constantFrom<keyof typeof OUTPUTS>('shown', 'shown', 'secret'),
  })
  .map(({ stages, types, input, output }) => {
    const draft: Draft = { agents: [], lines: [], configured: new Map() }
    const chain = stages.map((stage) => stage(draft)).join(' ; ')
    const text = `${[
      PRELUDE,
      'type F = { s: string, n: int, k: "x" | "y", l: [untrusted string], j: untrusted json }',
      types.text,
      ...Object.values(TOOLS).map(({ text }) => text),
      ...[...draft.configured].map(([name, tool]) => configuredText(name, tool)),
      ...draft.agents.map(textOf),
      ...draft.lines,
      `let main : ${INPUTS[input]} -> ${OUTPUTS[output]} = ${chain}`,
    ].join('\n')}\n`
    return {
      text,
      crossed: WAYS.reduce((text, [way, cleaned]) => text.replaceAll(way, cleaned), text),
      agents: new Map(draft.agents.map((agent) => [agent.name, agent])),
      configured: draft.configured,
      input,
      isOutputSecret: output === 'secret',
    }
  })
