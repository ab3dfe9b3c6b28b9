// What a tool's types require of the tools that it combines, of a mock's values, and of a command line.

import { parseTree } from '@plumb/wire/json'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { type Bound, findBinding, printName } from '../names/names.js'
import type { QualifiedName } from '../parse/ast.js'
import { printType } from '../types/print.js'
import { STRING, type Type, UNIT } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import { checkTree, describeToAuthor } from '../validate/check-tree.js'
import type { Config } from './config.js'

export const checkPart = (tool: Bound, name: QualifiedName, report: Report): void => {
  const part = findBinding(name, tool.scope, report, (b) => b.category === 'base')
  if (part === 'unknown' || part.category === 'unknown') return
  if (part.category !== 'base') {
    const help = part.category === 'stream' ? `lower it: 'tool { process: ${printName(name)} }'` : undefined
    report(error('stream_in_base', `'${printName(name)}' is not a bare morphism (base category)`, name.span, help))
    return
  }
  const [takes, gives] = [tool.inputs[0], tool.outputs[0]]
  if (takes && part.inputs[0] && isWirable(takes, part.inputs[0]) === 'no') {
    report(
      error(
        'type_mismatch',
        `'${tool.name}' takes '${printType(takes)}', '${printName(name)}' takes '${printType(part.inputs[0])}'`,
        name.span,
      ),
    )
  } else if (gives && part.outputs[0] && isWirable(part.outputs[0], gives) === 'no') {
    report(
      error(
        'type_mismatch',
        `'${printName(name)}' gives '${printType(part.outputs[0])}', '${tool.name}' gives '${printType(gives)}'`,
        name.span,
      ),
    )
  }
}

export const checkMock = ({ name, outputs: [output] }: Bound, config: Config, report: Report): void => {
  const mock = config.get('mock')
  if (!mock || !output) return
  const bytes = Buffer.from(JSON.stringify(mock.value))
  const tree = parseTree(bytes, 0, bytes.length)
  const mismatch = tree.kind === 'fault' ? undefined : checkTree(output, bytes, tree)
  if (mismatch) report(error('type_mismatch', `the mock does not fit what '${name}' gives: ${describeToAuthor(mismatch)}`, mock.valueSpan))
}

const ARGUMENTS: Type = { kind: 'array', item: STRING }

/** The arguments after a command: a list, one or none; in a record or bare. */
const COMMAND_INPUT: Type = {
  kind: 'sum',
  variants: [{ kind: 'record', fields: [{ name: 'arguments', type: ARGUMENTS, isOptional: true }] }, ARGUMENTS, STRING, UNIT],
}

export const checkCommand = ({ name, binding, category, inputs: [input] }: Bound, config: Config, report: Report): void => {
  if (!config.has('command') || category !== 'base' || !input || isWirable(input, COMMAND_INPUT) !== 'no') return
  const message = `'${name}' takes '${printType(input)}', a command takes its arguments`
  const help = "as '{ arguments?: [string] }', '[string]' or 'string'; with 'unit' it has none; a function takes any record"
  report(error('type_mismatch', message, binding.signature?.inputs[0]?.span ?? binding.name.span, help))
}
