// tool { function: "FILE.py#NAME" }: what a function of Python says of itself against the signature of its tool, and its calls.

import { findShared, isPresent, isWirable, type Json, printType, resolve, type ToolPlan, type Type } from '@plumb/lang'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { thrownFault } from '../../call/thrown.js'
import type { Run } from '../../combine/run.js'
import type { OwnWords } from '../described-plan.js'
import type { FunctionTarget } from './function-child.js'
import { type PythonFunction, type PythonFunctions, type PythonParameter, pythonProcess } from './python-process.js'
import { noSuchFunction } from './runner-reply.js'
import { parseResult, refuseNonJson } from './to-result.js'

type Config = { readonly [key: string]: Json }

/** Functions of one file with the same sandbox share a process. */
export const keyOf = (file: string, { sandbox, effects }: Config): string => JSON.stringify([file, sandbox, effects])

export const pythonRun = (plan: ToolPlan, config: Config, target: FunctionTarget): Run => {
  const { file, name, tool } = target
  return async (input, { session, signal }) => {
    const process = pythonProcess(target, keyOf(file, config), plan.specPath, session)
    const functions = await process.functions()
    if (!functions.ok) return functions
    const found = Object.hasOwn(functions.value, name) ? functions.value[name] : undefined
    if (!found) return { ok: false, error: noSuchFunction(file, name, Object.keys(functions.value)) }
    const byFields = takesFields(plan.input, found.parameters)
    const answer = await process.call({ name, input, byFields, isAsync: found.isAsync }, signal)
    if (!answer.ok) return { ok: false, error: { ...answer.error, detail: `function '${tool}': ${answer.error.detail}` } }
    if ('json' in answer.value) return parseResult(answer.value.json, tool, plan.output)
    if ('refused' in answer.value) {
      const why = preview(answer.value.refused, MAX_REFUSED)
      return fail('input_type_mismatch', `the input of '${tool}' does not fit what function '${name}' declares: ${why}`)
    }
    if ('unfit' in answer.value) return refuseNonJson(answer.value.unfit, tool)
    return { ok: false, error: thrownFault(answer.value, `function '${tool}'`) }
  }
}

const MAX_REFUSED = 600

/** What it says of itself; an error where that contradicts the signature. */
export const wordsOfPython = (plan: ToolPlan, { file, name }: FunctionTarget, functions: PythonFunctions): Result<OwnWords> => {
  const said = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (!said) return { ok: false, error: noSuchFunction(file, name, Object.keys(functions)) }
  const why = inputContradiction(plan.input, said.parameters) ?? outputContradiction(plan.output, said)
  if (why !== undefined) return fail('type_mismatch', `function '${name}' of tool '${plan.name}' ${why}`)
  const fields = said.parameters.map(({ name: of, type, hasDefault: isOptional, description: words }) => {
    return { name: of, type, isOptional, ...(words === undefined ? {} : { description: words }) }
  })
  const description = said.description === '' ? undefined : said.description
  return succeed({ description, input: takesFields(plan.input, said.parameters) ? { kind: 'record', fields } : { kind: 'json' } })
}

/** The fields of a record are its parameters, but where its one parameter is a record itself, and no field has the name of that. */
const takesFields = (signature: Type, parameters: readonly PythonParameter[]): boolean => {
  const own = resolve(signature)
  if (own.kind !== 'record') return false
  const [first, ...others] = parameters.filter(({ kind }) => kind !== 'VAR_POSITIONAL' && kind !== 'VAR_KEYWORD')
  const isWhole = first !== undefined && others.every(({ hasDefault }) => hasDefault) && holdsRecord(first.type)
  return !isWhole || own.fields.some(({ name }) => parameters.some((parameter) => parameter.name === name))
}

const holdsRecord = (type: Type): boolean =>
  type.kind === 'sum' ? type.variants.some(holdsRecord) : type.kind === 'record' || type.kind === 'map'

const inputContradiction = (signature: Type, parameters: readonly PythonParameter[]): string | undefined => {
  const own = resolve(signature)
  const usual = parameters.filter(({ kind }) => !kind.startsWith('VAR_'))
  if (own.kind !== 'record' || !takesFields(signature, parameters)) {
    const [first, ...others] = usual
    const variable = parameters.find(({ kind }) => kind === 'VAR_POSITIONAL')
    if (!first) return variable || own.kind === 'unit' ? undefined : `takes no argument, and the signature says '${printType(signature)}'`
    const needed = others.find(({ hasDefault }) => !hasDefault)
    if (first.strange !== undefined) return notOfJson(first)
    if (needed) return `needs '${needed.name}' too, and the signature has one value, '${printType(signature)}'`
    return differs(signature, first.type) ? `declares ${shown(first)}, and the signature says '${printType(signature)}'` : undefined
  }
  const names = new Map(usual.map((parameter) => [parameter.name, parameter]))
  const takesAny = parameters.some(({ kind }) => kind === 'VAR_KEYWORD')
  for (const field of own.fields) {
    const parameter = names.get(field.name)
    const says = `the signature says '${field.name}${field.isOptional ? '?' : ''}: ${printType(field.type)}'`
    if (!parameter && !takesAny) return `has no parameter '${field.name}', and ${says}`
    if (parameter?.strange !== undefined) return notOfJson(parameter)
    if (parameter && differs(field.type, parameter.type)) return `declares ${shown(parameter)}, and ${says}`
    if (parameter && !parameter.hasDefault && !isPresent(field)) return `declares ${shown(parameter)} without a default, and ${says}`
  }
  const has = new Set(own.fields.map(({ name }) => name))
  const needed = usual.find(({ name, hasDefault }) => !hasDefault && !has.has(name))
  return needed && `declares ${shown(needed)} without a default, and the signature has no field '${needed.name}'`
}

/** A value of the signature may not fit the annotation. */
const differs = (signature: Type, annotated: Type): boolean => isWirable(signature, annotated) === 'no'

const notOfJson = ({ name, strange }: PythonParameter): string =>
  `declares '${name}: ${strange}', which is not made of JSON: take text, a number, a list, a dict, a dataclass or a model of pydantic`

const outputContradiction = (signature: Type, { output, strange }: PythonFunction): string | undefined => {
  if (strange !== undefined)
    return `gives '${strange}', which is not JSON: give text, a number, a list, a dict, a dataclass or a model of pydantic`
  return output && findShared(output, signature) === undefined
    ? `gives '${printType(output)}', and the signature says '${printType(signature)}'`
    : undefined
}

const shown = ({ name, type }: PythonParameter): string => `'${name}: ${printType(type)}'`
