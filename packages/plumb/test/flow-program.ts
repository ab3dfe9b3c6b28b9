// Random programs with one untrusted atom in what they read: agents with tools, chains, bodies, loops, lists and errors, labelled at random.

import fc from 'fast-check'

/** What all messages are, so that any two stages fit. */
const PRELUDE = `type M = { s: string, n: int, k: "x" | "y", l: [string], j: json }
type N = { path: string, content: string }
type P = { path: string, content: untrusted string }
`

/** A tool of the program, as the test stands in for it. */
interface MarkedTool {
  readonly name: string
  /** As JSON text, with \`ATOM\` for each string of its own. */
  readonly result: string
  /** It gives what somebody outside may have written. */
  readonly isSource: boolean
  /** Its arguments by name; those that ask for trust. */
  readonly arguments: readonly string[]
  readonly trusted: readonly string[]
}

const TOOLS = {
  page: {
    text: 'let page : untrusted { url: string } -> untrusted string = tool { builtin: "webpage_to_markdown" }',
    result: '"ATOM"',
    isSource: true,
    arguments: ['url'],
    trusted: [],
  },
  fetch: {
    text: 'let fetch : { url: string } -> string = tool { builtin: "webpage_to_markdown" }',
    result: '"ATOM"',
    isSource: true,
    arguments: ['url'],
    trusted: ['url'],
  },
  rank: {
    text: 'let rank : untrusted { url: string } -> untrusted ("x" | "y") = tool { mcp: "http://127.0.0.1:9/mcp", name: "rank" }',
    result: '"x"',
    isSource: true,
    arguments: ['url'],
    trusted: [],
  },
  note: {
    text: 'let note : N -> json = tool { builtin: "write_file" }',
    result: '"ok"',
    isSource: false,
    arguments: ['path', 'content'],
    trusted: ['path', 'content'],
  },
  post: {
    text: 'let post : P -> untrusted json = tool { mcp: "http://127.0.0.1:9/mcp", name: "post" }',
    result: '"ATOM"',
    isSource: true,
    arguments: ['path', 'content'],
    trusted: ['path'],
  },
  list: {
    text: 'let list : { name?: string } -> string = tool { function: "./list.js#list" }',
    result: '"ok"',
    isSource: false,
    arguments: ['name'],
    trusted: ['name'],
  },
  look: {
    text: '@tool true\nlet look : untrusted { url: string } -> untrusted string = page ; map(upper(value))',
    result: '"ATOM"',
    isSource: true,
    arguments: ['url'],
    trusted: [],
  },
} as const

export type ToolName = keyof typeof TOOLS

export const toolNamed = (name: ToolName): MarkedTool => ({ name, ...TOOLS[name] })

export interface RandomProgram {
  readonly text: string
  /** Of each agent the tools that it has. */
  readonly agents: ReadonlyMap<string, readonly ToolName[]>
  readonly input: 'untrusted' | 'field' | 'trusted'
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
)
const int = fc.constantFrom('n', 'n + 1', 'length(s)', '3', 'length(l)')
const kind = fc.constantFrom('k', 'k', '"x"', 'if n > 2 then "x" else "y"')
const list = fc.constantFrom('l', '[s]', '[x for x in l if n > 0]', 'reverse(l)', '["a", "b"]', 'sort(l)')
const json = fc.constantFrom('j', 's', '{ a: s }', 'n', '[l, k]', '1')
const record = fc.tuple(string, int, kind, list, json).map(([s, n, k, l, j]) => `{ s: ${s}, n: ${n}, k: ${k}, l: ${l}, j: ${j} }`)
const path = fc.constantFrom('s', '"a.txt"', 'text(n)', 'k', 'text(k) + ".txt"')

const WORDS = ['!M -> !M', '!M -> !M', '!M -> !M', '!untrusted M -> !untrusted M', '!M -> !untrusted M'] as const
const CLOSED = ['!M -> !"x" | "y"', '!untrusted M -> !untrusted ("x" | "y")'] as const

const FROM_TEXT = 'map({ s: value, n: length(value), k: if length(value) > 3 then "x" else "y", l: [value], j: value })'
const FROM_KIND = 'map({ s: value, n: 1, k: value, l: [value], j: value })'
const FROM_JSON = 'map({ s: text(value), n: 1, k: "x", l: [text(value)], j: value })'

const ALL: ToolName[] = ['page', 'fetch', 'rank', 'note', 'post', 'list', 'look']
const tools = fc.oneof(fc.constant([]), fc.subarray(ALL, { maxLength: 1 }), fc.subarray(ALL, { maxLength: 3 }))

interface Draft {
  readonly agents: { readonly name: string; readonly signature: string; readonly tools: readonly ToolName[] }[]
  readonly lines: string[]
}

/** A stage from M to M. */
type Stage = (draft: Draft) => string

const agent: fc.Arbitrary<Stage> = fc.record({ tools, words: fc.constantFrom(...WORDS) }).map(({ tools, words }) => (draft) => {
  const name = `agent${draft.agents.length + 1}`
  draft.agents.push({ name, signature: words, tools })
  return name
})
const sorter: fc.Arbitrary<Stage> = fc.record({ tools, words: fc.constantFrom(...CLOSED) }).map(({ tools, words }) => (draft) => {
  const name = `agent${draft.agents.length + 1}`
  draft.agents.push({ name, signature: words.replace('!"x" | "y"', '!("x" | "y")'), tools })
  return `${name} ; ${FROM_KIND}`
})
const simple: fc.Arbitrary<Stage> = fc.oneof(
  record.map((e) => () => `map(${e})`),
  fc.constantFrom('filter(n >= 0)', 'filter(k = "x" or k = "y")', 'id', 'batch(2) ; flatten').map((text) => () => text),
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
  fc.constant(() => 'map([value, value]) ; project(1)'),
)

const { stage } = fc.letrec<{ stage: Stage }>((tie) => ({
  stage: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'stage', withCrossShrink: true },
    { weight: 4, arbitrary: agent },
    { weight: 1, arbitrary: sorter },
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

const bound = (draft: Draft, impl: string): string => {
  const name = `part${draft.lines.length + 1}`
  draft.lines.push(`let ${name} : !M -> !M = ${impl}`)
  return name
}

// By a name of its own, so that it can stand anywhere.
const named = (stage: Stage, draft: Draft): string => {
  const text = stage(draft)
  return /^\w+$/.test(text) && text !== 'id' ? text : bound(draft, text)
}

const INPUTS = { untrusted: '!untrusted M -> !untrusted M', field: '!F -> !untrusted M', trusted: '!M -> !untrusted M' } as const

export const arbitraryFlowProgram: fc.Arbitrary<RandomProgram> = fc
  .record({
    stages: fc.array(stage, { minLength: 1, maxLength: 4 }),
    input: fc.constantFrom<RandomProgram['input']>('untrusted', 'field', 'trusted'),
  })
  .map(({ stages, input }) => {
    const draft: Draft = { agents: [], lines: [] }
    const chain = stages.map((stage) => stage(draft)).join(' ; ')
    const agents = draft.agents.map(
      ({ name, signature, tools }) =>
        `let ${name} : ${signature} = agent { provider: "anthropic", model: "m"${tools.length > 0 ? `, tools: [${tools.join(', ')}]` : ''} }`,
    )
    const text = [
      PRELUDE,
      'type F = { s: string, n: int, k: "x" | "y", l: [untrusted string], j: untrusted json }',
      ...Object.values(TOOLS).map(({ text }) => text),
      ...agents,
      ...draft.lines,
      `let main : ${INPUTS[input]} = ${chain}`,
    ].join('\n')
    return { text: `${text}\n`, agents: new Map(draft.agents.map(({ name, tools }) => [name, tools])), input }
  })
