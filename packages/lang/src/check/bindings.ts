// Bindings by name, each with the types of its signature and its category.

import type { Binding, Port } from '../ast.js'
import type { Report } from '../diagnostic.js'
import { type Bound, reportDuplicate, type Scope } from '../names.js'
import { declaredType } from '../types/declare.js'

export const declareBindings = (scope: Scope, report: Report): void => {
  for (const item of scope.module.program.items) {
    if (item.kind !== 'binding') continue
    const first = scope.bindings.get(item.name.text)
    if (first) reportDuplicate('binding', item.name.text, first.binding.name.span, item.name.span, report)
    else scope.bindings.set(item.name.text, declare(item, scope, report))
  }
}

const declare = (binding: Binding, scope: Scope, report: Report): Bound => {
  const { name, signature, impl } = binding
  const fail = (message: string, help: string) => report({ severity: 'error', code: 'spec_invalid', message, span: name.span, help })
  const description = annotation(binding, 'description')
  const bound = (category: Bound['category']): Bound => ({
    name: name.text,
    binding,
    scope,
    category,
    inputs: (signature?.inputs ?? []).map((p) => declaredType(p.type, scope, report)),
    outputs: (signature?.outputs ?? []).map((p) => declaredType(p.type, scope, report)),
    isTool: category === 'base' && (impl.kind === 'tool' || annotation(binding, 'tool') === true),
    ...(typeof description === 'string' ? { description } : {}),
  })
  if (impl.kind === 'object') {
    if (signature) fail(`'${name.text}' is a config value and has no signature`, "write 'agent { … }' or 'tool { … }', or drop the signature")
    return bound(signature ? 'unknown' : 'value')
  }
  if (!signature) {
    fail(`'${name.text}' has no signature`, `write its ports, as in 'let ${name.text} : !string -> !string = …'`)
    return bound('unknown')
  }
  return bound(categoryOf(binding, signature.inputs, signature.outputs, report))
}

const categoryOf = (binding: Binding, inputs: readonly Port[], outputs: readonly Port[], report: Report): Bound['category'] => {
  const ports = [...inputs, ...outputs]
  const fail = (message: string, span = binding.signature?.span ?? binding.name.span, help?: string): 'unknown' => {
    report({ severity: 'error', code: 'spec_invalid', message, span, ...(help ? { help } : {}) })
    return 'unknown'
  }
  const bare = ports.find((p) => !p.isStream)
  if (outputs.length === 0) return fail(`'${binding.name.text}' has no output`)
  const { impl } = binding
  if (!bare) {
    if (impl.kind === 'tool') return fail('a tool has bare types (base category)', undefined, "drop the '!': a tool takes one message and gives one result")
    return 'stream'
  }
  if (ports.some((p) => p.isStream)) return fail('bare types and streams are mixed in one signature', bare.span, "write '!' before each type, or before none")
  if (impl.kind === 'agent' || impl.kind === 'plumb') {
    return fail(`${impl.kind === 'agent' ? 'an agent' : 'a plumb'} has stream types`, bare.span, `write '!' before each type; 'tool { process: … }' makes a tool of it`)
  }
  return 'base'
}

export const annotation = (binding: Binding, name: string): string | number | boolean | null | undefined =>
  binding.annotations.find((a) => a.name.text === name)?.value.value
