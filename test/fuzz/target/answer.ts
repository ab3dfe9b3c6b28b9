// What a model said, behind a line with the type that is asked for: it is an answer of that type, or refused in words.

import { compile, fitText, printType, typeOf } from '../../../packages/lang/src/index.js'
import { readAnswer } from '../../../packages/plumb-agent/src/answer/read.js'
import { fit } from '../../../packages/plumb-agent/src/provider/eliza/fit.js'
import { bundledFiles, isCode } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const files = bundledFiles({ entry: '', files: {}, modules: {} })
const { program } = compile({ path: 'types.plumb', text: 'type Tree = { left?: Tree, value: number } | string\n', files })

export const answer: Target = {
  name: 'answer',
  seeds: [
    '{ a: int, b?: string, c: [int] }\n{"a": 1, "b": "x", "c": [1, 2]}',
    '{ a: int, b?: string, c: [int] }\nSure! Here it is:\n```json\n{a: 1, \'b\': "x\ny", c: [1, 2,], // note\n}\n```\nAnything else?',
    '[string]\n["a", "b" "c",]',
    'Tree\n{"value":1,"left":{"value":2}}',
    '"yes" | "no"\nyes',
    '(int, json)\n[1, {"x": None, "y": True, "z": NaN}]',
    '{ n: int = 3, s: string = "x" }\n{}',
    'string\nanything at all',
  ],
  words: [
    ...[
      '```json\n',
      '```\n',
      '~~~',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      "'",
      '"',
      '//',
      '/*',
      '*/',
      '#',
      'None',
      'True',
      'undefined',
      'NaN',
      'Infinity',
      '+1',
      '.5',
      '0x1f',
      '\\n',
      '“',
      '”',
      '...',
    ],
    ...['int', 'number', 'bool', 'json', 'Tree', '?', '= 3', '|', '"a":', 'a:', '\n'],
  ],
  cases: 700,
  maxBytes: 4000,
  judge: (input) => {
    const [typeText = '', ...rest] = input.toString('utf8').split('\n')
    const type = typeOf(typeText, program, () => {})
    if (!type) return
    const said = rest.join('\n')
    const read = readAnswer(said, type)
    if (!read.ok) must(isCode(read.error.error) && read.error.detail !== '', 'a refusal says nothing')
    else
      must(
        !read.value.json.includes('\n') && fitText(read.value.json, type, { what: 'answer', code: 'output_type_mismatch' }).ok,
        `${read.value.json} is not a ${printType(type)}`,
      )
    const small = fit(type, said)
    if (small !== undefined)
      must(fitText(JSON.stringify(small), type, { what: 'answer', code: 'output_type_mismatch' }).ok, `ELIZA says ${JSON.stringify(small)}`)
  },
}
