// The template of a prompt: its text is known before anything starts.

import { parseTree } from '@plumb/wire/json'
import { type Diagnostic, error, type Report } from '../diagnostic/diagnostic.js'
import { warnOfDollars } from '../expression/foreign-template.js'
import { openInference } from '../expression/infer/check.js'
import { Checked } from '../expression/infer/checked.js'
import { paramsIn } from '../expression/infer/context.js'
import type { Environment } from '../expression/infer/environment.js'
import { faultOfEvaluation } from '../expression/run/failure.js'
import { openFrame } from '../expression/run/frame.js'
import { evaluate } from '../expression/run/interpret.js'
import type { ConfigValue, Scope } from '../names/names.js'
import type { Template } from '../parse/ast.js'

// There is no message yet, so only params can be named.
const NO_MESSAGE = { input: { kind: 'record', fields: [] } } as const

export const readTemplate = (e: Template, scope: Scope, report: Report): ConfigValue | undefined => {
  const environment: Environment = { ...NO_MESSAGE, scope, isConstant: true }
  const context = openInference(environment, (wrong) => report(ofPrompt(wrong)))
  if (!context.infer(e)) return undefined
  warnOfDollars(e, report)
  const isUnknown = paramsIn(context).some(({ text }) => text === undefined)
  if (isUnknown) return { json: '', size: 0, depth: 0, isUnknown }
  try {
    const message = Buffer.from('{}\n')
    const tree = parseTree(message, 0, 2)
    if (tree.kind === 'fault') throw new TypeError(tree.detail)
    const text = evaluate(e, openFrame(new Checked(e, environment), message, tree)) as string
    return { json: text, size: text.length, depth: 0, isUnknown }
  } catch (failure) {
    const { detail } = faultOfEvaluation(failure)
    report(error('config_invalid', `the prompt has no text: ${detail}`, e.span))
    return undefined
  }
}

const ofPrompt = (wrong: Diagnostic): Diagnostic => {
  if (wrong.code !== 'unknown_field') return wrong
  const { source, start, end } = wrong.span
  const message = `nothing is named '${source.text.slice(start, end)}' here: a prompt is made before there is a message`
  return { ...wrong, message, help: "'{{' and '}}' are braces; what is different for each message comes as the input" }
}
