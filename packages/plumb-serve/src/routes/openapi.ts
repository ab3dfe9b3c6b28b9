// What is served as an OpenAPI 3.1 document: inputs and outputs from the types, the errors, and the tokens.

import { ERRORS } from '@plumb/wire'
import type { Binding } from '../binding/binding.js'
import { errorCodesOf } from './error-codes.js'
import { isModel } from './openai/request.js'

type Json = Readonly<Record<string, unknown>>

export interface OpenapiOptions {
  readonly bindings: readonly Binding[]
  readonly hasTokens: boolean
}

export const openapiOf = ({ bindings, hasTokens }: OpenapiOptions): Json => {
  const schemas: Record<string, unknown> = { Problem: PROBLEM, Run: RUN, Question: QUESTION }
  const typed = (name: string, schema: unknown): unknown => hoisted(name, schema as Json, schemas)
  for (const binding of bindings)
    schemas[`${binding.name}.problem`] = {
      allOf: [refer('Problem'), { type: 'object', properties: { error: { enum: errorCodesOf(binding) } } }],
    }
  const paths = Object.fromEntries(bindings.map((binding) => [binding.path, { post: operationOf(binding, typed) }]))
  const models = bindings.some(isModel) ? MODEL_PATHS : {}
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'plumb-serve', version: '1', description: 'The bindings of specs over HTTP.' },
    servers: [{ url: '/' }],
    paths: { ...paths, ...OWN_PATHS, ...models },
    components: { schemas, ...(hasTokens ? { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } } : {}) },
    security: hasTokens ? [{ token: [] }] : [],
  }
}

/** Definitions of a schema become components, since references are looked up in the whole document. */
const hoisted = (name: string, { $defs = {}, ...schema }: Json, schemas: Record<string, unknown>): unknown => {
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, of]) => {
        const isReference = key === '$ref' && typeof of === 'string' && of.startsWith('#/$defs/')
        return [key, isReference ? `#/components/schemas/${name}.${(of as string).slice('#/$defs/'.length)}` : moved(of)]
      }),
    )
  }
  for (const [own, of] of Object.entries($defs as Json)) schemas[`${name}.${own}`] = moved(of)
  return moved(schema)
}

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const operationOf = (binding: Binding, typed: (name: string, schema: unknown) => unknown): Json => {
  const { name, description, outputs, answersOnce, isSingle } = binding
  const input = isSingle ? typed(`${name}.input`, binding.schemaOf('inputs', 0)) : {}
  const given = outputs.map((_, i) => typed(`${name}.output${i === 0 ? '' : i + 1}`, binding.schemaOf('outputs', i)))
  const output =
    given.length === 1
      ? given[0]
      : { type: 'object', properties: { port: { type: 'string' }, value: { anyOf: given } }, required: ['port', 'value'] }
  const answer =
    answersOnce && given.length === 1
      ? output
      : { type: 'object', properties: { outputs: { type: 'array', items: output } }, required: ['outputs'] }
  const line = {
    type: 'object',
    properties: { seq: { type: ['integer', 'null'] }, value: given.length === 1 ? output : {}, error: refer(`${name}.problem`) },
    required: ['seq'],
  }
  return {
    operationId: name,
    ...(description === undefined ? {} : { summary: description }),
    parameters: PARAMETERS,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: input },
        'application/x-ndjson': { schema: { type: 'string', description: 'an input a line' } },
      },
    },
    responses: {
      200: {
        description: 'its outcome',
        content: {
          'application/json': { schema: answer },
          'application/x-ndjson': { schema: line },
          'text/event-stream': { schema: { type: 'string', description: 'events output, error, done, and those of ?events=' } },
        },
      },
      202: {
        description: 'a run was begun (Prefer: respond-async)',
        headers: { Location: { schema: { type: 'string' } } },
        content: { 'application/json': { schema: refer('Run') } },
      },
      ...errorResponses(`${name}.problem`),
    },
  }
}

const header = (name: string, description: string) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } })

const PARAMETERS = [
  header('Idempotency-Key', 'the same key and body within a day is the same run'),
  header('Prefer', 'respond-async: answer before the run has ended'),
  header('Plumb-Conversation', 'the memory that its agents have'),
  header('Plumb-Max-Cost', 'dollars that the request may cost'),
  header('Last-Event-ID', 'with Idempotency-Key: go on behind this event'),
  {
    name: 'events',
    in: 'query',
    required: false,
    description: 'telemetry that a stream of events has, such as text,tool_call',
    schema: { type: 'string' },
  },
]

const problem = (description: string, name = 'Problem') => ({
  description,
  content: { 'application/problem+json': { schema: refer(name) } },
})

const ERRORS_BY_STATUS = {
  400: 'the body is not JSON, or a header or parameter is wrong',
  401: 'no token, or none that is known; or a key of the server that its provider refused',
  402: 'a budget is spent',
  403: 'it is not allowed',
  404: 'it is not there',
  413: 'the body is too long',
  415: 'the body is of another type',
  422: 'the input, or what came of it, does not fit; or its key is of another request',
  429: 'too many requests',
  500: 'something failed',
  503: 'it may work later',
}

const errorResponses = (name: string) =>
  Object.fromEntries(Object.entries(ERRORS_BY_STATUS).map(([status, description]) => [status, problem(description, name)]))

const PROBLEM = {
  type: 'object',
  description: 'RFC 9457, with the members of an error object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    error: { type: 'string', enum: Object.keys(ERRORS) },
    category: { type: 'string', enum: ['config', 'invalid', 'not_found', 'denied', 'internal', 'unavailable'] },
    detail: { type: 'string' },
    seq: { type: ['integer', 'null'] },
  },
  required: ['error', 'category', 'detail'],
}

const RUN = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    binding: { type: 'string' },
    state: { type: 'string', enum: ['running', 'waiting', 'done', 'failed', 'cancelled'] },
    ...Object.fromEntries(['inputs', 'outputs', 'errors', 'tokens'].map((name) => [name, { type: 'integer' }])),
    cost: { type: 'number' },
    created: { type: 'string', format: 'date-time' },
    ended: { type: 'string', format: 'date-time' },
  },
  required: ['id', 'binding', 'state', 'inputs', 'outputs', 'errors', 'tokens', 'cost', 'created'],
}

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const run = { 200: { description: 'the run', content: { 'application/json': { schema: refer('Run') } } }, 404: problem('there is none') }
const text = (type: string, description: string) => ({
  200: { description, content: { [type]: { schema: { type: 'string' } } } },
  404: problem('there is none'),
})
const any = { 200: { description: 'as OpenAI has it', content: { 'application/json': { schema: { type: 'object' } } } } }
const anyBody = { required: true, content: { 'application/json': { schema: { type: 'object' } } } }

const QUESTION = {
  type: 'object',
  description: 'what a person is asked: an answer for an agent, or whether a tool may be called',
  properties: {
    id: { type: 'string' },
    kind: { type: 'string', enum: ['person', 'approval'] },
    ...Object.fromEntries(['run', 'binding', 'agent', 'prompt', 'digest'].map((name) => [name, { type: 'string' }])),
    input: {},
    schema: { description: 'JSON Schema of the answer' },
    since: { type: 'string', format: 'date-time' },
  },
  required: ['id', 'kind', 'run', 'binding', 'agent', 'prompt', 'input', 'schema', 'digest', 'since'],
}

const ANSWER = {
  oneOf: [
    { type: 'object', properties: { answer: {}, why: { type: 'string' } }, required: ['answer'] },
    { type: 'object', properties: { skip: { type: 'string' } }, required: ['skip'] },
    { type: 'object', properties: { edit: {} }, required: ['edit'] },
  ],
}

const list = { type: 'array', items: refer('Question') }

const OWN_PATHS = {
  '/pending': {
    get: {
      operationId: 'listQuestions',
      responses: { 200: { description: 'the oldest first', content: { 'application/json': { schema: list } } } },
    },
  },
  '/pending/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    post: {
      operationId: 'answerQuestion',
      requestBody: { required: true, content: { 'application/json': { schema: ANSWER } } },
      responses: {
        200: {
          description: 'it is answered, or asked again with another input',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        404: problem('it waits for you no more'),
        422: problem('the answer does not fit'),
      },
    },
  },
  '/runs/{id}': {
    parameters: [id],
    get: { operationId: 'getRun', responses: run },
    delete: { operationId: 'cancelRun', responses: run },
  },
  '/runs/{id}/outputs': {
    parameters: [id, { name: 'from', in: 'query', required: false, schema: { type: 'integer', minimum: 1 } }],
    get: { operationId: 'getOutputs', responses: text('application/x-ndjson', 'outputs and errors, a line each') },
  },
  '/runs/{id}/events': { parameters: [id], get: { operationId: 'getEvents', responses: text('text/event-stream', 'events') } },
  '/conversations/{id}': {
    parameters: [id],
    delete: { operationId: 'forgetConversation', responses: { 204: { description: 'it is forgotten' }, 404: problem('there is none') } },
  },
}

const MODEL_PATHS = {
  '/v1/models': { get: { operationId: 'listModels', responses: any } },
  '/v1/chat/completions': { post: { operationId: 'createChatCompletion', requestBody: anyBody, responses: any } },
  '/v1/responses': { post: { operationId: 'createResponse', requestBody: anyBody, responses: any } },
}
