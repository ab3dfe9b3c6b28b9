// What users of other programs reported in 2026 of model servers: each report, the kind of reply or refusal in it, and what comes of that here.
// `mended`: it went wrong here too, before it was tried.

import type { Json } from '@plumb/lang'
import t from 'tap'
import { exchangeOf } from '../src/conversation/told-exchange.js'
import { type Asking, ask, chunk, DONE, sse, stream, TOOLS, type Wire } from './fixtures/provider/ask.js'
import { json, type Received, STREAM, type StubReply } from './fixtures/provider/stub.js'

type Found = Awaited<ReturnType<typeof ask>>
type Expected = { readonly [K in keyof Found]?: Found[K] | RegExp }

interface Row extends Asking {
  readonly report: string
  readonly kind: string
  readonly was: 'held' | 'mended'
  readonly wire?: Wire
  readonly reply: StubReply | ((received: Received) => StubReply)
  readonly gives: Expected
  /** Of what was sent last. */
  readonly sends?: (body: Received['body']) => unknown
}

const A = '{"text":"A"}'
const B = '{"text":"B"}'
const CALL_A = [['look', { text: 'A' }]]
const CALLS = [
  ['look', { text: 'A' }],
  ['look', { text: 'B' }],
]
const AGAIN: Expected = { text: 'SECOND', calls: [], asked: 2 }
const of = (args: unknown, name: string | null = 'look') => ({ function: { name, arguments: args } })
const piece = (...calls: readonly (object | null)[]) => chunk({ tool_calls: calls })
const calling = (...pieces: readonly object[]): StubReply => stream(...pieces, chunk({}, 'tool_calls'), DONE)
const text = (words: string, reason = 'stop'): StubReply => stream(chunk({ content: words }), chunk({}, reason), DONE)
const plain = (message: object, finish_reason = 'stop') => ({ choices: [{ index: 0, message, finish_reason }] })
const PONG = plain({ role: 'assistant', content: 'pong' })
const PONGED: Expected = { text: 'pong', stop: 'end', asked: 1 }
const UNREAD: Expected = {
  stop: 'provider_refused',
  isOfModel: true,
  asked: 1,
  calls: [],
  detail: /call of 'look' in the text.*--tool-call-parser/,
}
const refused = (status: number, body: unknown): StubReply => json(body, status)
const REFUSED = { config: { transport_retries: 0 } }

const ENDS: readonly Row[] = [
  {
    report: 'su-kaka/gcli2api#407',
    kind: 'a call, and stop as the reason',
    was: 'held',
    reply: stream(piece({ index: 0, id: 'a', ...of(A) }), chunk({}, 'stop'), DONE),
    gives: { calls: CALL_A, stop: 'tool_use', asked: 1 },
  },
  {
    report: 'googleapis/python-genai#2868',
    kind: 'stop in the chunk of the call',
    was: 'held',
    reply: stream(chunk({ tool_calls: [{ index: 0, id: 'a', ...of(A) }] }, 'stop'), DONE),
    gives: { calls: CALL_A, stop: 'tool_use' },
  },
  {
    report: 'NousResearch/hermes-agent#75926',
    kind: 'words before a call, tool_calls, and no call',
    was: 'mended',
    reply: text("I'll read the file first.", 'tool_calls'),
    gives: AGAIN,
  },
  {
    report: 'earendil-works/pi#9681',
    kind: 'tool_use without a block',
    was: 'held',
    wire: 'anthropic',
    reply: stream(
      { type: 'message_start', message: {} },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ),
    gives: AGAIN,
  },
  {
    report: 'OpenRouterTeam/ai-sdk-provider#420',
    kind: 'no reason behind a call',
    was: 'held',
    reply: stream(piece({ index: 0, id: 'a', ...of(A) }), DONE),
    gives: AGAIN,
  },
  {
    report: 'esengine/DeepSeek-Reasonix#8756',
    kind: 'a reason, and no message_stop',
    was: 'mended',
    wire: 'anthropic',
    reply: stream(
      { type: 'message_start', message: {} },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'pong' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    ),
    gives: PONGED,
  },
  {
    report: 'justlovemaki/AIClient2API#472',
    kind: 'requires_action as the status of calls',
    was: 'mended',
    wire: 'responses',
    reply: json({
      status: 'requires_action',
      output: [{ type: 'function_call', id: 'f', call_id: 'a', name: 'look', arguments: A }],
    }),
    gives: { calls: CALL_A, stop: 'tool_use', asked: 1 },
  },
  {
    report: 'NousResearch/hermes-agent#12504',
    kind: 'a crash that ends as error',
    was: 'held',
    reply: stream(chunk({ content: 'half' }), { ...chunk({}, 'error'), error: { message: 'it crashed', type: 'RuntimeError' } }, DONE),
    gives: AGAIN,
  },
  { report: 'decolua/9router#3051', kind: 'nothing at all', was: 'held', reply: { headers: STREAM, chunks: [] }, gives: AGAIN },
  {
    report: 'openclaw/openclaw#91604',
    kind: 'thinking alone, and stop',
    was: 'held',
    reply: stream(chunk({ reasoning_content: 'all of it' }), chunk({ content: '' }, 'stop'), DONE),
    gives: { text: '', thought: 'all of it', stop: 'end', asked: 1 },
  },
  {
    report: 'can1357/oh-my-pi#8511',
    kind: 'no words, of which 126 tokens are billed',
    was: 'held',
    reply: json({ ...plain({ role: 'assistant', content: '' }), usage: { prompt_tokens: 33, completion_tokens: 126 } }),
    gives: { text: '', stop: 'end' },
  },
  {
    report: 'earendil-works/pi#8115',
    kind: 'a response of reasoning alone',
    was: 'held',
    wire: 'responses',
    reply: json({ status: 'completed', output: [{ type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }] }] }),
    gives: { text: '', thought: 'hm', stop: 'end', asked: 1 },
  },
]

const DSML = (call: string) =>
  `<${call}tool_calls>\n<${call}invoke name="look">\n<${call}parameter name="at" string="true">A</${call}parameter>\n</${call}invoke>\n</${call}tool_calls>`

const WRITTEN: readonly Row[] = [
  ['jundot/omlx#3153', 'an envelope without its end', '<tool_call>\n{"name": "look", "arguments": {"at": "A'],
  ['TokenRhythm/opensquilla#985', 'DSML', DSML('｜DSML｜')],
  ['lsdefine/GenericAgent#804', 'DSML with double bars', DSML('‖DSML‖')],
  ['AgentFlocks/flocks#687', 'DSML with spaces', DSML(' | DSML | ')],
  ['CommandCodeAI/command-code#909', 'words before DSML', `Let me read it.\n\n${DSML('｜｜DSML｜｜ ')}`],
  ['sgl-project/sglang#35736', 'DSML behind thinking', `<think>I call it.</think>${DSML('｜DSML｜')}`],
].map(([report = '', kind = '', words = '']) => ({
  report,
  kind: `a call in the text: ${kind}`,
  was: 'mended',
  reply: text(words),
  gives: UNREAD,
}))

const PARTS: readonly Row[] = [
  {
    report: 'crewAIInc/crewAI#4461',
    kind: 'content null beside calls',
    was: 'held',
    reply: calling(chunk({ content: null, tool_calls: [{ index: 0, id: 'a', ...of(A) }] })),
    gives: { calls: CALL_A },
  },
  {
    report: 'odysseus-dev/odysseus#2389',
    kind: 'null among the choices and the calls',
    was: 'mended',
    reply: stream(
      { choices: [null], usage: null },
      piece(null),
      piece({ index: 0, id: 'a', ...of(A) }),
      piece(null),
      chunk({ tool_calls: null }, 'tool_calls'),
      DONE,
    ),
    gives: { calls: CALL_A },
  },
  {
    report: 'sigoden/aichat#1522',
    kind: 'an id with the first piece alone',
    was: 'held',
    reply: calling(
      piece({ index: 0, id: 'a', ...of('') }),
      piece({ index: 0, function: { arguments: '{"te' } }),
      piece({ index: 0, function: { arguments: 'xt":"A"}' } }),
    ),
    gives: { calls: CALL_A },
  },
  {
    report: 'apache/maka#1976',
    kind: 'one index for two calls',
    was: 'held',
    reply: calling(piece({ index: 0, id: 'a', ...of(A) }), piece({ index: 0, id: 'b', ...of(B) })),
    gives: { calls: CALLS },
  },
  {
    report: 'cloudwego/eino#962',
    kind: 'one index for two calls, in pieces without ids',
    was: 'held',
    reply: calling(
      piece({ index: 0, id: 'a', ...of('') }),
      piece({ index: 0, ...of(A, null) }),
      piece({ index: 0, id: 'b', ...of('') }),
      piece({ index: 0, ...of(B, null) }),
    ),
    gives: { calls: CALLS },
  },
  {
    report: 'openai/openai-python#3201',
    kind: 'two pieces of one call in one chunk',
    was: 'held',
    reply: calling(
      piece({ index: 0, id: 'a', ...of('') }, { index: 0, function: { arguments: '{"te' } }),
      piece({ index: 0, ...of('xt":"A"}', null) }),
    ),
    gives: { calls: CALL_A },
  },
  {
    report: 'langchain-ai/langchain#35678',
    kind: 'index null, and the id with each piece',
    was: 'held',
    reply: calling(
      piece({ index: null, id: 'a', ...of('{"te') }),
      piece({ index: null, id: 'a', ...of('xt":"A"}', null) }),
      piece({ index: null, id: 'b', ...of(B) }),
    ),
    gives: { calls: CALLS },
  },
  {
    report: 'spring-projects/spring-ai#5973',
    kind: 'the id with each piece',
    was: 'held',
    reply: calling(piece({ index: 0, id: 'a', ...of('{"te') }), piece({ index: 0, id: 'a', ...of('xt":"A"}', '') })),
    gives: { calls: CALL_A },
  },
  {
    report: 'spring-projects/spring-ai#6525',
    kind: 'id, name and arguments apart',
    was: 'held',
    reply: calling(
      piece({ index: 0, id: 'a' }),
      piece({ index: 0, function: { name: 'look' } }),
      piece({ index: 0, function: { arguments: A } }),
    ),
    gives: { calls: CALL_A },
  },
  {
    report: 'SillyTavern/SillyTavern#5948',
    kind: 'id and name with each piece, and a name of null beside',
    was: 'held',
    reply: calling(
      piece({ index: 0, id: 'a', type: 'function', ...of(''), name: null }),
      piece({ index: 0, id: 'a', type: 'function', ...of('{"te'), name: null }),
      piece({ index: 0, id: 'a', type: 'function', ...of('xt":"A"}'), name: null }),
    ),
    gives: { calls: CALL_A, ids: ['a'] },
  },
  {
    report: 'spring-ai-alibaba/spring-ai-extensions#266',
    kind: 'the id without a name with the arguments',
    was: 'held',
    reply: calling(piece({ index: 0, id: 'a', ...of('') }), piece({ index: 0, id: 'a', function: { arguments: A } })),
    gives: { calls: CALL_A },
  },
  {
    report: 'vllm-project/vllm-ascend#10182',
    kind: 'no arguments of a whole reply',
    was: 'held',
    reply: calling(piece({ index: 0, id: 'a', ...of('') })),
    gives: { calls: [['look', {}]] },
  },
  {
    report: 'BerriAI/litellm#29600',
    kind: 'thinking before the first word',
    was: 'held',
    reply: stream(chunk({ reasoning_content: 'h' }), chunk({ reasoning_content: 'm' }), chunk({ content: 'pong' }, 'stop'), DONE),
    gives: { ...PONGED, thought: 'hm' },
  },
  {
    report: 'Oaklight/llm-rosetta#56',
    kind: 'deltas without a place, and an end without an item',
    was: 'held',
    wire: 'responses',
    reply: stream({ type: 'response.output_text.delta', delta: 'pong' }, { type: 'response.completed', response: { status: 'completed' } }),
    gives: PONGED,
  },
  ...['NousResearch/hermes-agent#92764', 'anomalyco/opencode#40171'].map(
    (report): Row => ({
      report,
      kind: 'a call that is added and grows, and is never done',
      was: 'mended',
      wire: 'responses',
      reply: stream(
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { type: 'function_call', id: 'f', call_id: 'a', name: 'look', arguments: '' },
        },
        { type: 'response.function_call_arguments.delta', item_id: 'f', output_index: 0, delta: '{"text":' },
        { type: 'response.function_call_arguments.delta', item_id: 'f', output_index: 0, delta: '"A"}' },
        { type: 'response.completed', response: { status: 'completed', output: [] } },
      ),
      gives: { calls: CALL_A, asked: 1 },
    }),
  ),
  ...['router-for-me/CLIProxyAPI#2626', 'RakuenSoftware/aimee#2043'].map(
    (report): Row => ({
      report,
      kind: 'a call that is done, and output []',
      was: 'held',
      wire: 'responses',
      reply: stream(
        { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'r', summary: [], encrypted_content: 'E' } },
        { type: 'response.output_item.done', output_index: 1, item: { type: 'function_call', call_id: 'a', name: 'look', arguments: A } },
        { type: 'response.completed', response: { status: 'completed', output: [] } },
      ),
      gives: { calls: CALL_A, asked: 1 },
    }),
  ),
  {
    report: 'openai/codex#12798',
    kind: 'no events of items, and the call in the output',
    was: 'held',
    wire: 'responses',
    reply: stream(
      { type: 'response.output_text.delta', delta: 'I look.' },
      {
        type: 'response.completed',
        response: {
          status: 'completed',
          output: [
            { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
            { type: 'function_call', call_id: 'a', name: 'look', arguments: A },
          ],
        },
      },
    ),
    gives: { calls: CALL_A, text: 'I look.' },
  },
]

const FRAMES: readonly Row[] = [
  {
    report: 'decolua/9router#3492',
    kind: 'a plain reply, [DONE] behind it, called a stream',
    was: 'mended',
    reply: { headers: STREAM, chunks: [`${JSON.stringify(PONG)}data: [DONE]\n\n`] },
    gives: PONGED,
  },
  {
    report: 'gumieri/nenya#17',
    kind: 'a plain reply, and an event of the gateway behind it',
    was: 'mended',
    reply: {
      headers: { 'content-type': 'application/json' },
      chunks: [`${JSON.stringify(PONG)}\ndata: {"error":{"message":"upstream stream ended without [DONE]"}}\n\n${DONE}\n\n`],
    },
    gives: PONGED,
  },
  {
    report: 'QuantumNous/new-api#5230',
    kind: 'a stream where none was asked for',
    was: 'held',
    config: { stream: false },
    reply: { headers: { 'content-type': 'application/json' }, chunks: [sse(chunk({ content: 'pong' }), chunk({}, 'stop'), DONE)] },
    gives: PONGED,
  },
  {
    report: 'lidge-jun/opencodex#3770',
    kind: 'a plain reply with a call where a stream was asked for',
    was: 'held',
    reply: json(plain({ role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', ...of(A) }] }, 'tool_calls')),
    gives: { calls: CALL_A },
  },
  {
    report: 'gpustack/gpustack#6155',
    kind: 'the last chunks without data:',
    was: 'mended',
    reply: {
      headers: STREAM,
      chunks: [
        sse(chunk({ content: 'pong' })),
        `${JSON.stringify(chunk({}, 'stop'))}\n\ndata: {"choices":[],"usage":{"prompt_tokens":3}}\n\n[DONE]\n\n`,
      ],
    },
    gives: PONGED,
  },
  {
    report: 'tingly-dev/tingly-box#306',
    kind: 'no space behind data:',
    was: 'held',
    reply: {
      headers: STREAM,
      chunks: [sse(chunk({ content: 'pong' }), chunk({}, 'stop')).replaceAll('data: ', 'data:'), 'data:[DONE]\n\n'],
    },
    gives: PONGED,
  },
  {
    report: 'cline/cline#13348',
    kind: 'a reply within data',
    was: 'mended',
    reply: json({ success: true, data: PONG }),
    gives: PONGED,
  },
  {
    report: 'openclaw/openclaw#15488',
    kind: 'usage without choices',
    was: 'held',
    reply: stream(chunk({ content: 'pong' }), chunk({}, 'stop'), { id: 'c', usage: { prompt_tokens: 100, completion_tokens: 50 } }, DONE),
    gives: PONGED,
  },
  {
    report: 'openclaw/openclaw#107333',
    kind: 'usage behind the reason',
    was: 'held',
    reply: stream(
      chunk({ content: 'pong' }),
      { ...chunk({}, 'stop'), usage: null },
      { choices: [], usage: { prompt_tokens: 100, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 40 } } },
      DONE,
    ),
    gives: { ...PONGED, usage: { input_tokens: 60, output_tokens: 50, cache_read_tokens: 40, cache_creation_tokens: 0 } },
  },
  {
    report: 'adolfousier/opencrabs#11',
    kind: 'a reason without usage',
    was: 'held',
    reply: stream(chunk({ content: 'pong' }), chunk({}, 'stop')),
    gives: PONGED,
  },
  {
    report: 'langwatch/tasks#700',
    kind: "a gateway's warning as an event",
    was: 'held',
    reply: stream(chunk({ content: 'pong' }), { warning: 'provider_did_not_report_usage_on_stream' }, chunk({}, 'stop'), DONE),
    gives: PONGED,
  },
]

const QUOTA = 'You exceeded your current quota, please check your plan and billing details.'

const REFUSALS: readonly Row[] = [
  {
    report: 'vercel/ai#17278',
    kind: 'overflow in a stream, in capitals',
    was: 'held',
    reply: stream({ error: { message: 'Context length exceeded', code: 'CONTEXT_LENGTH_EXCEEDED' } }, DONE),
    gives: { stop: 'context_overflow', asked: 1 },
  },
  {
    report: 'openclaw/openclaw#3188',
    kind: 'overflow with an underscore',
    was: 'held',
    reply: refused(400, { error: { code: 'context_overflow', message: 'the request is too large' } }),
    gives: { stop: 'context_overflow' },
  },
  {
    report: 'ModelEngine-Group/nexent#3907',
    kind: 'overflow as a range',
    was: 'held',
    reply: refused(400, { error: { code: 'InvalidParameter', message: 'Range of input length should be [1, 983616]' } }),
    gives: { stop: 'context_overflow' },
  },
  {
    report: 'lmstudio-ai/lmstudio-bug-tracker#2203',
    kind: 'a complaint of zod within a text',
    was: 'mended',
    reply: refused(400, {
      error: JSON.stringify([
        {
          code: 'invalid_type',
          expected: 'object',
          received: 'undefined',
          path: [2, 'function', 'parameters', 'properties'],
          message: 'Required',
        },
      ]),
    }),
    gives: { stop: 'provider_refused', detail: /2\.function\.parameters\.properties: Required/ },
  },
  {
    report: 'hidenobunagai/nvidia-nim-provider#2',
    kind: 'a server without a parser of calls',
    was: 'held',
    reply: refused(400, {
      error: { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', code: 400 },
    }),
    gives: { stop: 'provider_refused', detail: /--tool-call-parser to be set/, asked: 1 },
  },
  {
    report: 'NousResearch/hermes-agent#77973',
    kind: 'a level of effort that is no parameter',
    was: 'held',
    effort: 'high',
    reply: ({ body }) =>
      body.reasoning_effort === undefined
        ? json(PONG)
        : refused(400, { message: 'Validation: Unsupported parameter(s): reasoning_effort', code: 400 }),
    gives: { text: 'pong', asked: 2 },
  },
  ...['Alishahryar1/free-claude-code#1136', 'QwenLM/qwen-code#11045', 'NousResearch/hermes-agent#34716'].map(
    (report): Row => ({
      report,
      kind: 'what came as reasoning_content is not taken back',
      was: 'held',
      history: [
        { role: 'user', content: 'a' },
        {
          role: 'assistant',
          content: [
            { type: 'chat_fields', fields: { reasoning_content: 'hm' } },
            { type: 'text', text: 'b' },
          ],
        },
      ],
      reply: ({ body }) =>
        JSON.stringify(body.messages).includes('reasoning_content')
          ? refused(400, {
              message: "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
              type: 'invalid_request_error',
              param: 'validation_error',
              code: 'wrong_api_format',
            })
          : json(PONG),
      gives: { text: 'pong', asked: 2 },
    }),
  ),
  {
    report: 'TokenRhythm/opensquilla#225',
    kind: 'a signature that a memory lacks, refused in a list',
    was: 'held',
    provider: 'gemini',
    history: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1', is_error: false }] },
    ],
    reply: ({ body }) =>
      JSON.stringify(body.messages).includes('thought_signature')
        ? json(PONG)
        : refused(400, [
            {
              error: {
                code: 400,
                message: 'Function call is missing a thought_signature in functionCall parts.',
                status: 'INVALID_ARGUMENT',
              },
            },
          ]),
    gives: { text: 'pong', asked: 2 },
  },
  {
    report: 'earendil-works/pi#1406',
    kind: 'a signature with the first of two calls alone',
    was: 'held',
    provider: 'gemini',
    history: [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'look', input: {}, extra_content: { google: { thought_signature: 'SIG' } } },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '1', is_error: false },
          { type: 'tool_result', tool_use_id: 'b', content: '2', is_error: false },
        ],
      },
    ],
    reply: () => json(PONG),
    gives: { text: 'pong' },
    sends: ({ messages }) => [
      messages[2].tool_calls.map(({ extra_content }: { extra_content?: unknown }) => extra_content),
      [{ google: { thought_signature: 'SIG' } }, undefined],
    ],
  },
  {
    report: 'Gitlawb/openclaude#273',
    kind: "Azure's filter",
    was: 'held',
    reply: refused(400, {
      error: {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        param: 'prompt',
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    }),
    gives: { stop: 'answer_refused', refusal: undefined },
  },
  {
    report: 'experientiallabs/experiential#958',
    kind: '429 of an account without money',
    was: 'held',
    reply: refused(429, { error: { code: '1113', message: 'Insufficient balance or no resource package. Please recharge.' } }),
    gives: { stop: 'rate_limited', refusal: 'final', asked: 1 },
  },
  {
    report: '2389-research/tracker#547',
    kind: '429 of a quota that is spent',
    was: 'held',
    reply: refused(429, { error: { type: 'insufficient_quota', code: 'insufficient_quota', message: QUOTA } }),
    gives: { stop: 'rate_limited', refusal: 'final', asked: 1 },
  },
  {
    report: 'coder/coder#26200',
    kind: '429 that speaks of billing, and means a minute',
    was: 'held',
    reply: refused(429, [{ error: { code: 429, message: `${QUOTA} Please retry in 34.2s.`, status: 'RESOURCE_EXHAUSTED' } }]),
    gives: AGAIN,
  },
  {
    report: 'can1357/oh-my-pi#8496',
    kind: '429 with insufficient_quota, of tokens a minute',
    was: 'mended',
    reply: refused(429, {
      error: {
        message: `${QUOTA} For details, see: https://help.example/model-studio/error-code#token-limit`,
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    }),
    gives: AGAIN,
  },
  {
    report: 'LibreChat-AI/agents#357',
    kind: '429 INSUFFICIENT QUOTA, of requests at once',
    was: 'held',
    reply: refused(429, { status: 429, error: 'INSUFFICIENT QUOTA', message: 'You exceeded your current limit of concurrent requests.' }),
    gives: AGAIN,
  },
  {
    report: 'NousResearch/hermes-agent#93455',
    kind: '429 that says when it is over',
    was: 'held',
    reply: refused(429, { error: { message: 'Weekly usage limit reached. Resets in 6hr 29min.', type: 'usage_limit_reached' } }),
    gives: AGAIN,
  },
  {
    report: 'artokun/comfyui-mcp#2294',
    kind: '429 for a second',
    was: 'held',
    reply: refused(429, { error: { message: 'request reached organization max RPM: 3, please try again after 1 seconds' } }),
    gives: AGAIN,
  },
  {
    report: 'can1357/oh-my-pi#3102',
    kind: '401 of an account without money',
    was: 'mended',
    reply: refused(401, { error: { message: 'Insufficient balance. Manage your billing here: https://example.com' } }),
    gives: { stop: 'provider_refused', refusal: 'final', detail: /answered 401: Insufficient balance/ },
  },
]

const GROUPS = { ends: ENDS, 'calls in the text': WRITTEN, parts: PARTS, frames: FRAMES, refusals: REFUSALS }

for (const [name, rows] of Object.entries(GROUPS))
  t.test(name, async (t) => {
    for (const { report, kind, was, wire = 'chat', reply, gives, sends, ...asking } of rows) {
      const found = await ask(t, wire, reply, { tools: TOOLS, ...(name === 'refusals' && gives !== AGAIN ? REFUSED : {}), ...asking })
      const what = `${report}: ${kind} (${was})`
      t.match(found, gives, `${what}: ${found.detail}`)
      const [sent, wanted] = (sends?.(found.received.at(-1)?.body) ?? []) as readonly unknown[]
      t.strictSame(sent, wanted, what)
    }
  })

t.test('there are fifty of them', async (t) => {
  const reports = Object.values(GROUPS).flatMap((rows) => rows.map(({ report }) => report))
  t.equal(new Set(reports).size, reports.length, 'each once')
  t.ok(reports.length >= 50, `${reports.length}`)
})

t.test('what was said, for spans', async (t) => {
  const told = exchangeOf(
    {
      history: [
        { role: 'user', content: 'x'.repeat(20_000) },
        { role: 'user', content: 'y'.repeat(14_000) },
        { role: 'user', content: 'z'.repeat(14_000) },
      ],
      turn: [
        { role: 'user', content: [{ type: 'text', text: '😀'.repeat(3000) }, { type: 'image' }] as unknown as Json },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r', is_error: false }] },
      ],
    },
    {
      content: [
        { type: 'thinking', thinking: 'hm', signature: '' },
        { type: 'redacted_thinking', data: 'd' },
        { type: 'text', text: 'done' },
      ],
      stop: 'end',
      usage: { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_creation_tokens: 0 },
    },
  )
  const [first, long, call, result] = told.input.slice(-4) as {
    readonly role: string
    readonly parts: readonly Record<string, unknown>[]
  }[]
  t.match(
    [first?.role, call, result],
    [
      'user',
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'a', name: 'f', arguments: { n: 1 } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'a', response: 'r' }] },
    ],
  )
  t.match(long?.parts, [{ type: 'text', content: `${'😀'.repeat(2048)}…` }, { type: 'image' }])
  t.ok(JSON.stringify(told.input).length <= 16 * 1024 + 100, 'the oldest are left out')
  t.strictSame(told.output, [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { type: 'text', content: 'done' },
      ],
      finish_reason: 'stop',
    },
  ])
})
