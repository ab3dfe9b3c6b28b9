// Hover texts: a declaration or a type, and for a word of the language the text of its manual page.

import { hoverAt, type LanguageWord, wordAt } from '@plumb/lang/service'
import type * as protocol from 'vscode-languageserver-protocol/node'
import agentKeys from '../../../../man/plumb-agent.1?keys'
import testKeys from '../../../../man/plumb-test.1?keys'
import toolKeys from '../../../../man/plumb-tools.7?keys'
import words from '../../../../man/plumbing.5?keys'
import type { Documents } from './documents.js'
import type { PositionParams } from './params.js'
import { offsetAt, rangeOf } from './position.js'

export const hover = (documents: Documents, { textDocument, position }: PositionParams): protocol.Hover | null => {
  const document = documents.get(textDocument.uri)
  if (!document) return null
  const compiled = documents.compiled(document)
  const offset = offsetAt(document.text, position)
  const word = wordAt(compiled, offset)
  const found = hoverAt(compiled, offset)
  const said = word && wordText(word)
  // An unknown key has an error of its own.
  if (!found && said === undefined) return null
  const code = found?.code ?? (word?.takes === undefined ? undefined : `${word.word}: ${word.takes}`)
  const parts = [code === undefined ? undefined : fenceCode(code), found?.remark, said]
  const span = found?.span ?? word?.span
  if (!span) return null
  return {
    contents: { kind: 'markdown', value: parts.filter((part) => part !== undefined).join('\n\n') },
    range: rangeOf(document.text, span),
  }
}

const PAGES: Readonly<Record<LanguageWord['kind'], { readonly page: string; readonly items: Readonly<Record<string, string>> }>> = {
  agent: { page: 'plumb-agent(1)', items: agentKeys },
  tool: { page: 'plumb-tools(7)', items: toolKeys },
  test: { page: 'plumb-test(1)', items: testKeys },
  morphism: { page: 'plumbing(5)', items: words },
  word: { page: 'plumbing(5)', items: words },
}

/** What its page says of a word of the language, as Markdown. */
export const wordText = ({ kind, word }: Pick<LanguageWord, 'kind' | 'word'>): string | undefined => {
  const { page, items } = PAGES[kind]
  return Object.hasOwn(items, word) ? `${items[word]}\n\n*${page}*` : undefined
}

// The fence is longer than any in the code.
const fenceCode = (code: string): string => {
  const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${fence}plumb\n${code}\n${fence}`
}
