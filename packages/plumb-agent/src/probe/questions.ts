// The requests of --probe, and what each answer shows. No schema is in a prompt, so that a matching answer shows that the server enforces
// it.

import type { Type } from '@plumb/lang'
import { preview } from '@plumb/wire'
import { validate } from '../answer/validate.js'
import { wrapperOf } from '../answer/wrapped.js'
import { textOfBlocks, toolUsesOf } from '../conversation/turn.js'
import type { MediaBlock } from '../provider/media-block.js'
import type { ChatMessage, ModelAnswer, ModelRequest } from '../provider/provider.js'
import { AUDIO, DOCUMENT, IMAGE } from './samples.js'

/** `unknown`: the answer shows neither. */
export interface ProbeFinding {
  readonly what: string
  readonly result: 'yes' | 'no' | 'refused' | 'failed' | 'unknown'
  readonly detail: string
}

export interface ProbeAnswer extends ModelAnswer {
  /** The number of pieces of the text. */
  readonly pieces: number
  readonly ms: number
}

export interface ProbeQuestion {
  readonly what: string
  /** Keys of the agent's configuration that differ for this request. */
  readonly keys: Readonly<Record<string, unknown>>
  readonly asks: Partial<ModelRequest>
  /** `what` of concessions by which the server has refused the feature. */
  readonly about?: RegExp
  readonly shows: (answer: ProbeAnswer) => readonly ProbeFinding[]
}

/** Maximum tokens of an answer of which only the beginning matters; the minimum of the Responses API. */
const FEW_TOKENS = 16
/** Enough for a model that thinks a little; a model that never ends costs little. */
export const ENOUGH_TOKENS = 512

const BOOL: Type = { kind: 'bool' }
const INT: Type = { kind: 'int' }
const literal = (value: string): Type => ({ kind: 'literal', value })

const OUTPUTS: Readonly<Record<string, Type>> = {
  record: {
    kind: 'record',
    fields: [
      { name: 'ripe', type: BOOL, isOptional: false },
      { name: 'weight', type: INT, isOptional: true },
    ],
  },
  int: INT,
  list: { kind: 'array', item: BOOL },
  tuple: { kind: 'tuple', items: [BOOL, INT] },
  enum: { kind: 'sum', variants: [literal('left'), literal('right')] },
  sum: { kind: 'sum', variants: [BOOL, INT] },
  map: { kind: 'map', item: INT },
}

const TOOL = {
  name: 'pick',
  description: 'Picks the fruit of this number.',
  input_schema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'], additionalProperties: false },
}

const said = (content: ChatMessage['content']): Pick<ModelRequest, 'turn'> => ({ turn: [{ role: 'user', content }] })

const COUNT = said('Count from one to a hundred, in words.')
const NAME_A_FRUIT = { ...said('Name a fruit.'), system: 'Answer with the one word banana, and with nothing else.' }

const yes = (what: string, detail = ''): ProbeFinding => ({ what, result: 'yes', detail })
const no = (what: string, detail = ''): ProbeFinding => ({ what, result: 'no', detail })

/** The first is sent first, and if it fails, no other. `other`: the wire that is not configured, if there is one. */
export const questions = (maxTokens: number, other: string | undefined): readonly ProbeQuestion[] => {
  const keys = { stream: false, max_tokens: maxTokens }
  return [
    { what: 'answers', keys: { stream: false, max_tokens: FEW_TOKENS }, asks: COUNT, shows: showPlain },
    { what: 'streams', keys: { stream: true, max_tokens: FEW_TOKENS }, asks: COUNT, shows: showStream },
    ...Object.entries(OUTPUTS).map(([name, output]) => ({
      what: `enforces ${name}`,
      keys,
      asks: { ...NAME_A_FRUIT, output },
      about: /structured output/,
      shows: (answer: ProbeAnswer) => [showEnforced(`enforces ${name}`, answer, output)],
    })),
    { what: 'calls tools', keys, asks: { ...said(CALL), tools: [TOOL] }, about: /tool/, shows: showCalls },
    {
      what: 'tools with a schema',
      keys,
      asks: { ...said('Do not call a tool. Is a banana ripe when it is yellow?'), tools: [TOOL], output: OUTPUTS.record ?? BOOL },
      about: /structured output/,
      shows: ({ stop }) => [yes('tools with a schema', stop === 'tool_use' ? 'it called one' : '')],
    },
    { what: 'takes effort', keys, asks: { ...NAME_A_FRUIT, effort: 'low' }, about: /effort/, shows: () => [yes('takes effort')] },
    {
      what: 'takes temperature',
      keys: { ...keys, thinking_budget: undefined },
      asks: { ...NAME_A_FRUIT, temperature: 0.5 },
      about: /temperature/,
      shows: () => [yes('takes temperature')],
    },
    ...[IMAGE, DOCUMENT, AUDIO].map((block) => showing(block, keys)),
    ...(other === undefined
      ? []
      : [
          {
            what: `speaks ${other}`,
            keys: { wire: other, stream: false, max_tokens: FEW_TOKENS },
            asks: COUNT,
            shows: () => [yes(`speaks ${other}`, `wire: "${other}"`)],
          },
        ]),
  ]
}

const CALL = 'Call the tool pick twice at once: with number 1, and with number 2.'

const showing = (block: MediaBlock, keys: ProbeQuestion['keys']): ProbeQuestion => {
  const what = `takes ${block.type === 'audio' ? 'audio' : `${block.type}s`}`
  return { what, keys, asks: said([block, { type: 'text', text: 'What is this? One word.' }] as never), shows: () => [yes(what)] }
}

const showPlain = (answer: ProbeAnswer): ProbeFinding[] => [
  yes('answers', `${answer.ms} ms`),
  showCounts('counts tokens', answer),
  answer.stop === 'tokens'
    ? yes('holds max_tokens', `cut at ${FEW_TOKENS}`)
    : { what: 'holds max_tokens', result: 'unknown', detail: `it ended by itself, after ${answer.usage.output_tokens} tokens` },
]

const showStream = (answer: ProbeAnswer): ProbeFinding[] => [
  answer.pieces > 1 ? yes('streams', `in ${answer.pieces} pieces`) : no('streams', 'all came in one piece'),
  showCounts('counts in streams', answer),
]

const showCounts = (what: string, { usage }: ProbeAnswer): ProbeFinding => {
  const { input_tokens, cache_read_tokens, cache_creation_tokens, output_tokens } = usage
  const input = input_tokens + cache_read_tokens + cache_creation_tokens
  return input > 0 && output_tokens > 0 ? yes(what, `${input} in, ${output_tokens} out`) : no(what, 'no usage is reported')
}

const showEnforced = (what: string, { content, stop, isWrapped }: ProbeAnswer, output: Type): ProbeFinding => {
  const text = textOfBlocks(content)
  const shown = preview(JSON.stringify(text.trim()))
  // No model begins an answer with one word like this by itself.
  if (stop === 'tokens')
    return BEGINNING.test(text) ? yes(what, 'cut at max_tokens') : { what, result: 'unknown', detail: 'cut at max_tokens' }
  return validate(text, isWrapped ? wrapperOf(output) : output).ok ? yes(what) : no(what, `it said ${shown}`)
}

const BEGINNING = /^\s*\{\s*"(value|ripe)"\s*:/

const showCalls = ({ content }: ProbeAnswer): ProbeFinding[] => {
  const calls = toolUsesOf(content).filter(({ name, input }) => name === TOOL.name && validate(JSON.stringify(input), ARGUMENTS).ok)
  if (calls.length === 0) return [no('calls tools', 'it called none rightly: a model may be too small for it')]
  return [yes('calls tools'), calls.length > 1 ? yes('several at once') : no('several at once', 'it called one')]
}

const ARGUMENTS: Type = { kind: 'record', fields: [{ name: 'number', type: INT, isOptional: false }] }
