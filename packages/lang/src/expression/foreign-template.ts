// Holes as other languages write them: of `${x}` the dollar is text in a template, and in a string all of it is, as are `{x}`, `#{x}` and
// `{{ x }}`.

import { type Report, warning } from '../diagnostic/diagnostic.js'
import type { Expression, LiteralExpression, Template } from '../parse/ast.js'
import { partsOfExpression } from '../parse/expression-parts.js'
import { sourceOf } from './infer/context.js'
import type { Environment } from './infer/environment.js'
import { fieldsOf } from './infer/fields.js'

/** Behind an escape, as in `\u0024{x}`, the dollar is meant. What a call takes may look for such a text. */
export const warnOfForeignTemplates = (e: Expression, environment: Environment, report: Report): void => {
  const look = (e: Expression, isArgument = false): void => {
    if (e.kind === 'template') warnOfDollars(e, report)
    if (e.kind === 'literal' && !isArgument) warnOfText(e, environment, report)
    for (const part of partsOfExpression(e)) if (part) look(part, e.kind === 'call')
  }
  look(e)
}

export const warnOfDollars = ({ texts, holes }: Template, report: Report): void => {
  for (const [i, hole] of holes.entries()) {
    const { span } = texts[i] as Template['texts'][number]
    const dollar = span.end - 2
    if (dollar < span.start || span.source.text[dollar] !== '$') continue
    const place = { source: span.source, start: dollar, end: dollar + 1 }
    const message = "the '$' in front of this hole is text, and stands before its value"
    report(warning('odd_template', message, place, `write '{${sourceOf(hole)}}', or '\\u0024' where a dollar is meant`))
  }
}

/** Without a dollar a name alone, or a path: other braces are rather JSON. */
const HOLE =
  /[$#]\{([A-Za-z_][A-Za-z0-9_]*)[^{}"]*\}|\{\{ *([A-Za-z_][A-Za-z0-9_]*)[^{}"]*\}\}|\{([A-Za-z_][A-Za-z0-9_]*)(?:[.[][^{}"]*)?\}/

const warnOfText = ({ value, span }: LiteralExpression, { input, scope }: Environment, report: Report): void => {
  if (typeof value !== 'string') return
  const written = span.source.text.slice(span.start, span.end)
  const [hole, behindDollar, behindBraces, behindBrace] = HOLE.exec(written) ?? []
  const name = behindDollar ?? behindBraces ?? behindBrace ?? ''
  if (hole === undefined || !(name === 'value' || fieldsOf(input)?.has(name) || scope?.params.has(name))) return
  const message = `'${hole}' is text here: a string has no holes`
  const template = written.replace(new RegExp(HOLE, 'g'), (found) => found.replace(/^[$#]?\{+ */, '{').replace(/ *\}+$/, '}'))
  const meant = behindDollar === undefined ? "'\\u007b' where a brace" : "'\\u0024' where a dollar"
  report(warning('odd_template', message, span, `write $${template}, or ${meant} is meant`))
}
