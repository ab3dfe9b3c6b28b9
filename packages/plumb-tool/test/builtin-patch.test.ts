// apply_patch: its grammar, where hunks fit, and that several files are changed together or not at all. Faults 83, 85, 86.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { fileStamp } from '../../sandbox/src/path/file-stamp.js'
import { resolvePath } from '../../sandbox/src/path/resolved-path.js'
import { OWNER } from '../../sandbox/src/path/temporary-files.js'
import { growth } from '../../wire/test/patience.js'
import { holds, runs } from '../../wire/test/property.js'
import { parsePatch } from '../src/source/builtin/apply-patch/parse-patch.js'
import type { FileChange } from '../src/source/builtin/apply-patch/plan-changes.js'
import { recover } from '../src/source/builtin/apply-patch/recover.js'
import { commit } from '../src/source/builtin/apply-patch/transaction.js'
import { type Builtins, builtinsIn, makeBuiltins } from './builtin-directory.js'
import { contents, patchOf } from './patch.js'
import { type Files, makeTestDirectory } from './source-directory.js'

const apply = (builtins: Builtins, ...lines: readonly string[]) => builtins.call('apply_patch', { patch: patchOf(...lines) })

t.test('the grammar', async (t) => {
  const hunk = (lines: string[], parts: object = {}) => ({ anchors: [], isAtEnd: false, lines: lines.map(toLine), ...parts })
  const toLine = (line: string) => ({ sign: line[0], text: line.slice(1) })
  const cases: readonly [string, string, object | RegExp][] = [
    [
      'add',
      '*** Begin Patch\n*** Add File: a/b c.txt\n+one\n+\n++two\n*** End Patch',
      [{ kind: 'add', path: 'a/b c.txt', lines: ['one', '', '+two'] }],
    ],
    ['an empty file', patchOf('*** Add File: e'), [{ kind: 'add', lines: [] }]],
    ['delete', patchOf('*** Delete File: x'), [{ kind: 'delete', path: 'x', line: 2 }]],
    [
      'update',
      patchOf('*** Update File: x', '@@', ' a', '-b', '+c'),
      [{ kind: 'update', moveTo: undefined, hunks: [hunk([' a', '-b', '+c'])] }],
    ],
    ['move', patchOf('*** Update File: x', '*** Move to: y/z', '@@', '-b'), [{ moveTo: 'y/z', hunks: [hunk(['-b'])] }]],
    ['move and nothing else', patchOf('*** Update File: x', '*** Move to: y'), [{ moveTo: 'y', hunks: [] }]],
    ['no header at the first hunk', patchOf('*** Update File: x', ' a', '+b', '@@', '-c'), [{ hunks: [hunk([' a', '+b']), hunk(['-c'])] }]],
    [
      'anchors stack',
      patchOf('*** Update File: x', '@@ class A', '@@   def f', '@@', '-b'),
      [{ hunks: [hunk(['-b'], { anchors: ['class A', '  def f'] })] }],
    ],
    ['numbers of a diff', patchOf('*** Update File: x', '@@ -1,3 +1,4 @@ int main()', '-b'), [{ hunks: [hunk(['-b'], { anchors: [] })] }]],
    ['numbers without a count', patchOf('*** Update File: x', '@@ -1 +1 @@', '-b'), [{ hunks: [hunk(['-b'], { anchors: [] })] }]],
    [
      'end of file',
      patchOf('*** Update File: x', '@@', '-b', '*** End of File', '@@', '-c'),
      [{ hunks: [hunk(['-b'], { isAtEnd: true }), hunk(['-c'])] }],
    ],
    ['an empty line is context', patchOf('*** Update File: x', '@@', '-a', '', '-b'), [{ hunks: [hunk(['-a', ' ', '-b'])] }]],
    [
      'empty lines part sections',
      '\n\n*** Begin Patch\n\n*** Delete File: x\n\n\n*** Delete File: y\n\n*** End Patch\n\n',
      [{ path: 'x' }, { path: 'y' }],
    ],
    [
      'and follow what is only put in',
      patchOf('*** Update File: x', '@@ f', '+new', '', '*** Delete File: y'),
      [{ hunks: [hunk(['+new'], { anchors: ['f'] })] }, { path: 'y' }],
    ],
    [
      'white space around markers',
      '  *** Begin Patch  \n *** Update File:   x  \n\t*** Move to:  y \n@@ \n-a\n*** End of File \n*** End Patch\t',
      [{ path: 'x', moveTo: 'y', hunks: [hunk(['-a'], { isAtEnd: true })] }],
    ],
    [
      'markers in what is written',
      patchOf('*** Update File: x', '@@', ' *** End Patch', '-*** Update File: y', '+*** Begin Patch', ' @@ no'),
      [{ hunks: [hunk([' *** End Patch', '-*** Update File: y', '+*** Begin Patch', ' @@ no'])] }],
    ],
    ['and in what is added', patchOf('*** Add File: x', '+*** End Patch', '+@@'), [{ lines: ['*** End Patch', '@@'] }]],
    [
      'CRLF throughout',
      patchOf('*** Update File: x', '@@ f', ' a', '-b', '+c').replaceAll('\n', '\r\n'),
      [{ path: 'x', hunks: [hunk([' a', '-b', '+c'], { anchors: ['f'] })] }],
    ],
    [
      'CRLF in hunks',
      patchOf('*** Update File: x', '@@', ' a\r', '-b\r', '+c\r', '\r', '-d'),
      [{ hunks: [hunk([' a', '-b', '+c', ' ', '-d'])] }],
    ],
    ['blank lines before the first hunk', patchOf('*** Update File: x', '', ' \t', '@@', '-a'), [{ hunks: [hunk(['-a'])] }]],
    ['and where it has no header', patchOf('*** Update File: x', '', '\r', '-a'), [{ hunks: [hunk(['-a'])] }]],
    ['but one with its sign is context', patchOf('*** Update File: x', '', ' ', '-a'), [{ hunks: [hunk([' ', '-a'])] }]],
    ['and around a move', patchOf('*** Update File: x', '', '*** Move to: y', '', '@@', '-a'), [{ moveTo: 'y', hunks: [hunk(['-a'])] }]],
    [
      'between lines that come and the next hunk',
      patchOf('*** Update File: x', '@@ f', '+new', '', '@@ g', '-a'),
      [{ hunks: [hunk(['+new'], { anchors: ['f'] }), hunk(['-a'], { anchors: ['g'] })] }],
    ],
    ['markers that are decorated', '*** Begin Patch ***\n*** Delete File: x\n*** End Patch ***', [{ path: 'x' }]],
    [
      'the words of a diff for no newline',
      patchOf('*** Update File: x', '@@', '-a', '\\ No newline at end of file', '+b', '\\ No newline at end of file'),
      [{ hunks: [hunk(['-a', '+b'])] }],
    ],
    ['in an added file', patchOf('*** Add File: x', '+a', '\\ No newline at end of file'), [{ lines: ['a'], isOpen: true }]],
    ['a mark before it', `\ufeff${patchOf('*** Delete File: x')}`, [{ path: 'x' }]],
    ['no newline at the end', '*** Begin Patch\n*** Delete File: x\n*** End Patch', [{ path: 'x' }]],

    ['nothing', '', /begins with/],
    ['no beginning', '*** Update File: x\n@@\n-a\n*** End Patch', /wrong on line 1: a patch begins with/],
    ['a diff', '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n', /begins with/],
    ['no end', '*** Begin Patch\n*** Update File: x\n@@\n-a\n', /at its end: the patch has no '\*\*\* End Patch': it may have been cut/],
    ['no operation', patchOf(), /no operation/],
    ['no path', patchOf('*** Add File: '), /line 2: here a file begins/],
    ['an unknown section', patchOf('*** Rename File: x'), /line 2: here a file begins/],
    ['text between', patchOf('*** Delete File: x', 'and then', '*** Delete File: y'), /line 3: here a file begins.*found 'and then'/],
    ['text behind', `${patchOf('*** Delete File: x')}done`, /nothing may follow/],
    ['a second patch', patchOf('*** Delete File: x') + patchOf('*** Delete File: y'), /nothing may follow/],
    ['no plus', patchOf('*** Add File: x', '+a', 'b'), /line 4: each line of an added file begins with '\+'/],
    ['an empty line in an added file', patchOf('*** Add File: x', '+a', '', '+b'), /line 4: each line of an added file/],
    ['no sign', patchOf('*** Update File: x', '@@', '-a', 'b'), /line 5: a line of a hunk begins with/],
    ['a marker in a hunk', patchOf('*** Update File: x', '@@', '-a', '*** what'), /line 5: here a file begins/],
    ['an empty update', patchOf('*** Update File: x'), /'x' changes nothing/],
    ['context alone', patchOf('*** Update File: x', '@@', ' a'), /'x' changes nothing/],
    [
      'an empty line among those that come',
      patchOf('*** Update File: x', '@@ f', '+a', '', '+b'),
      /line 5: an empty line that comes is written '\+'/,
    ],
    [
      'nothing but the numbers of a diff to go by',
      patchOf('*** Update File: x', '@@ -3,0 +4,1 @@ f', '+a'),
      /line 3: lines that come need a line beside them/,
    ],
    ['an empty hunk', patchOf('*** Update File: x', '@@ a', '*** Delete File: y'), /line 3: the hunk has no lines/],
    ['move to nothing', patchOf('*** Update File: x', '*** Move to: ', '@@', '-a'), /line 3: '\*\*\* Move to: ' and a path/],
  ]
  for (const [name, text, expected] of cases) {
    const parsed = parsePatch(text)
    if (expected instanceof RegExp) t.match(parsed, { ok: false, error: { error: 'patch_invalid', detail: expected } }, name)
    else t.match(parsed, { ok: true, value: expected }, name)
  }
})

t.test('where hunks fit', async (t) => {
  const file = 'class A\n  def f\n    x = 1\n\nclass B\n  def f\n    x = 1\n    \u201cquoted\u201d \u2014 text  \n\nend'
  const cases: readonly [string, string[], string | object][] = [
    ['one place', ['@@', ' class A', '+  new'], file.replace('class A\n', 'class A\n  new\n')],
    ['two places', ['@@', '-    x = 1', '+    x = 2'], { error: 'context_ambiguous', candidates: [3, 7], hunk: 1, line: 3, path: 'f' }],
    ['behind an anchor', ['@@ class B', '-    x = 1', '+    x = 2'], file.replace(/x = 1(?!.*x = 1)/s, 'x = 2')],
    ['behind an anchor that is indented', ['@@ def f', '-    x = 1', '+    x = 2'], file.replace('x = 1', 'x = 2')],
    ['behind two', ['@@ class B', '@@   def f', '-    x = 1', '+    x = 2'], file.replace(/x = 1(?!.*x = 1)/s, 'x = 2')],
    ['an anchor as sections have it', ['@@ class B @@', '-    x = 1', '+    x = 2'], file.replace(/x = 1(?!.*x = 1)/s, 'x = 2')],
    [
      'an anchor that is lost',
      ['@@ class C', '-    x = 1', '+    x = 2'],
      { error: 'context_not_found', expected: ['class C'], nearest: [], detail: /no line is the anchor 'class C': give a whole line/ },
    ],
    [
      'half an anchor',
      ['@@ class', '-    x = 1', '+    x = 2'],
      {
        nearest: [
          { line: 1, text: 'class A' },
          { line: 5, text: 'class B' },
        ],
      },
    ],
    [
      'two lines as one anchor',
      ['@@ class B: def f', '-    x = 1'],
      {
        nearest: [
          { line: 2, text: '  def f' },
          { line: 5, text: 'class B' },
          { line: 6, text: '  def f' },
        ],
      },
    ],
    ['headers of a diff', ['--- a/f', '+++ b/f', '@@', '-class A', '+class C'], { error: 'context_not_found', detail: /leave out '---'/ }],
    ['numbers before lines', ['@@', '-1 class A', '+1 class C'], { error: 'context_not_found', detail: /give its own lines/, nearest: [] }],
    [
      'the first line behind it is the anchor',
      ['@@ class B', ' class B', '-  def f', '+  def g'],
      file.replace(/def f(?!.*def f)/s, 'def g'),
    ],
    [
      'hunks in order',
      ['@@', ' class A', '-  def f', '+  def a', '@@', '-  def f', '+  def b'],
      file.replace('def f', 'def a').replace('def f', 'def b'),
    ],
    [
      'out of order',
      ['@@', '-class B', '+class C', '@@', '-class A', '+class D'],
      { error: 'context_not_found', hunk: 2, detail: /on line 1, before/ },
    ],
    [
      'overlapping',
      ['@@', ' class A', '-  def f', '+  g', '@@', ' class A', '+  h'],
      { error: 'context_not_found', hunk: 2, detail: /on line 1, before/ },
    ],
    [
      'overlapping by a line that stays',
      ['@@', ' ', '-class B', '+class C', '   def f', '@@', '   def f', '-    x = 1', ' \u201cquoted\u201d \u2014 text'],
      { error: 'context_not_found', hunk: 2, detail: /begin on line 6, which the hunk before holds too: hunks may not overlap/ },
    ],
    ['an empty line before the only hunk', ['', '@@', '-    x = 1', '+    x = 2'], { error: 'context_ambiguous', candidates: [3, 7] }],
    ['and before one without a header', ['', '-    x = 1', '+    x = 2'], { error: 'context_ambiguous', candidates: [3, 7] }],
    [
      'an empty line behind it that one place has',
      ['@@', '-    x = 1', '+    x = 2', ''],
      { error: 'context_ambiguous', candidates: [3, 7] },
    ],
    ['and one that has its sign', ['@@', '-    x = 1', '+    x = 2', ' '], file.replace('x = 1', 'x = 2')],
    [
      'the anchor is the first line, and there is another',
      ['@@ def f', '   def f', '-    x = 1', '+    x = 2'],
      { error: 'context_ambiguous', candidates: [6, 2] },
    ],
    [
      'not there',
      ['@@', ' class A', '-  def g', '+  def h'],
      {
        error: 'context_not_found',
        expected: ['class A', '  def g'],
        nearest: [
          { line: 1, text: 'class A' },
          { line: 2, text: '  def f' },
        ],
      },
    ],
    ['applied before', ['@@', '-class X', '+class B'], { error: 'context_not_found', detail: /may have been applied before/ }],
    ['only lines to put in, behind an anchor', ['@@ class A', '+  new'], file.replace('class A\n', 'class A\n  new\n')],
    ['only lines to put in', ['@@', '+new', '+newer'], `${file}\nnew\nnewer`],
    ['and one behind them', ['@@', '+new', '@@', '-class A', '+class C'], `${file.replace('class A', 'class C')}\nnew`],
    ['at the end', ['@@', '-end', '+END', '*** End of File'], file.replace(/end$/, 'END')],
    [
      'not at the end',
      ['@@', '-class A', '+class C', '*** End of File'],
      { error: 'context_not_found', detail: /on line 1, and not the last of the file/ },
    ],
    ['the last line goes', ['@@', ' ', '-end'], file.replace(/end$/, '')],
    ['all lines go', ['@@', ...file.split('\n').map((line) => `-${line}`)], ''],
    ['an empty line too much behind it', ['@@', '-end', '+END', '', ''], file.replace(/end$/, 'END')],
    ['an empty line as context', ['@@', '     x = 1', '', '-class B', '+class C'], file.replace('class B', 'class C')],
    ['context keeps its own text', ['@@', ' x = 1', '-"quoted" - text', '+plain', ' '], file.replace(/ {4}\u201c.*/, '    plain')],
  ]
  for (const [name, lines, expected] of cases) {
    const builtins = makeBuiltins({ f: file })
    const { error } = await apply(builtins, '*** Update File: f', ...lines)
    const text = readFileSync(join(builtins.directory, 'f'), 'utf8')
    if (typeof expected === 'string') t.strictSame([error, text], [undefined, expected], name)
    else t.match([error, text], [{ category: 'invalid', section: 2, ...expected }, file], name)
  }
})

t.test('an error shows where the texts differ', async (t) => {
  const file = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join('')
  const hunk = (lines: readonly string[]) => ['@@', ...lines.map((line) => ` ${line}`), '+new']
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`)
  const long = 'x'.repeat(500)
  const cases: readonly [name: string, file: string, lines: readonly string[], detail: RegExp, nearest: number | undefined][] = [
    [
      'the twenty-first line',
      file,
      [...range(5, 24), 'wrong'],
      /: line 25 of the file is 'line 25', line 24 of the patch 'wrong': read it/,
      22,
    ],
    ['the first', file, ['wrong', ...range(6, 24)], /line 5 of the file is 'line 5', line 4 of the patch 'wrong'/, 5],
    ['one that is left out', file, [...range(5, 8), ...range(10, 12)], /line 9 of the file is 'line 9', line 8 of the patch 'line 10'/, 5],
    ['one beyond the end', file, [...range(35, 40), 'line 41'], /the file has no line 41, for line 10 of the patch, 'line 41'/, 35],
    ['deep in a line', `${long}ab\nb\n`, [`${long}ac`, 'b'], /line 1 of the file is '…x+ab', line 4 of the patch '…x+ac'/, 1],
    ['a letter that looks the same', 'p\u0430y\nb\n', ['pay', 'b'], /'p\u0430y', line 4 of the patch 'pay' \(U\+0430, not U\+0061\)/, 1],
    ['nothing alike', file, ['wrong'], /are not in the file as the patch has them: read it/, undefined],
  ]
  for (const [name, text, lines, detail, nearest] of cases) {
    const builtins = makeBuiltins({ f: text })
    const { error } = await apply(builtins, '*** Update File: f', ...hunk(lines))
    const shown = (error as unknown as { nearest: { line: number }[] }).nearest
    t.match([error?.detail, shown[0]?.line], [detail, nearest], name)
  }
})

t.test('the ladder: the answer says which rung was used', async (t) => {
  const cases: readonly [string, string, string][] = [
    ['a b', '-a b', 'exact'],
    ['a b  ', '-a b', 'trailing white space'],
    ['a b', '-a b\t', 'trailing white space'],
    ['\ta b', '-a b', 'surrounding white space'],
    ['it\u2019s \u201cso\u201d \u2013 yes\u2026', `-it's "so" - yes...`, 'quotes and dashes'],
    ['a\u00a0b', '-a b', 'quotes and dashes'],
    ['e\u0301', '-\u00e9', 'quotes and dashes'],
  ]
  for (const [line, hunk, matched] of cases) {
    const builtins = makeBuiltins({ f: `${line}\n` })
    t.match((await apply(builtins, '*** Update File: f', '@@', hunk, '+x')).value, { files: [{ matched }] }, matched)
  }
  const builtins = makeBuiltins({ f: 'x\n x\n' })
  await apply(builtins, '*** Update File: f', '@@', '-x', '+y')
  t.equal(readFileSync(join(builtins.directory, 'f'), 'utf8'), 'y\n x\n', 'a better rung leaves no doubt')
})

t.test('what would lose work is refused, and nothing is changed', async (t) => {
  const files: Files = { a: 'one\ntwo\n', b: 'three\n', 'd/x': 'x\n', 'bin/z': 'z' }
  const cases: readonly [string, string[], string][] = [
    ['adding over a file', ['*** Add File: a', '+x'], 'file_exists'],
    ['adding over a directory', ['*** Add File: d', '+x'], 'file_exists'],
    ['adding below a file', ['*** Add File: a/x', '+x'], 'no_such_file'],
    ['moving onto a file', ['*** Update File: a', '*** Move to: b', '@@', '-one'], 'file_exists'],
    ['moving onto itself', ['*** Update File: a', '*** Move to: ./d/../a', '@@', '-one'], 'file_exists'],
    ['two sections for one path', ['*** Update File: a', '@@', '-one', '*** Update File: ./a', '@@', '-two'], 'patch_invalid'],
    ['adding twice', ['*** Add File: n', '+x', '*** Add File: d/../n', '+y'], 'patch_invalid'],
    ['update and delete', ['*** Update File: a', '@@', '-one', '*** Delete File: a'], 'patch_invalid'],
    ['move and add', ['*** Update File: a', '*** Move to: n', '@@', '-one', '*** Add File: n', '+x'], 'patch_invalid'],
    ['a file and one below it', ['*** Add File: n', '+x', '*** Add File: n/m', '+y'], 'patch_invalid'],
    ['one below it and the file', ['*** Add File: n/m', '+x', '*** Add File: n', '+y'], 'patch_invalid'],
    ['moving below itself', ['*** Update File: a', '*** Move to: a/b'], 'patch_invalid'],
    ['delete and add', ['*** Delete File: a', '*** Add File: a', '+x'], 'patch_invalid'],
    ['delete and move to it', ['*** Delete File: b', '*** Update File: a', '*** Move to: b'], 'patch_invalid'],
    ['nothing that changes', ['*** Update File: a', '@@', ' one', '-two', '+two'], 'patch_invalid'],
    ['nothing beside something', ['*** Update File: b', '@@', '-three', '+3', '*** Update File: a', '@@', '-two', '+two'], 'patch_invalid'],
    ['deleting what is not there', ['*** Update File: a', '@@', '-one', '*** Delete File: none'], 'no_such_file'],
    ['deleting a directory', ['*** Add File: n', '+x', '*** Delete File: d'], 'path_denied'],
    ['a later hunk', ['*** Add File: n/o/p', '+x', '*** Update File: a', '@@', '-one', '@@', '-none'], 'context_not_found'],
    ['a path outside', ['*** Update File: a', '@@', '-one', '*** Add File: ../n', '+x'], 'path_denied'],
    ['a repository', ['*** Update File: a', '@@', '-one', '*** Add File: .git/hooks/x', '+x'], 'path_denied'],
    ['half a character', ['*** Update File: a', '@@', '-one', '*** Add File: n', '+\ud800'], 'input_type_mismatch'],
  ]
  const builtins = makeBuiltins(files)
  for (const [name, lines, error] of cases) {
    const refused = (await apply(builtins, ...lines)).error
    t.match(refused, { error }, name)
    // It could be the only copy.
    t.notMatch(refused?.detail, /delete|again/, `${name}: ${refused?.detail}`)
    t.strictSame(contents(builtins.directory), files, `${name}: nothing is changed`)
    t.strictSame(readdirSync(builtins.directory).sort(), ['a', 'b', 'bin', 'd'], `${name}: no directory is left`)
  }
})

t.test('all four operations, and what is reported of them', async (t) => {
  const builtins = makeBuiltins({ a: 'one\ntwo\n', from: 'x\ny\n', gone: 'g1\ng2', 'bin/picture': 'p\0ng', 'bin/other': '\0' })
  chmodSync(join(builtins.directory, 'from'), 0o750)
  const lines = [
    ...['*** Add File: new/deep/n', '+n1', '+n2', '*** Update File: a', '@@', '-one', '+1', '+one and a half', '*** Update File: from'],
    ...[
      '*** Move to: to/here',
      '@@',
      ' x',
      '-y',
      '+z',
      '*** Delete File: gone',
      '*** Delete File: bin/other',
      '*** Update File: bin/picture',
    ],
    ...['*** Move to: bin/moved'],
  ]
  const checked = await builtins.call('apply_patch', { patch: patchOf(...lines), check: true })
  t.equal(checked.value.checked, true)
  t.strictSame(Object.keys(contents(builtins.directory)).sort(), ['a', 'bin/other', 'bin/picture', 'from', 'gone'], 'check writes nothing')
  const { value, error } = await apply(builtins, ...lines)
  t.equal(error, undefined)
  t.strictSame({ ...(value as object), checked: true }, checked.value, 'and reports the same')
  t.match(value.files, [
    { path: 'new/deep/n', operation: 'add', added: 2, removed: 0, hunks: 0, sha256: /^[0-9a-f]{64}$/ },
    { path: 'a', operation: 'update', added: 2, removed: 1, hunks: 1, matched: 'exact' },
    { path: 'from', operation: 'move', to: 'to/here', added: 1, removed: 1 },
    { path: 'gone', operation: 'delete', removed: 2 },
    { path: 'bin/other', operation: 'delete', removed: 0 },
    { path: 'bin/picture', operation: 'move', to: 'bin/moved', added: 0 },
  ])
  t.strictSame(contents(builtins.directory), {
    a: '1\none and a half\ntwo\n',
    'bin/moved': 'p\0ng',
    'new/deep/n': 'n1\nn2\n',
    'to/here': 'x\nz\n',
  })
  t.equal(statSync(join(builtins.directory, 'to/here')).mode & 0o777, 0o750, '86: a move keeps the mode')
  t.equal(statSync(join(builtins.directory, 'new/deep/n')).mode & 0o777, 0o666 & ~process.umask())
  t.equal(
    value.diff,
    [
      ...['--- /dev/null', '+++ new/deep/n', '@@ -0,0 +1,2 @@', '+n1', '+n2'],
      ...['--- a', '+++ a', '@@ -1,2 +1,3 @@', '-one', '+1', '+one and a half', ' two'],
      ...['--- from', '+++ to/here', '@@ -1,2 +1,2 @@', ' x', '-y', '+z'],
      ...['--- gone', '+++ /dev/null', '@@ -1,2 +0,0 @@', '-g1', '-g2', '\\ No newline at end of file'],
      ...['Binary file bin/other deleted', 'rename from bin/picture', 'rename to bin/moved'],
    ].join('\n'),
  )
})

t.test('fault 86: mode, owner and links are kept; 85: a file that has changed is not written over', async (t) => {
  const builtins = makeBuiltins({ f: 'a\n', g: 'a\n', 'real/h': 'a\n' })
  const { directory } = builtins
  symlinkSync('real/h', join(directory, 'link'))
  chmodSync(join(directory, 'f'), 0o4711)
  if (process.getuid?.() === 0) spawnSync('chown', ['1234:4321', join(directory, 'f')])
  chmodSync(join(directory, 'f'), 0o4711)
  await apply(
    builtins,
    '*** Update File: f',
    '@@',
    '-a',
    '+b',
    '*** Update File: g',
    '@@',
    '-a',
    '+b',
    '*** Update File: link',
    '@@',
    '-a',
    '+b',
  )
  t.equal(statSync(join(directory, 'f')).mode & 0o7777, 0o4711)
  if (process.getuid?.() === 0) t.equal(statSync(join(directory, 'f')).uid, 1234)
  t.ok(lstatSync(join(directory, 'link')).isSymbolicLink())
  t.strictSame(contents(directory), { f: 'b\n', g: 'b\n', 'real/h': 'b\n' })
  t.match((await apply(builtins, '*** Update File: link', '*** Move to: x', '@@', '-b')).error, {
    detail: /a link to 'real\/h': name that/,
  })

  const { value } = await builtins.call('read_file', { path: 'f' })
  const expecting = (path: string, to: string) =>
    builtins.call('apply_patch', {
      patch: patchOf('*** Update File: f', '@@', '-b', `+${to}`),
      expect_sha256: [{ path, sha256: value.sha256 }],
    })
  t.equal((await expecting('f', 'c')).error, undefined)
  writeFileSync(join(directory, 'f'), 'b\nmore\n')
  t.match((await expecting('f', 'c')).error, { error: 'file_changed' })
  t.match((await expecting('g', 'c')).error, { error: 'input_type_mismatch', detail: /names 'g'/ })
  t.equal(readFileSync(join(directory, 'f'), 'utf8'), 'b\nmore\n')
})

/** A text as lines with their ends, edited here and there, and the hunks that say so with so much context. */
t.test('wrapped as models do', async (t) => {
  const patch = ['*** Begin Patch', '*** Update File: f', '@@', '-a', '+b', '*** End Patch']
  const fence = (open: string, close = '```') => [open, ...patch, close]
  const here = (open: string, close = 'EOF') => [open, ...patch, close]
  const accepted = [
    ...['```', '```diff', '```patch', '```c++'].map((open) => fence(open)),
    fence('````', '````'),
    ...["apply_patch <<'EOF'", 'apply_patch <<"EOF"', 'apply_patch <<EOF'].map((open) => here(open)),
    ['```bash', ...here("apply_patch <<'EOF'"), '```'],
    ['', ...fence('```'), '', ''],
    ...["apply_patch <<'PATCH'", 'apply_patch << "PATCH"', 'apply_patch <<-PATCH', "<<'PATCH'", 'applypatch << PATCH'].map((open) =>
      here(open, 'PATCH'),
    ),
    ...["cd . && apply_patch <<'EOF'", 'cd ./ ; apply_patch <<EOF', `cd "." && apply_patch <<"EOF"`].map((open) => here(open)),
    ["cd nowhere && apply_patch <<'EOF'", ...patch, 'EOF'],
    ['Here it is:', '', ...fence('```diff'), '', 'That is all, `f` is changed.'],
    ['```', ...patch, '```', 'more'],
    ['Run this:', '```sh', ...here("apply_patch <<'END_OF_PATCH'", 'END_OF_PATCH'), '```', 'and look.'],
    ["apply_patch <<'EOF'", ...fence('```'), 'EOF'],
    fence('~~~', '~~~'),
    patch.with(1, '*** Update File: "f"'),
    patch.with(1, "*** Update File: 'f'"),
    patch.with(1, '*** Update File: `f` ***'),
  ]
  for (const lines of accepted) {
    for (const end of ['\n', '\r\n']) {
      const builtins = makeBuiltins({ f: 'a\n' })
      const { error } = await builtins.call('apply_patch', { patch: lines.join(end) })
      t.strictSame([error, contents(builtins.directory).f], [undefined, 'b\n'], lines.join('|'))
    }
  }
  const refused = [
    ['Here is the patch:', ...patch],
    [...patch, 'That is all.'],
    fence('```', '````'),
    fence('```', ''),
    fence('``` a b'),
    here("apply_patch <<'EOF'", 'END'),
    here("cat <<'EOF'"),
    here("apply_patch <<'EOF' > x"),
    here("rm x && apply_patch <<'EOF'"),
    here("cd $(pwd) && apply_patch <<'EOF'"),
    [...here("apply_patch <<'EOF'"), 'rm x'],
    [...fence('```'), 'and', ...fence('```')],
    ['```'],
    ['EOF'],
  ]
  for (const lines of refused) {
    const builtins = makeBuiltins({ f: 'a\n' })
    t.equal(await builtins.code('apply_patch', { patch: lines.join('\n') }), 'patch_invalid', lines.join('|'))
    t.equal(contents(builtins.directory).f, 'a\n')
  }
  const builtins = makeBuiltins({ f: 'a\n' })
  const { error } = await builtins.call('apply_patch', { patch: ['```', ...patch.with(4, 'oops'), '```'].join('\n') })
  t.match(error, { detail: /on line 6: a line of a hunk begins with/, line: 6 }, 'lines keep their numbers')
})

t.test('hunks that are not indented as the file', async (t) => {
  const python = 'class A:\n    def f(self):\n        x = 1\n        return x\n'
  const cases: [name: string, file: string, hunk: string[], becomes: string | RegExp][] = [
    [
      'less in the patch',
      python,
      ['     x = 1', '-    return x', '+    if x:', '+        return x'],
      python.replace('        return x', '        if x:\n            return x'),
    ],
    ['more in the patch', 'a\n  b\n', ['     a', '-      b', '+      c', '+', '+    d'], 'a\n  c\n\nd\n'],
    ['tabs for spaces', '\tx\n\ty\n', ['   x', '-  y', '+  z', '+    w'], '\tx\n\tz\n\t  w\n'],
    ['empty context', '  a\n\n  b\n', [' a', ' ', '-b', '+c'], '  a\n\n  c\n'],
    ['only lines that go', '  a\nb\n', ['-a', ' b'], 'b\n'],
    [
      'not the same for all',
      '  a\n    b\n',
      [' a', '-b', '+c'],
      /line 1 of the file has 2 spaces more than the patch, line 2 has 4 spaces more/,
    ],
    [
      'as written, and not',
      '  a\n  b\n',
      ['   a', '-b', '+c'],
      /line 1 of the file is indented as the patch has it, line 2 has 2 spaces more/,
    ],
    ['less than nothing', 'a\nb\n', ['   a', '-  b', '+c'], /indented by 2 spaces less, and 'c' has not as many/],
  ]
  for (const [name, file, hunk, becomes] of cases) {
    const builtins = makeBuiltins({ f: file })
    const { error } = await apply(builtins, '*** Update File: f', '@@', ...hunk)
    const after = contents(builtins.directory).f
    if (typeof becomes === 'string') t.strictSame([error, after], [undefined, becomes], name)
    else
      t.strictSame([error?.error, after, becomes.test(error?.detail ?? '')], ['context_not_found', file, true], `${name}: ${error?.detail}`)
  }
})

const indentation = fc.record({
  // Each line is unlike all others by its number.
  lines: fc.array(fc.record({ indent: fc.nat(4), isBlank: fc.nat(5).map((n) => n === 0) }), { minLength: 3, maxLength: 12 }),
  unit: fc.constantFrom('  ', '    ', '\t'),
  shift: fc.integer({ min: -2, max: 3 }),
  at: fc.nat(11),
  keep: fc.nat(3),
  remove: fc.nat(3),
  added: fc.array(fc.oneof(fc.nat(3), fc.constant(undefined)), { minLength: 1, maxLength: 4 }),
})

t.test('a hunk with its indentation shifted does what it does without', async (t) => {
  await holds(
    t,
    fc.asyncProperty(indentation, async ({ lines, unit, shift, at, keep, remove, added }) => {
      // As much as is taken away from all lines is there.
      const base = Math.max(0, -shift)
      const text = lines.map(({ indent, isBlank }, i) => (isBlank && i > 0 ? '' : `${unit.repeat(indent + base)}line ${i}`))
      const from = Math.min(at, text.length - 1)
      const middle = Math.min(from + 1 + keep, text.length)
      const hunk = [
        ...text.slice(from, middle).map((line) => ` ${line}`),
        ...text.slice(middle, middle + remove).map((line) => `-${line}`),
        ...added.map((indent, i) => (indent === undefined ? '+' : `+${unit.repeat(indent + base)}new ${i}`)),
      ]
      const shifted = hunk.map((line) => {
        if (line.length === 1) return line
        return shift < 0 ? line[0] + line.slice(1 + unit.length * -shift) : line[0] + unit.repeat(shift) + line.slice(1)
      })
      // A hunk of empty lines only stands in many places.
      if (text.slice(from, middle + remove).every((line) => line === '')) return
      const file = `${text.join('\n')}\n`
      const [exact, loose] = [makeBuiltins({ f: file }), makeBuiltins({ f: file })]
      const results = [await apply(exact, '*** Update File: f', '@@', ...hunk), await apply(loose, '*** Update File: f', '@@', ...shifted)]
      if (results.every(({ error }) => error?.detail.includes('changes nothing'))) return
      for (const { error } of results) if (error) throw new Error(error.detail)
      const [wanted, got] = [contents(exact.directory).f, contents(loose.directory).f]
      if (wanted !== got) throw new Error(`${JSON.stringify(got)} is not ${JSON.stringify(wanted)}`)
    }),
    { numRuns: runs(300) },
  )
})

const scenario = fc.record({
  lines: fc.array(
    fc.record({
      text: fc.constantFrom('', 'a', 'b', ' a', 'a ', '*** End Patch', '@@', '+x', '-y', 'é\u2014', 'long line'),
      end: fc.constantFrom('\n', '\r\n'),
    }),
    {
      maxLength: 25,
    },
  ),
  hasMark: fc.boolean(),
  isOpen: fc.boolean(),
  edits: fc.array(
    fc.record({ at: fc.nat(24), remove: fc.nat(3), add: fc.array(fc.constantFrom('', 'new', 'a', ' b'), { maxLength: 3 }) }),
    { minLength: 1, maxLength: 4 },
  ),
})

t.test('a patch made from edits applies, and gives the edited text', async (t) => {
  const builtins = makeBuiltins({ f: '' })
  const path = join(builtins.directory, 'f')
  let applied = 0
  await fc.assert(
    fc.asyncProperty(scenario, async ({ lines, hasMark, isOpen, edits }) => {
      const before = lines.map(({ text, end }, i) => ({ text, end: isOpen && i === lines.length - 1 ? '' : end }))
      // What ends in nothing is not a line.
      if (before.at(-1)?.end === '' && before.at(-1)?.text === '') before.pop()
      const marks = before.map(() => ' ')
      const inserted = new Map<number, string[]>()
      for (const { at, remove, add } of edits) {
        const from = Math.min(at, before.length)
        for (let i = from; i < Math.min(from + remove, before.length); i++) marks[i] = '-'
        inserted.set(from, [...(inserted.get(from) ?? []), ...add])
      }
      // One hunk with the whole file around it has one place.
      const hunk: string[] = []
      const after: { text: string; end: string }[] = []
      for (let i = 0; i <= before.length; i++) {
        for (const text of inserted.get(i) ?? []) {
          hunk.push(`+${text}`)
          after.push({ text, end: endAt(before, marks, i) })
        }
        const line = before[i]
        if (!line) continue
        hunk.push(`${marks[i]}${line.text}`)
        if (marks[i] === ' ') after.push(line)
      }
      if (!hunk.some((line) => line[0] !== ' ')) return
      const mark = hasMark ? '\ufeff' : ''
      const old = mark + before.map(({ text, end }) => text + end).join('')
      writeFileSync(path, old)
      const { value, error } = await apply(builtins, '*** Update File: f', '@@', ...hunk)
      if (mark + closed(after, before) === old && error?.error === 'patch_invalid') return
      if (error) throw new Error(JSON.stringify(error))
      applied++
      const text = readFileSync(path, 'utf8')
      const expected = closed(after, before)
      if (text !== mark + expected) throw new Error(`${JSON.stringify(text)} is not ${JSON.stringify(expected)}`)
      const shown = applyDiff(old, String(value.diff))
      if (shown !== text) throw new Error(`the diff does not say what was done:\n${value.diff}\n${JSON.stringify({ old, text })}`)
    }),
    { numRuns: runs(600) },
  )
  t.ok(applied > 100)
})

// As its neighbour: the line that stands where it is put, else the one before.
const endAt = (before: readonly { end: string }[], marks: readonly string[], i: number): string => {
  let from = i
  // What goes just before is part of the same edit.
  while (from > 0 && marks[from - 1] === '-') from--
  return before[from]?.end || before[from - 1]?.end || ''
}

const closed = (after: readonly { text: string; end: string }[], before: readonly { end: string }[]): string => {
  const isOpen = before.length > 0 && before.at(-1)?.end === ''
  let last = before.find(({ end }) => end !== '')?.end ?? '\n'
  return after
    .map(({ text, end }, i) => {
      if (isOpen && i === after.length - 1 && text !== '') return text
      last = end || last
      return text + last
    })
    .join('')
}

/** As patch(1) does, but without looking around: every line must be where the diff says. */
const applyDiff = (old: string, diff: string): string => {
  const lines = old.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const result: string[] = []
  let at = 0
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [, start = '', count = ''] = /^@@ -(\d+),(\d+) /.exec(hunk) ?? []
    const from = Number(start) - (count === '0' ? 0 : 1)
    result.push(...lines.slice(at, from))
    at = from
    const body = hunk.slice(hunk.indexOf('\n') + 1)
    for (const [, sign, text = '', end = ''] of body.matchAll(/^([ +-])(.*\r?)(\n\\ No newline at end of file)?(?:\n|$)/gm)) {
      const line = `${text}${end === '' ? '\n' : ''}`
      if (sign !== '-') result.push(line)
      if (sign !== '+' && lines[at++] !== line)
        throw new Error(`line ${at} is ${JSON.stringify(lines[at - 1])}, not ${JSON.stringify(line)}`)
    }
  }
  return [...result, ...lines.slice(at)].join('')
}

const hasPatch = spawnSync('patch', ['--version']).status === 0

t.test('its diffs are for patch(1)', { skip: hasPatch ? false : 'patch is not installed' }, async (t) => {
  const cases: readonly [string, string[]][] = [
    ['a\nb\nc', ['@@', '-c', '+d', '+e']],
    ['a\r\nb\r\n', ['@@', ' a', '+x', '-b']],
    ['a\n'.repeat(20), ['@@', '+end']],
    [Array.from({ length: 30 }, (_, i) => `${i}\n`).join(''), ['@@', '-3', '+x', '@@', '-20', '@@', ' 28', '+y']],
  ]
  for (const [old, lines] of cases) {
    const builtins = makeBuiltins({ f: old, before: old })
    const { value } = await apply(builtins, '*** Update File: f', ...lines)
    const args = ['--binary', '-s', '-o', '-', join(builtins.directory, 'before')]
    const { stdout } = spawnSync('patch', args, { input: `${value.diff}\n`, encoding: 'utf8' })
    t.equal(stdout, readFileSync(join(builtins.directory, 'f'), 'utf8'), lines.join(' '))
  }
})

t.test('fault 83: what is refused in the middle is taken back', async (t) => {
  const directory = makeTestDirectory({ a: 'old a', b: 'old b', c: 'old c' })
  const place = (path: string) => {
    const found = resolvePath(path, 'write', { roots: new Map([['docroot', directory]]) })
    if (!found.ok) throw new Error(found.error.detail)
    return found.value
  }
  const stamp = (path: string) => fileStamp(statSync(join(directory, path)))
  const bytes = Buffer.from('new')
  const inodes = ['a', 'b', 'c'].map((name) => statSync(join(directory, name)).ino)
  const changes: FileChange[] = [
    { kind: 'write', path: place('a'), bytes, expect: stamp('a') },
    { kind: 'remove', path: place('b'), expect: stamp('b') },
    { kind: 'write', path: place('new/deep/d'), bytes, expect: 'absent' },
    // Seen as it was a moment ago.
    { kind: 'write', path: place('c'), bytes, expect: { ...stamp('c'), mtimeMs: 1 } },
  ]
  t.match(await commit(changes), { ok: false, error: { error: 'file_changed' } })
  t.strictSame(contents(directory), { a: 'old a', b: 'old b', c: 'old c' })
  t.strictSame(readdirSync(directory).sort(), ['a', 'b', 'c'])
  t.strictSame(
    ['a', 'b', 'c'].map((name) => statSync(join(directory, name)).ino),
    inodes,
    'they are the very files',
  )
})

t.test('fault 83: a journal that is left is finished, or undone, by the next run', async (t) => {
  const id = '0123456789ab'
  const entries = (directory: string) => [
    {
      path: 'a',
      made: 0,
      old: fileStamp(statSync(join(directory, 'a'))),
      fresh: { name: `.plumb-${id}-0.new`, sha256: 'f' },
      backup: `.plumb-${id}-0.old`,
    },
    { path: 'n/m', made: 1, old: 'absent', fresh: { name: `.plumb-${id}-1.new`, sha256: 'f' } },
    { path: 'gone', made: 0, old: fileStamp(statSync(join(directory, 'gone'))), backup: `.plumb-${id}-2.old` },
  ]
  const cases: readonly [string, string, Files, (directory: string) => void, Files][] = [
    ['staging', '.plumb-patch-99999999-1-0123456789ab.stage', { [`.plumb-${id}-0.new`]: 'A' }, () => {}, { a: 'a', gone: 'g' }],
    [
      'complete',
      '.plumb-patch-99999999-1-0123456789ab.complete',
      { [`.plumb-${id}-0.new`]: 'A', [`n/.plumb-${id}-1.new`]: 'M' },
      () => {},
      { a: 'A', 'n/m': 'M' },
    ],
    [
      'hindered',
      '.plumb-patch-99999999-1-0123456789ab.complete',
      { [`.plumb-${id}-0.new`]: 'A', [`n/.plumb-${id}-1.new`]: 'M' },
      (directory) => writeFileSync(join(directory, 'a'), 'mine'),
      { a: 'mine', gone: 'g' },
    ],
    [
      'of one that lives',
      `.plumb-patch-${process.ppid}-${startOf(process.ppid)}-0123456789ab.complete`,
      { [`.plumb-${id}-0.new`]: 'A' },
      () => {},
      { a: 'a', gone: 'g', [`.plumb-${id}-0.new`]: 'A' },
    ],
    ['given up by this one', `.plumb-patch-${OWNER}-0123456789ab.stage`, { [`.plumb-${id}-0.new`]: 'A' }, () => {}, { a: 'a', gone: 'g' }],
  ]
  for (const [name, journal, staged, before, after] of cases) {
    const directory = makeTestDirectory({ a: 'a', gone: 'g', ...staged })
    writeFileSync(join(directory, journal), JSON.stringify(entries(directory)), { mode: 0o600 })
    before(directory)
    const { code } = builtinsIn(directory)
    t.equal(await code('delete_file', { path: 'none' }), 'no_such_file')
    const { [journal]: kept, ...rest } = contents(directory)
    t.strictSame(rest, after, name)
    t.equal(kept !== undefined, name === 'of one that lives', `${name}: the journal`)
  }
})

t.test('fault 83: a file that only looks like a journal does nothing', async (t) => {
  const name = '.plumb-patch-99999999-1-0123456789ab.complete'
  const fresh = { name: '.plumb-0123456789ab-0.new', sha256: 'f' }
  const texts: readonly [string, string, number?][] = [
    ['no JSON', '{'],
    ['no list', '{}'],
    ['outside', JSON.stringify([{ path: '../outside', made: 0, old: 'absent', fresh }])],
    ['absolute', JSON.stringify([{ path: '/tmp/plumb-escaped', made: 0, old: 'absent', fresh }])],
    ['a repository', JSON.stringify([{ path: '.git/config', made: 0, old: 'absent', fresh }])],
    ['another file as what it becomes', JSON.stringify([{ path: 'new', made: 0, old: 'absent', fresh: { name: 'a', sha256: 'f' } }])],
    [
      'out of its directory',
      JSON.stringify([{ path: 'new', made: 0, old: 'absent', fresh: { name: '../.plumb-0123456789ab-0.new', sha256: 'f' } }]),
    ],
    ['open to all', JSON.stringify([{ path: 'new', made: 0, old: 'absent', fresh }]), 0o644],
  ]
  for (const [what, text, mode = 0o600] of texts) {
    const files = { a: 'a', [fresh.name]: 'evil', '.git/x': 'x' }
    const directory = makeTestDirectory(files)
    writeFileSync(join(directory, name), text, { mode })
    await recover({ roots: new Map([['docroot', directory]]) })
    t.strictSame(contents(directory), { ...files, [name]: text }, what)
  }
  t.notOk(existsSync('/tmp/plumb-escaped'))
})

const startOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')[19] ?? ''

t.test('fault 85: two patches at once', async (t) => {
  const builtins = makeBuiltins({ a: 'start\n', b: 'start\n' })
  const reported = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      apply(builtins, '*** Update File: a', '@@', '-start', `+${i}`, '*** Update File: b', '@@', '-start', `+${i}`),
    ),
  )
  const done = reported.flatMap(({ error }, i) => (error === undefined ? [i] : []))
  t.ok(done.length <= 1, 'one of them at most')
  const { a, b } = contents(builtins.directory)
  t.equal(a, b)
  t.equal(a, done.length === 1 ? `${done[0]}\n` : 'start\n')
  t.strictSame(readdirSync(builtins.directory).sort(), ['a', 'b'])
})

t.test('large patches and files take linear time', async (t) => {
  const [small, large] = [5000, 20_000]
  const files = [small, large].flatMap((size) => [
    [`f${size}`, '\n'.repeat(10 * size)],
    [`g${size}`, 'x\n'.repeat(5 * size)],
  ])
  const builtins = makeBuiltins(Object.fromEntries(files))
  const ratio = await growth(small, large, async (size) => {
    const blank = Array.from({ length: size }, () => '')
    t.match((await apply(builtins, `*** Update File: f${size}`, '@@', '-no', ...blank)).error, { error: 'context_not_found' })
    t.match((await apply(builtins, `*** Update File: g${size}`, '@@', ...Array.from({ length: size }, () => ' x'), '-y')).error, {
      error: 'context_not_found',
    })
  })
  t.ok(ratio < 10, `${ratio.toFixed(1)} times the time for 4 times the lines`)
})
