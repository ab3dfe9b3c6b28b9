// The tools of a request in the form that its API takes. One whose schema is refused all the same is sent with less of it, and then not at
// all: it costs no other tool its call. Telemetry reports each of that once.

import type { Json } from '@plumb/lang'
import { isRecord, preview } from '@plumb/wire'
import type { Failure } from './http/failure.js'
import type { Dialect } from './output-schema.js'
import type { ModelRequest, ToolOffer } from './provider.js'
import { type FittedSchema, fitToolSchema } from './tool-schema/fit-tool-schema.js'
import { strictToolSchema } from './tool-schema/strict-tool-schema.js'
import type { WireNames } from './wire-names.js'

type Schema = ToolOffer['input_schema']

/** What is left of a schema that was refused, from the first refusal on. */
const STEPS = ['as it is', 'not strict', 'as any object', 'not at all'] as const
const [, LOOSE, ANY_OBJECT, LEFT_OUT] = [0, 1, 2, 3]

/** What is left out then. */
const LEFT = ['', "'strict' of ", 'the schema of ', ''] as const

interface Note {
  readonly what: string
  readonly why: string
}

interface Form {
  readonly offer: ToolOffer
  readonly notes: readonly Note[]
}

export class ToolForms {
  readonly #dialect: Dialect
  readonly #fitted = new WeakMap<Schema, FittedSchema>()
  readonly #steps = new WeakMap<Schema, number>()
  readonly #reported = new Set<string>()

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  of(tools: readonly ToolOffer[]): readonly ToolOffer[] {
    return this.#forms(tools).map(({ offer }) => offer)
  }

  report({ tools, emit }: Pick<ModelRequest, 'tools' | 'emit'>): void {
    for (const { notes } of this.#forms(tools)) {
      for (const note of notes) {
        const key = JSON.stringify(note)
        if (this.#reported.has(key)) continue
        this.#reported.add(key)
        emit({ kind: 'concession', ...note })
      }
    }
  }

  /** Whether the request can be repeated with less of a tool that was refused. */
  learn({ tools, emit, log, model }: ModelRequest, { fault, text }: Failure, body: unknown, names: WireNames): boolean {
    const name = fault.error === 'provider_refused' ? refusedTool(text, body, names) : undefined
    const tool = tools.find((one) => one.name === name)
    if (!tool) return false
    const isStrict = this.#forms(tools).some(({ offer }) => offer.name === name && offer.strict)
    const step = Math.max(this.#stepOf(tool), isStrict ? 0 : LOOSE) + 1
    if (step > LEFT_OUT) return false
    this.#steps.set(tool.input_schema, step)
    log('api_downgrade', { model, downgrade: `tool ${tool.name}: ${STEPS[step]}` })
    emit({ kind: 'concession', what: `${LEFT[step]}tool '${tool.name}'`, why: preview(fault.detail, 300) })
    return true
  }

  #stepOf({ input_schema }: ToolOffer): number {
    return this.#steps.get(input_schema) ?? 0
  }

  #forms(tools: readonly ToolOffer[]): readonly Form[] {
    const left = { tools: this.#dialect.maxStrictTools, optional: this.#dialect.maxOptional, unions: this.#dialect.maxUnions }
    return tools.flatMap((tool) => (this.#stepOf(tool) === LEFT_OUT ? [] : [this.#formOf(tool, left)]))
  }

  #formOf(tool: ToolOffer, left: { tools: number; optional: number; unions: number }): Form {
    const { strict, input_schema, ...rest } = tool
    if (this.#stepOf(tool) === ANY_OBJECT) return { offer: { ...rest, input_schema: anyObject(input_schema) }, notes: [] }
    const { schema, lost, isFolded } = this.#fit(input_schema)
    const what = `tool '${tool.name}'`
    const notes = lost.length === 0 ? [] : [{ what: `the whole schema of ${what}`, why: `the API does not take ${lost.join(', ')}` }]
    const loose = { ...rest, input_schema: schema }
    if (!strict || this.#stepOf(tool) >= LOOSE) return { offer: loose, notes }
    const form = isFolded ? undefined : strictToolSchema(schema, this.#dialect)
    const isWithin = form && left.tools > 0 && form.optional <= left.optional && form.unions <= left.unions
    if (!isWithin) {
      const why = form ? 'there are more strict tools than the API takes' : 'a strict schema would refuse what this one takes'
      return { offer: loose, notes: [...notes, { what: `'strict' of ${what}`, why }] }
    }
    left.tools -= 1
    left.optional -= form.optional
    left.unions -= form.unions
    return { offer: { ...rest, input_schema: form.schema, strict: true }, notes }
  }

  #fit(schema: Schema): FittedSchema {
    const fitted = this.#fitted.get(schema) ?? fitToolSchema(schema, this.#dialect.names)
    this.#fitted.set(schema, fitted)
    return fitted
  }
}

/** In characters. */
const MAX_SCHEMA_WORDS = 2000

/** A model may still read it. */
const anyObject = (schema: Schema): Schema => ({
  type: 'object',
  properties: {},
  description: `An object by this JSON Schema: ${preview(JSON.stringify(schema), MAX_SCHEMA_WORDS)}`,
})

/**
 * "tools.1.custom.input_schema: …", "Invalid schema for function 'name': …", "tools[1].function.parameters". Undefined: it is about none,
 * or about more than its schema.
 */
const refusedTool = (text: string, body: unknown, names: WireNames): string | undefined => {
  if (!/schema|parameters|strict/i.test(text)) return undefined
  const tools = isRecord(body) && Array.isArray(body.tools) ? (body.tools as readonly Json[]) : []
  const [, place] = /\btools(?:\.|\[)(\d+)/.exec(text) ?? []
  const [, named] = /\b(?:function|tool) [`'"]([\w-]{1,64})[`'"]/.exec(text) ?? []
  const wire = place === undefined ? named : nameIn(tools[Number(place)])
  return wire === undefined ? undefined : names.toOwn(wire)
}

const nameIn = (tool: Json | undefined): string | undefined => {
  if (!isRecord(tool)) return undefined
  const { name, function: inner } = tool as Record<string, Json>
  const found = name ?? (isRecord(inner) ? (inner as Record<string, Json>).name : undefined)
  return typeof found === 'string' ? found : undefined
}
