// Parts of random programs beside what flows on wires: programs with and without a network, params in configurations, and types that hold
// themselves with labels at random.

import fc from 'fast-check'

/** What a program may reach, by its sandbox. */
export const SANDBOXES = {
  closed: { text: '{ net: false }', sends: false, fetches: false },
  open: { text: '{ net: true }', sends: true, fetches: true },
  hosts: { text: '{ net: ["a.example"] }', sends: true, fetches: true },
  sockets: { text: '{ net: false, sockets: ["/run/x.sock"] }', sends: true, fetches: false },
  none: { text: 'false', sends: true, fetches: true },
} as const

export type SandboxName = keyof typeof SANDBOXES

/** The params of a program. */
export type ParamName = 'stranger' | 'key' | 'dear'

/** Keys of an agent with a param as their value; each is told to its provider. */
export const AGENT_KEYS = {
  prompt: (param: string) => `prompt: ${param}`,
  template: (param: string) => `prompt: $"You serve {${param}}."`,
  history: (param: string) => `history: [{ role: "user", content: ${param} }]`,
  description: (param: string) => `description: ${param}`,
  endpoint: (param: string) => `endpoint: ${param}`,
  request: (param: string) => `request: { metadata: { of: [${param}] } }`,
} as const

/** Tools with a param in their configuration. `sends`: its value leaves the machine with a call, or by the tool being offered. */
const TOOL_KEYS = {
  command: { text: (param: string) => `{ command: ${param} }`, sends: false },
  reaching: { text: (param: string) => `{ command: ${param}, sandbox: { net: true } }`, sends: true },
  description: { text: (param: string) => `{ command: "ls", description: ${param} }`, sends: true },
  arguments: { text: (param: string) => `{ mcp: { command: "s", args: ["-c", ${param}] }, name: "a" }`, sends: true },
  named: { text: () => '{ mcp: server, name: "a" }', sends: true },
  environment: { text: (param: string) => `{ mcp: { command: "s", env: { A: ${param} } }, name: "a" }`, sends: false },
  token: { text: (param: string) => `{ mcp: { url: "http://127.0.0.1:9/mcp", token: ${param} }, name: "a" }`, sends: false },
} as const

export interface ConfiguredTool {
  readonly key: keyof typeof TOOL_KEYS
  readonly param: ParamName
}

export const arbitraryConfigured: fc.Arbitrary<ConfiguredTool> = fc.record({
  key: fc.constantFrom(...(Object.keys(TOOL_KEYS) as (keyof typeof TOOL_KEYS)[])),
  param: fc.constantFrom<ParamName>('stranger', 'key', 'dear', 'dear'),
})

/** `name`: of the tool. What it gives is anybody's, and may hold a secret where the tool does not send it. */
export const configuredText = (name: string, { key, param }: ConfiguredTool): string => {
  const server = key === 'named' ? `let server = { command: "s", args: [${param}] }\n` : ''
  return `${server}let ${name} : { arguments?: [string] } -> untrusted string = tool ${TOOL_KEYS[key].text(param)}`.replaceAll(
    'server',
    `server_${name}`,
  )
}

export const configuredSends = ({ key }: ConfiguredTool): boolean => TOOL_KEYS[key].sends

const label = fc.constantFrom('', '', 'untrusted ', 'secret ')

export interface RecursiveTypes {
  /** Declarations of R and Q. */
  readonly text: string
}

/** Two types that hold each other; variants that are labelled differently at the same field. */
export const arbitraryRecursive: fc.Arbitrary<RecursiveTypes> = fc
  .tuple(label, label, label, label, label, fc.constantFrom('R', 'Q'))
  .map(([a, b, c, d, e, next]) => ({
    text: `type R = { k: "a", v: ${a}string, next?: ${b}R, many: [R] } | { k: "b", v: ${c}string, next?: ${next}, many: [R] }
type Q = { u: ${d}string, r?: R, map: { [string]: ${e}R } }`,
  }))

const leafOf = (text: string, k: 'a' | 'b'): string => `{ k: "${k}", v: ${text}, many: [] }`

/** Expressions over the message M that give an R; `s` is what it writes into it. */
export const intoRecursive = (s: string): readonly string[] => [
  leafOf(s, 'a'),
  leafOf(s, 'b'),
  `{ k: "a", v: "c", next: ${leafOf(s, 'b')}, many: [] }`,
  `{ k: "b", v: "c", many: [{ k: "a", v: "c", next: ${leafOf(s, 'a')}, many: [${leafOf('"d"', 'b')}] }] }`,
]

/** Expressions over an R that give a text. */
export const FROM_RECURSIVE: readonly string[] = [
  'value.v',
  'text(value)',
  'text(value.many)',
  'text([r.v for r in value.many])',
  'text([text(r.many) for r in value.many])',
  'text(value.next ?? { u: "" })',
  'text([r for r in value.many if has(r.next)])',
]
