// Tables of programs and everything that is wrong with them: `line:column-end code message | help`, one a diagnostic, and no others.

import { fault } from '@plumb/wire/error'
import type { Test } from 'tap'
import { type Compiled, compile, type Program } from '../src/compile.js'
import { type Diagnostic, hasErrors, toJson } from '../src/diagnostic/diagnostic.js'
import type { Files } from '../src/names/modules.js'
import { agentsOf } from '../src/program/agent-plan.js'
import { agentTools } from '../src/program/tool-plan.js'
import { printType } from '../src/types/print.js'

/** Module files by path: `lib/a.plumb`. By name they are found at the top. */
export type ModuleTexts = Readonly<Record<string, string>>

const filesOf = (modules: ModuleTexts): Files => ({
  read: (path) => {
    const text = Object.hasOwn(modules, path) ? modules[path] : undefined
    return text === undefined ? { ok: false, error: fault('file_not_found', 'no such file') } : { ok: true, value: text }
  },
  find: (name) => (Object.hasOwn(modules, `${name}.plumb`) ? `${name}.plumb` : undefined),
  beside: (path) => path.replace(/^\.\//, ''),
})

export const compileText = (text: string, modules: ModuleTexts = {}): Compiled => compileFor('all', text, modules)

const compileFor = (looksAt: 'all' | 'agents', text: string, modules: ModuleTexts): Compiled =>
  compile({ path: 'main.plumb', text }, filesOf(modules), looksAt)

/** What is expected: each text names a place (`a.plumb:` before it where that is another file), a code, a piece of the message and of the help. */
export const reports = (t: Test, name: string, text: string, expected: readonly string[], modules: ModuleTexts = {}): void => {
  const { diagnostics: found, program } = compileText(text, modules)
  if (!hasErrors(found)) t.same(agentsIn(compileFor('agents', text, modules).program), agentsIn(program), `${name}: its agents alone`)
  const shown = found.map(show)
  const isRight = found.length === expected.length && found.every((d, i) => isAsExpected(d, expected[i] ?? ''))
  t.ok(isRight, name, isRight ? {} : { text, expected, found: shown })
}

const agentsIn = (program: Program) =>
  agentsOf(program).map(({ bound, input, output, specPath, span: _, ...plan }) => {
    const tools = agentTools(bound).map(({ name, body }) => ({ name, config: 'config' in body ? body.config : body.kind }))
    return { ...plan, tools, signature: [input, output].map(printType), path: specPath }
  })

const isAsExpected = (d: Diagnostic, expected: string): boolean => {
  const [head = '', help] = expected.split(' | ')
  const [place = '', code = '', ...words] = head.split(' ')
  const { message, help: given } = toJson(d)
  return (
    place === placeOf(d) && code === d.code && message.includes(words.join(' ')) && (help === undefined || (given ?? '').includes(help))
  )
}

const show = (d: Diagnostic): string => {
  const { message, help } = toJson(d)
  return `${placeOf(d)} ${d.code} ${message}${help === undefined ? '' : ` | ${help}`}`
}

const placeOf = (d: Diagnostic): string => {
  const { file, line, column, end_line, end_column } = toJson(d)
  return `${file === 'main.plumb' ? '' : `${file}:`}${line}:${column}-${end_line === line ? '' : `${end_line}:`}${end_column}`
}
