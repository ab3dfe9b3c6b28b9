// The examples of a Markdown file, from its fenced blocks:
//
//   ```sh                 is run
//   ```text               directly after it: what it prints, stdout and stderr together
//   ```sh no-run REASON   is not run
//   ```console            is run: lines after `$ ` are commands (`> ` goes on with one), those below each are what it prints
//   ```plumb bot.plumb    is laid as a file of that name (any language, any name)

import type { Example } from './example.js'
import { readSession } from './man-page.js'

interface Fence {
  readonly language: string
  readonly rest: string
  readonly line: number
  readonly text: string
  /** Only blank lines stand between it and the fence before. */
  readonly follows: boolean
}

export const readMarkdown = (markdown: string): Example[] => {
  const fences = readFences(markdown)
  return fences.flatMap(({ language, rest, line, text }, i): Example[] => {
    if (language === 'console') return readSession(text, line)
    if (language !== 'sh') return rest === '' ? [] : [{ kind: 'file', line, name: rest, text }]
    if (rest.startsWith('no-run')) return rest === 'no-run' ? [{ kind: 'wrong', line, reason: "'sh no-run' needs a reason" }] : []
    const next = fences[i + 1]
    const output = next?.language === 'text' && next.follows ? { output: next.text } : {}
    return [{ kind: 'run', line, script: text, ...output }]
  })
}

const readFences = (markdown: string): Fence[] => {
  const fences: Fence[] = []
  let end = 0
  for (const match of markdown.matchAll(/^```(\S+)[ \t]*(.*)\n([\s\S]*?)^```[ \t]*$/gm)) {
    const [whole, language = '', rest = '', text = ''] = match
    const line = markdown.slice(0, match.index).split('\n').length
    fences.push({ language, rest: rest.trim(), line, text, follows: markdown.slice(end, match.index).trim() === '' })
    end = match.index + whole.length
  }
  return fences
}
