// Patches: whatever is written in one, it is done whole or not at all, and what is said of it is true.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parsePatch } from '../../../packages/plumb-tool/src/source/builtin/apply-patch/parse-patch.js'
import { builtinsIn } from '../../../packages/plumb-tool/test/builtin-directory.js'
import { isCode } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo\nthree\n',
  'b.c': 'int main()\n{\n\treturn 0;\n}\n\nint other()\n{\n\treturn 0;\n}\n',
  'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
  'open.txt': 'no end',
  'empty.txt': '',
  'in/deep/d.txt': 'é\u2028😀\n\n\nlast\n',
}

const contents = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name).slice(directory.length + 1), readFileSync(join(parentPath, name), 'utf8')]),
  )

const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')

const lay = (directory: string): void => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
}

const shown = (files: Readonly<Record<string, string>>): string => JSON.stringify(Object.entries(files).sort())

export const patches: Target = {
  name: 'patch',
  seeds: [
    patch(
      '*** Update File: a.txt',
      '@@',
      ' one',
      '-two',
      '+2',
      ' three',
      '*** Add File: new/n.txt',
      '+x',
      '+',
      '*** Delete File: empty.txt',
    ),
    patch('*** Update File: b.c', '*** Move to: in/b2.c', '@@ int other()', ' {', '-\treturn 0;', '+\treturn 1;', ' }', '*** End of File'),
    patch('*** Update File: crlf.txt', '@@ -1,3 +1,3 @@', ' one', '-two', '+zwei', '@@', '-three'),
    patch('*** Update File: open.txt', '@@', '-no end', '+with end', '*** Update File: in/deep/d.txt', '@@', ' é\u2028😀', '+', '+more'),
    patch('*** Update File: a.txt', '@@', '+zero', ' one', '*** Update File: a.txt', '@@', ' three', '+four'),
    patch('*** Delete File: a.txt', '*** Add File: a.txt', '+again', '*** Update File: empty.txt', '@@', '+x'),
  ],
  words: [
    ...[
      '*** Begin Patch\n',
      '*** End Patch\n',
      '*** Add File: ',
      '*** Update File: ',
      '*** Delete File: ',
      '*** Move to: ',
      '*** End of File\n',
    ],
    ...[
      '@@\n',
      '@@ ',
      '\n+',
      '\n-',
      '\n ',
      '\n',
      '\r\n',
      'a.txt',
      'b.c',
      'crlf.txt',
      'open.txt',
      'empty.txt',
      'in/deep/d.txt',
      'in',
      'in/',
      '.',
      '..',
    ],
    ...['../', '/', '/etc/passwd', '~', '.git/config', 'one', 'two', 'three', 'a.txt/x', 'a'.repeat(300), '\0', 'new'],
  ],
  cases: 120,
  maxBytes: 6000,
  judge: async (input, random) => {
    const directory = mkdtempSync(join(tmpdir(), 'plumb-fuzz-'))
    try {
      lay(directory)
      const before = shown(contents(directory))
      const text = input.toString('utf8')
      const { call } = builtinsIn(directory)
      const parsed = parsePatch(text)
      const checked = await call('apply_patch', { patch: text, check: true })
      must(shown(contents(directory)) === before, 'what was only checked has changed something')
      const { value, error } = await call('apply_patch', { patch: text })
      const after = contents(directory)
      const said = error ?? checked.error
      must(!said || (isCode(said.error) && said.detail !== ''), 'a refusal says nothing')
      // The disk may refuse what the patch does not.
      const isLate = /^cannot (write|make)/.test(error?.detail ?? '')
      must(
        (checked.error === undefined) === (error === undefined) || isLate,
        `the check says ${checked.error?.detail}, and then ${error?.detail}`,
      )
      must(parsed.ok || error, 'what cannot be parsed was applied')
      if (error) return must(shown(after) === before, `refused, and half of it was done: ${error.detail}`)
      if (!error) must(Array.isArray(value.files) && typeof value.diff === 'string', 'it says nothing of what it did')
      const touched = parsed.ok
        ? parsed.value.flatMap((section) => [section.path, ...(section.kind === 'update' ? [section.moveTo] : [])])
        : []
      for (const [path, old] of Object.entries(FILES))
        must(
          after[path] === old || touched.some((name) => name !== undefined && resolve('/', name) === `/${path}`),
          `'${path}' was not named and has changed`,
        )
      must(
        Object.keys(after).every(
          (path) => path in FILES || touched.some((name) => name !== undefined && resolve('/', name) === `/${path}`),
        ),
        `it left ${Object.keys(after)}`,
      )
      if (random.oneIn(3)) must(!existsSync(join(directory, '.plumb')), 'a journal is left')
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  },
}
