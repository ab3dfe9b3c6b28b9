// Bindings by name, each with the types of its signature and its category.

import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { Bound, Scope } from '../names/names.js'
import type { Binding } from '../parse/ast.js'
import { type AnnotationTable, readAnnotations } from './annotations.js'
import { declaredType } from './declare.js'

export const declareBindings = (scope: Scope, report: Report): void => {
  for (const item of scope.module.program.items) {
    if (item.kind !== 'binding') continue
    const first = scope.bindings.get(item.name.text)?.binding ?? scope.params.get(item.name.text)?.declaration
    if (first) reportDuplicate('binding', item.name.text, first.name.span, item.name.span, report)
    else scope.bindings.set(item.name.text, declare(item, scope, report))
  }
}

const ANNOTATIONS: AnnotationTable = { description: 'string', serve: 'path', tool: 'boolean', version: 'string' }

const declare = (binding: Binding, scope: Scope, report: Report): Bound => {
  const { name, signature, impl } = binding
  const annotations = readAnnotations(binding.annotations, ANNOTATIONS, 'a binding', report)
  const description = annotations.get('description')
  const version = annotations.get('version')
  const category = categoryOf(binding, report)
  if (annotations.has('tool') && (category === 'stream' || category === 'value')) {
    const span = binding.annotations.find((a) => a.name.text === 'tool')?.span ?? name.span
    const help = category === 'stream' ? `lower it: 'let … = tool { process: ${name.text} }'` : undefined
    report(error('annotation_invalid', "'@tool' belongs above a bare morphism (base category)", span, help))
  }
  if (annotations.has('serve') && category !== 'stream' && category !== 'unknown') {
    const span = binding.annotations.find((a) => a.name.text === 'serve')?.span ?? name.span
    const help = "plumb-serve serves a tool under '@tool true' with --tools"
    report(error('annotation_invalid', "'@serve' belongs above a binding of streams", span, help))
  }
  const served = annotations.get('serve')
  return {
    name: name.text,
    binding,
    scope,
    category,
    inputs: (signature?.inputs ?? []).map((p) => declaredType(p.type, scope, report)),
    outputs: (signature?.outputs ?? []).map((p) => declaredType(p.type, scope, report)),
    isTool: category === 'base' && (impl.kind === 'tool' || annotations.get('tool') === true),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(served === undefined ? {} : { served: typeof served === 'string' ? served : `/${name.text}` }),
  }
}

const categoryOf = ({ name, signature, impl }: Binding, report: Report): Bound['category'] => {
  const fail = (message: string, span: Span, help?: string): 'unknown' => {
    report(error('spec_invalid', message, span, help))
    return 'unknown'
  }
  if (impl.kind === 'object') {
    if (!signature) return 'value'
    return fail(
      `'${name.text}' is a config value and has no signature`,
      name.span,
      "write 'agent { … }' or 'tool { … }', or drop the signature",
    )
  }
  if (!signature)
    return fail(`'${name.text}' has no signature`, name.span, `write its ports, as in 'let ${name.text} : !string -> !string = …'`)
  const { inputs, outputs, span } = signature
  const ports = [...inputs, ...outputs]
  const bare = ports.find((p) => !p.isStream)
  if (bare && ports.some((p) => p.isStream)) {
    return fail('bare types and streams are mixed in one signature', bare.span, "write '!' before each type, or before none")
  }
  if (outputs.length === 0) return fail(`'${name.text}' has no output`, span)
  if (!bare) {
    if (impl.kind === 'tool')
      return fail('a tool has bare types (base category)', span, "drop the '!': a tool takes one message and gives one result")
    return 'stream'
  }
  if (impl.kind === 'agent' || impl.kind === 'plumb') {
    return fail(
      `${impl.kind === 'agent' ? 'an agent' : 'a plumb'} has stream types`,
      bare.span,
      `write '!' before each type; 'tool { process: … }' makes a tool of it`,
    )
  }
  if (inputs.length === 0) return fail(`'${name.text}' takes no message`, span, 'a bare morphism takes one message and gives one result')
  return 'base'
}
