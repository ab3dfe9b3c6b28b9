// What OpenTelemetry's conventions say of the names that we write: types, well-known values, what each span and metric may and must have.
// Taken on 2026-11-29 from the model files (model/gen-ai, model/mcp) of open-telemetry/semantic-conventions-genai, as they stand at commit
// 024a4f944a1291fcb627c9c47da69e79868dd15e, with what CHANGELOG.md of v0.1.0 changes behind it (workflows are invoke_agent spans, and have
// gen_ai.agent.name); and of what is not of generative AI from open-telemetry/semantic-conventions v1.45.0. conventions.test.ts holds it against
// the package that is generated from those.

/** The type of an attribute, or its well-known values. */
export const ATTRIBUTES: Readonly<Record<string, 'string' | 'int' | 'boolean' | 'string[]' | 'any' | readonly string[]>> = {
  'error.type': 'string',
  'gen_ai.agent.name': 'string',
  'gen_ai.conversation.id': 'string',
  'gen_ai.input.messages': 'any',
  'gen_ai.operation.name': ['chat', 'embeddings', 'execute_tool', 'invoke_agent', 'invoke_workflow'],
  'gen_ai.output.messages': 'any',
  'gen_ai.prompt.name': 'string',
  'gen_ai.provider.name': [
    ...[
      'anthropic',
      'aws.bedrock',
      'azure.ai.inference',
      'azure.ai.openai',
      'cohere',
      'deepseek',
      'gcp.gemini',
      'gcp.gen_ai',
      'gcp.vertex_ai',
    ],
    ...['groq', 'ibm.watsonx.ai', 'mistral_ai', 'moonshot_ai', 'openai', 'perplexity', 'x_ai'],
  ],
  'gen_ai.request.model': 'string',
  'gen_ai.response.finish_reasons': 'string[]',
  'gen_ai.response.id': 'string',
  'gen_ai.response.model': 'string',
  'gen_ai.system_instructions': 'any',
  'gen_ai.token.modality': ['text', 'image', 'audio', 'unknown'],
  'gen_ai.tool.call.arguments': 'any',
  'gen_ai.tool.call.id': 'string',
  'gen_ai.tool.call.result': 'any',
  'gen_ai.tool.name': 'string',
  'gen_ai.tool.type': 'string',
  'gen_ai.usage.cache_read.input_tokens': 'int',
  'gen_ai.usage.cache_write.input_tokens': 'int',
  'gen_ai.usage.input_tokens': 'int',
  'gen_ai.usage.output_tokens': 'int',
  'gen_ai.usage.reasoning.output_tokens': 'int',
  'jsonrpc.request.id': 'string',
  'mcp.method.name': [
    ...['initialize', 'ping', 'logging/setLevel', 'completion/complete', 'tools/list', 'tools/call', 'prompts/list', 'prompts/get'],
    ...['resources/list', 'resources/templates/list', 'resources/read', 'resources/subscribe', 'resources/unsubscribe'],
  ],
  'mcp.protocol.version': 'string',
  'mcp.resource.uri': 'string',
  'network.protocol.name': 'string',
  'network.transport': ['tcp', 'udp', 'pipe', 'unix', 'quic'],
  'otel.metric.overflow': 'boolean',
  'process.exit.code': 'int',
  'rpc.status_code': 'string',
  'server.address': 'string',
  'server.port': 'int',
  'service.name': 'string',
}

export interface SpanRule {
  /** As OTLP has it. */
  readonly kind: 1 | 2 | 3
  /** Required. */
  readonly must: readonly string[]
  /** Required where we know it, which we always do. */
  readonly known: readonly string[]
  /** With those above, all that the model names and we write. */
  readonly may: readonly string[]
}

const CONTENT = ['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.system_instructions']
const CALL = ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']
const NETWORK = ['network.transport', 'network.protocol.name']
const MCP_CLIENT = [
  'mcp.method.name',
  'mcp.protocol.version',
  'jsonrpc.request.id',
  'rpc.status_code',
  ...NETWORK,
  'server.address',
  'server.port',
]

/** By the operation; requests of MCP to a server have none, or that of a tool. */
export const SPANS: Readonly<Record<string, SpanRule>> = {
  // gen_ai.invoke_agent.internal
  invoke_workflow: {
    kind: 1,
    must: ['gen_ai.operation.name'],
    known: ['gen_ai.agent.name'],
    may: ['error.type', 'gen_ai.conversation.id', ...CONTENT, 'process.exit.code'],
  },
  // gen_ai.invoke_agent.internal; its provider is that of gen_ai.invoke_agent.client
  invoke_agent: {
    kind: 1,
    must: ['gen_ai.operation.name'],
    known: ['gen_ai.agent.name', 'gen_ai.conversation.id'],
    may: ['error.type', 'gen_ai.provider.name', ...CONTENT],
  },
  // gen_ai.client.inference; the agent is told beside it, for backends that show one span alone
  chat: {
    kind: 3,
    must: ['gen_ai.operation.name', 'gen_ai.provider.name'],
    known: ['gen_ai.request.model', 'gen_ai.conversation.id'],
    may: [
      ...['error.type', 'gen_ai.agent.name', 'gen_ai.response.model', 'gen_ai.response.id', 'gen_ai.response.finish_reasons', ...CONTENT],
      ...['input_tokens', 'output_tokens', 'cache_read.input_tokens', 'cache_write.input_tokens', 'reasoning.output_tokens'].map(
        (name) => `gen_ai.usage.${name}`,
      ),
    ],
  },
  // gen_ai.execute_tool.internal, with the attributes of mcp.client where a server is asked
  execute_tool: {
    kind: 1,
    must: ['gen_ai.operation.name', 'gen_ai.tool.name'],
    known: ['gen_ai.agent.name', 'gen_ai.conversation.id', 'gen_ai.tool.call.id'],
    may: ['error.type', 'gen_ai.tool.type', ...CALL, ...MCP_CLIENT],
  },
  'mcp.server': {
    kind: 2,
    must: ['mcp.method.name'],
    known: ['jsonrpc.request.id', 'mcp.protocol.version', 'network.transport'],
    may: [
      ...['error.type', 'gen_ai.operation.name', 'gen_ai.tool.name', 'gen_ai.prompt.name', 'mcp.resource.uri', 'network.protocol.name'],
      ...['rpc.status_code', ...CALL],
    ],
  },
}

export interface MetricRule {
  readonly form: 'histogram' | 'sum'
  readonly unit: string
  readonly must: readonly string[]
  readonly may: readonly string[]
}

const OF_MODEL = ['gen_ai.operation.name', 'gen_ai.provider.name']
const COUNTED: MetricRule = {
  form: 'sum',
  unit: '{token}',
  must: [...OF_MODEL, 'gen_ai.token.modality'],
  may: ['gen_ai.request.model', 'gen_ai.response.model'],
}

export const METRICS: Readonly<Record<string, MetricRule>> = {
  'gen_ai.client.inference.duration': {
    form: 'histogram',
    unit: 's',
    must: OF_MODEL,
    may: ['gen_ai.request.model', 'gen_ai.response.model', 'error.type'],
  },
  'gen_ai.client.inference.usage.input_tokens': COUNTED,
  'gen_ai.client.inference.usage.output_tokens': COUNTED,
  'gen_ai.client.inference.usage.cache_read.input_tokens': COUNTED,
  'gen_ai.client.inference.usage.cache_write.input_tokens': COUNTED,
  'gen_ai.client.inference.usage.reasoning.output_tokens': COUNTED,
  'gen_ai.invoke_agent.duration': {
    form: 'histogram',
    unit: 's',
    must: [],
    may: ['gen_ai.operation.name', 'gen_ai.agent.name', 'error.type'],
  },
  'gen_ai.execute_tool.duration': {
    form: 'histogram',
    unit: 's',
    must: ['gen_ai.tool.name'],
    may: ['gen_ai.tool.type', 'gen_ai.agent.name', 'error.type'],
  },
  // Ours.
  'plumb.cost': { form: 'sum', unit: 'USD', must: [], may: [...OF_MODEL, 'gen_ai.request.model', 'gen_ai.response.model'] },
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Of what is so named that we may choose it: providers without a well-known value, and methods that newer revisions of MCP have. */
const OPEN: Readonly<Record<string, readonly string[]>> = { 'mcp.method.name': ['server/discover'] }

/** What is wrong with the names, the types and the values of attributes; what is ours is `plumb.`. */
export const wrongAttributes = (attributes: readonly Attribute[]): readonly string[] => {
  const names = attributes.map(({ key }) => key)
  const twice = names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${name} is there twice`)
  return [...twice, ...attributes.flatMap(({ key, value }) => whyWrong(key, value) ?? [])]
}

const FORMS = { string: 'stringValue', int: 'intValue', boolean: 'boolValue', 'string[]': 'arrayValue', any: 'stringValue' } as const

const whyWrong = (key: string, value: Attribute['value']): string | undefined => {
  const [[form = '', given] = []] = Object.entries(value)
  if (Object.keys(value).length !== 1) return `${key} has ${Object.keys(value).length} values`
  if (form === 'intValue' && !(typeof given === 'string' && /^-?\d+$/.test(given))) return `${key} is not a number as text`
  if (key.startsWith('plumb.')) return undefined
  const rule = ATTRIBUTES[key]
  if (rule === undefined) return `${key} is in no convention`
  if (typeof rule !== 'string') {
    const known = [...rule, ...(OPEN[key] ?? [])]
    return form === 'stringValue' && known.includes(String(given)) ? undefined : `${key} is '${String(given)}'`
  }
  if (form !== FORMS[rule]) return `${key} is ${form}`
  if (rule === 'any') JSON.parse(String(given))
  const items = rule === 'string[]' ? (given as { readonly values: readonly object[] }).values : []
  return items.every((item) => Object.keys(item).join() === 'stringValue') ? undefined : `${key} holds more than texts`
}

/** What a rule says of names: those that are there and may not, those that must and are not. */
export const wrongNames = (
  { must, may, known = [] }: { readonly must: readonly string[]; readonly may: readonly string[]; readonly known?: readonly string[] },
  names: readonly string[],
): readonly string[] => {
  const allowed = new Set([...must, ...known, ...may])
  const stray = names.filter((name) => !name.startsWith('plumb.') && !allowed.has(name)).map((name) => `${name} is not of it`)
  return [...stray, ...[...must, ...known].filter((name) => !names.includes(name)).map((name) => `${name} is missing`)]
}
