// Prompt files, .chatmd and .md: refused in words, or a prompt that can be mounted or is refused in words.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readChatmd } from '../../../packages/plumb-tool/src/source/agent/chatmd.js'
import { readMarkdown } from '../../../packages/plumb-tool/src/source/agent/markdown.js'
import { loadPromptProgram } from '../../../packages/plumb-tool/src/source/agent/prompt-program.js'
import { type Fault, isCode } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const CHATMD = `<config model="m" temperature="0.5" max_tokens=9 provider='eliza'/>
<!-- note --><developer>Be <b>kind</b>. RAW|<user>|RAW</developer>
<tool name="read_file"/><tool name="status" command="git status" description="says &quot;how&quot;"/>
<tool mcp_server="stdio:npx x" include="a, b" strict/><tool name="sub" agent="sub.md" local/>
<user>Hello <doc src="x.txt" local/></user>
<msg role="assistant">Hi</msg><reasoning>hm</reasoning><import src="other.chatmd"/>
`
const MARKDOWN = `---
name: writer
model: m
provider: eliza
temperature: 0.5
request: { a: [1, { b: null }] }
tools:
  - read_file
  - { name: status, command: git status }
mcp: [{ url: "https://example.org/mcp", token_env: T }]
---
You write.
`

const sound = (fault: Fault): void =>
  must(isCode(fault.error) && fault.detail.length < 4000, `a refusal says ${fault.detail.slice(0, 100)}`)

export const prompt: Target = {
  name: 'prompt',
  seeds: [
    CHATMD,
    MARKDOWN,
    '---\ntools: read_file, grep\nmax_messages: 3\n---\nx',
    '<user>x</user>',
    '---\na: &a [x, *b]\nb: &b {c: *a}\n---\n',
  ],
  words: [
    ...[
      '<user>',
      '</user>',
      '<msg role=',
      '<developer>',
      '</developer>',
      '<tool ',
      '<config ',
      '<import src="',
      '<doc src="x" local/>',
      '<agent>',
      'RAW|',
      '|RAW',
      '<!--',
      '-->',
      '/>',
      '>',
    ],
    ...[
      'name="x"',
      'command="ls"',
      'mcp_server="http://127.0.0.1:1"',
      'local',
      'strict',
      '---\n',
      '\n---\n',
      'model: ',
      'tools: [',
      '- ',
      ': ',
      '&a ',
      '*a',
      '<<: *a',
      '!!js/function x',
      '!!binary x',
    ],
    ...[
      '? ',
      '| \n',
      '>-\n',
      '"\\x',
      '{',
      '}',
      '[',
      ']',
      'prompt: x',
      '__proto__: {a: 1}',
      'constructor: 1',
      '2001-01-01',
      '0o7',
      '.inf',
      '.nan',
      '~',
      '%YAML 1.1\n',
      '\t',
    ],
  ],
  cases: 250,
  maxBytes: 6000,
  judge: (input) => {
    const text = input.toString('utf8')
    const directory = mkdtempSync(join(tmpdir(), 'plumb-fuzz-'))
    try {
      for (const [ending, read] of [
        ['chatmd', readChatmd],
        ['md', readMarkdown],
      ] as const) {
        const file = join(directory, `fuzz.${ending}`)
        writeFileSync(file, text)
        const result = read(text, file)
        if (!result.ok) sound(result.error)
        else JSON.stringify(result.value)
        const mounted = loadPromptProgram(file, { input: { kind: 'string' }, output: { kind: 'string' } })
        if (!mounted.ok) sound(mounted.error)
        else mounted.value.filesFor({ provider: 'eliza', model: 'doctor' })
        must(result.ok || !mounted.ok, 'what is refused was mounted')
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  },
}
