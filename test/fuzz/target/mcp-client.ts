// Messages of an MCP server: what of them is a message, a list of tools, an answer. What comes out has the form that its users rely on, or it
// is refused in words.

import { outputCheck, readToolAnswer } from '../../../packages/mcp-client/src/answer.js'
import { answeredId, messagesIn } from '../../../packages/mcp-client/src/message.js'
import { readPages } from '../../../packages/mcp-client/src/pages.js'
import { readOutcome } from '../../../packages/mcp-client/src/revision.js'
import { readTask } from '../../../packages/mcp-client/src/task.js'
import { readTools } from '../../../packages/mcp-client/src/tool-list.js'
import { nameTools } from '../../../packages/plumb-tool/src/source/mcp/name-tools.js'
import { contentOfAnswer, toValue } from '../../../packages/plumb-tool/src/source/mcp/result.js'
import { type Fault, isCode, parseJson, succeed } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const LIMIT = { maxOutput: 100, onCut: () => {} }

const sound = ({ error, detail }: Fault): void => must(isCode(error) && detail.length < 4000, `a refusal says ${detail.slice(0, 80)}`)

const TOOL = {
  name: 'a',
  title: 'A',
  description: 'd',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
}
const CONTENT = [
  { type: 'text', text: 'x' },
  { type: 'image', data: 'AA==', mimeType: 'image/png' },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'y' } },
  { type: 'resource', resource: { uri: 'a:c', blob: 'AA==' } },
  { type: 'resource_link', uri: 'a:d', name: 'n', size: 3 },
]
const line = (value: object): string => JSON.stringify({ jsonrpc: '2.0', ...value })

export const mcpClient: Target = {
  name: 'mcp-client',
  seeds: [
    line({
      id: 1,
      result: { tools: [TOOL, { ...TOOL, name: 'b', outputSchema: undefined, annotations: { readOnlyHint: true } }], nextCursor: 'x' },
    }),
    line({ id: 2, result: { content: CONTENT, structuredContent: { n: 1 }, isError: false } }),
    line({ id: 4, result: { resultType: 'task', taskId: 'x', status: 'working', ttlMs: null, pollIntervalMs: 1 } }),
    line({
      id: 5,
      result: { status: 'input_required', inputRequests: { who: { method: 'elicitation/create', params: {} } }, requestState: 'x' },
    }),
    line({ id: 6, result: { status: 'failed', statusMessage: 'no', error: { code: 1, message: 'x' } } }),
    line({ id: 3, error: { code: -32000, message: 'no' } }),
    `[${line({ method: 'notifications/tools/list_changed' })},${line({ id: 'x', method: 'ping' })}]`,
  ],
  words: [
    ...[
      '"jsonrpc":"2.0"',
      '"id":',
      '"result":',
      '"tools":[',
      '"content":[',
      '"structuredContent":',
      '"isError":true',
      '"nextCursor":"x"',
      '"error":',
      '"code":',
      '"message":',
    ],
    ...[
      '"type":',
      '"text"',
      '"image"',
      '"audio"',
      '"resource"',
      '"resource_link"',
      '"data":',
      '"mimeType":',
      '"uri":',
      '"blob":',
      '"size":',
      '"name":',
      '"inputSchema":',
      '"outputSchema":',
      '"status":',
      '"resultType":',
      '"inputRequests":',
    ],
    ...['"constructor"', '"toString"', 'null', '[]', '{}', '1', 'true', ...CONTENT.map((one) => JSON.stringify(one))],
  ],
  cases: 900,
  maxBytes: 6000,
  judge: async (input) => {
    const text = input.toString('utf8')
    const bytes = Buffer.from(text)
    const parsed = parseJson(bytes, 0, bytes.length)
    for (const message of (parsed.ok ? messagesIn(parsed.value) : undefined) ?? []) {
      const id = answeredId(message)
      must(id === undefined || typeof id === 'string' || typeof id === 'number', 'an id is of an odd kind')
      const result = (message as { result?: Readonly<Record<string, unknown>> }).result
      if (!result) continue
      judgeState(result)
      const pages = await readPages(async () => succeed(result), { key: 'tools', server: 's', note: sound })
      if (!pages.ok) sound(pages.error)
      const tools = pages.ok ? readTools(pages.value.items, 's', sound) : []
      must(new Set(tools.map(({ name }) => name)).size === tools.length, 'two tools have one name')
      for (const tool of tools) {
        JSON.stringify(tool)
        const check = outputCheck(tool)
        if (!check.ok) sound(check.error)
        else judgeAnswer(result, check.value)
      }
      judgeAnswer(result, undefined)
      for (const name of nameTools([{ config: {}, connection: undefined as never, prefix: 's', tools }], ['s:b'], sound).keys())
        must(name !== 's:b', 'a tool of a server takes the name of one that the agent has')
    }
  },
}

const judgeState = (result: Readonly<Record<string, unknown>>): void => {
  const outcome = readOutcome(result)
  if (outcome.kind === 'wrong') must(outcome.why.length < 4000, 'a reason is too long')
  const task = readTask(outcome.kind === 'task' ? outcome.state : result)
  if (task.kind === 'wrong') must(task.why.length < 4000, 'a reason is too long')
  if (task.kind === 'goes on') must(task.pollMs >= 100 && task.pollMs <= 30_000, `it waits ${task.pollMs} ms`)
  if (task.kind === 'failed') must(Number.isInteger(task.error.code) && typeof task.error.message === 'string', 'an error is no error')
}

const judgeAnswer = (result: Readonly<Record<string, unknown>>, check: Parameters<typeof readToolAnswer>[1]['check']): void => {
  const answer = readToolAnswer(result, { server: 's', tool: 't', check, takesNull: false })
  if (!answer.ok) return sound(answer.error)
  for (const part of answer.value.content) {
    const texts = part.type === 'text' ? [part.text] : 'data' in part ? [part.data] : 'uri' in part ? [part.uri] : []
    must(
      texts.every((one) => typeof one === 'string'),
      `a part is ${JSON.stringify(part)}`,
    )
  }
  for (const made of [
    contentOfAnswer('t', answer.value, LIMIT),
    toValue('t', answer.value, { kind: 'json' }, LIMIT),
    toValue('t', answer.value, { kind: 'int' }, LIMIT),
  ]) {
    if (made.ok) JSON.parse(made.value)
    else sound({ ...made.error, content: undefined })
  }
}
